import Domain
import Testing

@testable import Scheduling

/// Made publishers of each kind, replayed with the rule that a refresh uses.
@Suite struct PublishingHabitTests {
    static let day: Int64 = 86_400
    static let hour: Int64 = 3_600
    /// Tuesday, 2024-01-02 05:00 UTC.
    static let start = Timestamp(seconds: 1_704_171_600)

    /// The delays with which a year's second half is found, in minutes, and the requests an episode.
    ///
    /// - Parameter byHabit: if not, only the interval is learned, by the gaps.
    func replay(_ dates: [Timestamp], byHabit: Bool = true) -> (delays: [Int64], requests: Double) {
        let half = dates.count / 2
        var podcast = Podcast(id: PodcastID(text: "p"), feedURL: "http://a.example/f", subscribedAt: Self.start)
        var (next, now, requests, delays) = (half, dates[half - 1] + Self.hour, 0, [Int64]())
        /// Of a publisher whose clock is known to be right.
        func learn() {
            podcast.fetch.cadence = Cadence(dates: dates[..<next].reversed())
            podcast.fetch.cadence.isShiftKnown = true
        }
        learn()
        while next < dates.count {
            if byHabit {
                Schedule.recordAnswer(
                    &podcast, status: 304, feed: nil, headers: ResponseHeaders(), outcome: "unchanged", milliseconds: 1, now: now)
                now = podcast.fetch.nextDueAt ?? now + Self.day
            } else {
                let gap = podcast.fetch.cadence.gap ?? Self.day
                now = now + Schedule.interval(gap: gap, newest: dates[next - 1], now: now).0 * 95 / 100
            }
            requests += 1
            let before = next
            while next < dates.count, dates[next] <= now {
                delays.append((now - dates[next]) / 60)
                next += 1
            }
            if next > before { learn() }
        }
        return (delays.sorted(), Double(requests) / Double(dates.count - half))
    }

    @Test(arguments: [1, 7, 14] as [Int64])
    func `an episode at a fixed hour is found within minutes`(days: Int64) {
        let dates = (0..<60).map { Self.start + Int64($0) * days * Self.day }
        let (delays, requests) = replay(dates)
        #expect(delays[delays.count * 9 / 10] <= 15)
        #expect(requests <= Double(8 * max(2, days)))
    }

    @Test func `an episode that has come is not waited for again that day, unless two are usual`() throws {
        let single = (0..<40).map { Self.start + Int64($0) * 7 * Self.day }
        let double = single.flatMap { [$0, $0 + 8 * Self.hour] }
        func plan(after last: Timestamp, _ dates: [Timestamp]) throws -> [Timestamp] {
            let (now, recent) = (last + 360, Cadence(dates: dates.filter { $0 <= last }.reversed()).recent)
            return try #require(PublishingHabit(of: recent, now: now)).plan(after: now, spread: 60)
        }
        #expect(try #require(plan(after: single[39], single).first) - single[39] > 12 * Self.hour)
        let second = single[39] + 8 * Self.hour
        #expect(try plan(after: single[39], double).contains { 0...900 ~= $0 - second })
    }

    @Test func `two weekdays have hours of their own`() {
        let dates: [Timestamp] = (0..<40).flatMap { week -> [Timestamp] in
            let first = Self.start + Int64(week) * 7 * Self.day
            return [first, first + 3 * Self.day + 10 * Self.hour]
        }
        #expect(replay(dates).delays[36] <= 15)
    }

    @Test func `a daily show pauses on weekends`() {
        let dates = (0..<120).map { Self.start + Int64($0) * Self.day }.filter { !(5...6).contains(($0.parts.weekday + 6) % 7) }
        let (delays, requests) = replay(dates)
        #expect(delays[delays.count * 9 / 10] <= 15)
        #expect(requests <= 16)
    }

    @Test func `episodes around an hour are found within the hour`() {
        let dates = (0..<80).map { number in
            Self.start + Int64(number) * 7 * Self.day + Int64(XXH64.hash("\(number)".utf8) % 3_600) - 1_800
        }
        let delays = replay(dates).delays
        #expect(delays[delays.count * 9 / 10] <= 60)
    }

    @Test(arguments: [DaylightSaving.europe, .northAmerica, .australia, .newZealand])
    func `a publisher's clock changes twice a year`(_ zone: DaylightSaving) {
        let local = (0..<104).map { Self.start + Int64($0) * 7 * Self.day }
        let dates = local.map { Timestamp(seconds: zone.utc($0.seconds)) }
        #expect(DaylightSaving.likeliest(for: dates.suffix(52).reversed()) == zone)
        let delays = replay(dates).delays
        // Those of the weeks in which it changes too.
        #expect(delays.allSatisfy { $0 <= 15 }, "\(delays)")
    }

    @Test func `dates without an hour, few dates and dates in bulk teach nothing`() {
        let midnights = (0..<30).map { Timestamp(seconds: 1_704_153_600) - Int64($0) * 7 * Self.day }
        #expect(PublishingHabit(of: midnights, now: midnights[0] + Self.day) == nil)
        let weekly = (0..<30).map { Self.start - Int64($0) * 7 * Self.day }
        #expect(PublishingHabit(of: Array(weekly.prefix(4)), now: Self.start + Self.day) == nil)
        #expect(PublishingHabit(of: weekly, now: Self.start + Self.day)?.isDormant == false)
        let bulk = (0..<30).map { Self.start - Int64($0) }
        #expect(PublishingHabit(of: bulk, now: Self.start + Self.day) == nil)
    }

    @Test func `a podcast pauses between seasons, and drifts`() {
        let seasons = (0..<80).map { Self.start + (Int64($0) * 7 + Int64($0 / 10) * 60) * Self.day }
        #expect(replay(seasons).delays.count == 40)
        let drifting = (0..<60).map { Self.start + Int64($0) * (7 * Self.day + 120) }
        let delays = replay(drifting).delays
        #expect(delays[delays.count / 2] <= 60)
    }

    @Test func `several episodes a day do not cost more than a request in ten minutes`() {
        let dates = (0..<200).map { Self.start + Int64($0) * 3 * Self.hour }
        let (delays, requests) = replay(dates)
        #expect(delays[delays.count / 2] <= 30)
        #expect(requests <= 18)
    }

    @Test func `a monthly show is found on its day`() {
        // On the first Monday of a month, at 06:00.
        let dates = (0..<48).compactMap { month -> Timestamp? in
            let first = Timestamp(year: 2020 + month / 12, month: month % 12 + 1, day: 1, hour: 6)
            return first.map { $0 + Int64((8 - $0.parts.weekday) % 7) * Self.day }
        }
        let (delays, requests) = replay(dates)
        #expect(delays[delays.count / 2] <= 15)
        #expect(delays[delays.count * 9 / 10] <= 24 * 60)
        #expect(requests <= 50)
    }

    @Test func `a show that revives is found as early as before, once its hour is known again`() {
        let before = (0..<40).map { Self.start + Int64($0) * 7 * Self.day }
        let after = (0..<40).map { Self.start + (Int64($0) * 7 + 700) * Self.day + 9 * Self.hour }
        #expect(PublishingHabit(of: before.reversed(), now: after[0] - Self.day)?.isDormant == true)
        let delays = replay(before + after).delays
        #expect(delays.count == 40)
        #expect(delays[delays.count * 3 / 4] <= 15)
    }

    @Test func `a silent show is asked once a day, after its usual hour`() throws {
        let weekly = (0..<52).map { Self.start - Int64($0) * 7 * Self.day }
        let now = Self.start + 200 * Self.day + 11 * Self.hour
        let habit = try #require(PublishingHabit(of: weekly, now: now))
        #expect(habit.isDormant)
        let plan = habit.plan(after: now, spread: 300)
        #expect(plan.count >= 8 && plan.count <= PublishingHabit.maxPlanned)
        #expect(zip(plan, plan.dropFirst()).allSatisfy { $1 - $0 == Self.day })
        #expect(plan[0] > now && plan[0] - now < Self.day)
        #expect(plan.allSatisfy { (0...600).contains(PublishingHabit.secondOfDay($0 - Self.start)) })
        // It comes back at its hour.
        let dates = (0..<40).map { Self.start + Int64($0) * 7 * Self.day + ($0 < 25 ? 0 : 364 * Self.day) }
        let (delays, requests) = replay(dates)
        #expect(delays.allSatisfy { $0 <= 15 }, "\(delays)")
        #expect(requests <= replay(dates, byHabit: false).requests * 1.1)
    }

    @Test func `a burst of episodes leaves the weekly hour`() {
        let weekly = (0..<60).map { Self.start + Int64($0) * 7 * Self.day }
        let burst = (0..<30).map { Self.start + 40 * 7 * Self.day + 13 * Self.hour + Int64($0) * 3 * Self.hour }
        let delays = replay((weekly + burst).sorted()).delays
        #expect(delays[delays.count / 2] <= 120)
        let dates = weekly.prefix(41) + burst
        let cadence = Cadence(dates: dates.sorted(by: >))
        #expect(cadence.recent.count == Cadence.recentLimit)
    }

    /// A feed with an item of each date.
    private func feed(_ dates: [Timestamp]) -> ParsedFeed {
        ParsedFeed(
            format: .rss,
            items: dates.map { date in
                var item = Item()
                item.publishedAt = date
                return FeedItem(item)
            })
    }

    @Test func `dates in bulk after a move leave what was known`() {
        let weekly = (0..<52).map { Self.start - Int64($0) * 7 * Self.day }
        let moved = (0..<300).map { Self.start + Self.day + Int64($0) }
        let now = Self.start + 2 * Self.day
        let cadence = Cadence(of: feed(moved), earlier: Cadence(of: feed(weekly), now: Self.start), now: now)
        #expect(cadence.recent.count > 50)
        #expect(PublishingHabit(of: cadence.recent, now: now)?.windows(now: now).first?.weekdays == [2])
    }

    @Test(arguments: [(0, 3), (0, 14), (5, -1), (5, -3), (14, -1), (20, -6)] as [(Int64, Int64)])
    func `a publisher's clock that is wrong, or an hour that is missing, is learned from when episodes appear`(
        stated hour: Int64, appears hours: Int64
    ) {
        // The feed says midnight, or an hour; an episode appears hours later, or earlier.
        let first = Timestamp(seconds: 1_704_153_600) + hour * Self.hour
        let stated = (0..<80).map { first + Int64($0) * 7 * Self.day }
        var podcast = Podcast(id: PodcastID(text: "p"), feedURL: "http://a.example/f", subscribedAt: first)
        var (now, delays) = (stated[20], [Int64]())
        var next = 20
        while next < stated.count {
            let out = stated.prefix { $0 + hours * Self.hour <= now }
            let feed = ParsedFeed(
                format: .rss,
                items: out.suffix(60).map { date in
                    var item = Item()
                    item.publishedAt = date
                    return FeedItem(item)
                })
            Schedule.recordAnswer(
                &podcast, status: 200, feed: feed, headers: ResponseHeaders(), outcome: "updated", milliseconds: 1, now: now)
            for date in out.dropFirst(next) { delays.append((now - date - hours * Self.hour) / 60) }
            next = max(next, out.count)
            now = podcast.fetch.nextDueAt ?? now + Self.day
        }
        let last = delays.suffix(20).sorted()
        #expect(last[10] <= (hours > 0 ? 60 : 30), "\(delays)")
    }

    @Test func `it is asked early until it is known that its clock is not fast`() {
        let weekly = (0..<52).map { Self.start - Int64($0) * 7 * Self.day }
        func early(_ isKnown: Bool) -> [Timestamp] {
            var podcast = Podcast(id: PodcastID(text: "p"), feedURL: "http://a.example/f", subscribedAt: Self.start)
            podcast.fetch.cadence = Cadence(dates: weekly)
            podcast.fetch.cadence.isShiftKnown = isKnown
            Schedule.recordAnswer(
                &podcast, status: 304, feed: nil, headers: ResponseHeaders(), outcome: "unchanged", milliseconds: 1,
                now: Self.start + Self.day)
            return podcast.fetch.cadence.plan.filter { (0...3_600).contains(Self.start + 7 * Self.day - $0) }
        }
        #expect(early(false).count == 1 && early(true).isEmpty)
    }

    @Test func `an episode that is dated ahead shows that the publisher's clock is fast`() {
        // Each appears an hour before its date, and is found ten minutes later by a fetch that follows one of the day before.
        let dates = (0..<16).map { Self.start + Int64($0) * 7 * Self.day }
        var cadence = Cadence(of: feed(dates[...6].reversed()), now: dates[6])
        func find(_ number: Int, lookedAt before: Int64) {
            let now = dates[number] - 50 * 60
            cadence = Cadence(of: feed(dates[...number].reversed()), earlier: cadence, lookedAt: now - before, now: now)
        }
        find(7, lookedAt: Self.day)
        // One may have been dated by mistake. It is out already.
        #expect(cadence.dateShift == 0 && cadence.appearances[0] == dates[7] - 50 * 60)
        find(8, lookedAt: Self.day)
        // It may appear even earlier.
        #expect(cadence.dateShift == -80 * 60 && !cadence.isShiftKnown)
        #expect(cadence.appearances == dates[...8].reversed().map { $0 - 80 * 60 })
        // The fetch before it did not have it: it does not appear much earlier.
        find(9, lookedAt: 2_400)
        #expect((-90 * 60 ... -50 * 60).contains(cadence.dateShift) && cadence.isShiftKnown)
        // Its clock was set right.
        for number in 10...11 {
            cadence = Cadence(
                of: feed(dates[...number].reversed()), earlier: cadence, lookedAt: dates[number] - 600, now: dates[number] + 60)
        }
        #expect(abs(cadence.dateShift) <= 600)
    }

    @Test func `a plan is soonest first, at most a day apart, and small`() {
        let weekly = (0..<52).map { Self.start - Int64($0) * 7 * Self.day }
        let now = Self.start + Self.hour
        let plan = PublishingHabit(of: weekly, now: now)?.plan(after: now, spread: 100) ?? []
        #expect(plan.count > 5 && plan.count <= PublishingHabit.maxPlanned)
        #expect(zip([now] + plan, plan).allSatisfy { $1 > $0 && $1 - $0 <= Self.day + Self.hour })
        #expect(plan.allSatisfy { $0.seconds % 60 == 0 })
        // One of them is within minutes of the next episode.
        let expected = Self.start + 7 * Self.day
        #expect(plan.contains { $0 > expected && $0 - expected <= 300 })
    }

    @Test func `podcasts of one hour are asked minutes and seconds apart`() {
        let weekly = (0..<52).map { Self.start - Int64($0) * 7 * Self.day }
        let looks = (0..<1_000).compactMap { number -> Timestamp? in
            var podcast = Podcast(id: PodcastID(text: "p\(number)"), feedURL: "http://a.example/f", subscribedAt: Self.start)
            podcast.fetch.cadence = Cadence(dates: weekly)
            Schedule.recordAnswer(
                &podcast, status: 304, feed: nil, headers: ResponseHeaders(), outcome: "unchanged", milliseconds: 1,
                now: Self.start + 7 * Self.day - 2 * Self.hour)
            return podcast.fetch.nextDueAt
        }
        func busiest(_ seconds: Int64) -> Int {
            Dictionary(grouping: looks) { $0.seconds / seconds }.values.map(\.count).max() ?? 0
        }
        #expect(looks.count == 1_000)
        #expect(Set(looks.map { $0.seconds / 60 }).count >= 4)
        #expect(busiest(60) <= 320, "\(busiest(60)) in a minute")
        #expect(busiest(1) <= 12, "\(busiest(1)) in a second")
        // Nobody waits much for it.
        #expect(looks.allSatisfy { $0 < Self.start + 7 * Self.day + 8 * 60 })
    }

    @Test func `an episode ends the plan, and an answer without one keeps it`() {
        let weekly = (0..<52).map { Self.start - Int64($0) * 7 * Self.day }
        var podcast = Podcast(id: PodcastID(text: "p"), feedURL: "http://a.example/f", subscribedAt: Self.start)
        func answer(_ feed: ParsedFeed?, _ now: Timestamp) {
            Schedule.recordAnswer(
                &podcast, status: feed == nil ? 304 : 200, feed: feed, headers: ResponseHeaders(), outcome: "", milliseconds: 1,
                now: now)
        }
        answer(feed(weekly), Self.start + Self.hour)
        let plan = podcast.fetch.cadence.plan
        #expect(!plan.isEmpty && podcast.fetch.dueRule == .habit)
        answer(nil, Self.start + Self.day)
        answer(feed(weekly), Self.start + 2 * Self.day)
        #expect(podcast.fetch.cadence.plan == plan)
        answer(feed([Self.start + 2 * Self.day] + weekly), Self.start + 3 * Self.day)
        #expect(podcast.fetch.cadence.plan != plan)
    }

    @Test func `dates from another age do no harm`() {
        let dates = [Self.start] + (1..<51).map { Timestamp(seconds: -62_000_000_000 + Int64($0)) }
        #expect(PublishingHabit(of: dates, now: Self.start + Self.day) == nil)
    }

    @Test func `the usual window is told in weekdays and hours`() throws {
        let weekly = (0..<52).map { Self.start + Int64($0 % 4) * 300 - Int64($0) * 7 * Self.day }
        let now = Self.start + Self.day
        let window = try #require(PublishingHabit(of: weekly, now: now)?.windows(now: now).first)
        #expect(window.weekdays == [2])
        #expect(window.earliest == 5 * Self.hour)
        #expect(window.latest == 5 * Self.hour + 900)
        #expect(window.hits == 52)
        #expect(window.episodes == 52)
    }

    @Test func `what a feed no longer lists is remembered`() {
        let dates = (0..<60).map { Self.start - Int64($0) * 7 * Self.day }
        let items = dates.prefix(3).map { date in
            var item = Item()
            item.publishedAt = date
            return FeedItem(item)
        }
        let feed = ParsedFeed(format: .rss, items: items)
        #expect(Cadence(of: feed, earlier: Cadence(), now: Self.start).recent == Array(dates.prefix(3)))
        let cadence = Cadence(of: feed, earlier: Cadence(dates: Array(dates.dropFirst())), now: Self.start)
        #expect(cadence.recent == Array(dates.prefix(52)))
    }
}
