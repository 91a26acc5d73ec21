import Testing

@testable import Domain

/// Made publishers of each kind, replayed with the rule that a refresh uses.
@Suite struct PublishingHabitTests {
    static let day: Int64 = 86_400
    static let hour: Int64 = 3_600
    /// Tuesday, 2024-01-02 05:00 UTC.
    static let start = Timestamp(seconds: 1_704_171_600)

    /// The delays with which a year's second half is found, in minutes, and the requests an episode.
    private func replay(_ dates: [Timestamp]) -> (delays: [Int64], requests: Double) {
        let half = dates.count / 2
        var podcast = Podcast(id: PodcastID(text: "p"), feedURL: "http://a.example/f", subscribedAt: Self.start)
        var (next, now, requests, delays) = (half, dates[half - 1] + Self.hour, 0, [Int64]())
        while next < dates.count {
            podcast.fetch.cadence = Cadence(dates: dates[..<next].reversed())
            Schedule.recordAnswer(
                &podcast, status: 304, feed: nil, headers: ResponseHeaders(), outcome: "unchanged", milliseconds: 1, now: now)
            now = podcast.fetch.nextDueAt ?? now + Self.day
            requests += 1
            while next < dates.count, dates[next] <= now {
                delays.append((now - dates[next]) / 60)
                next += 1
            }
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
        #expect(delays[delays.count * 9 / 10] <= 15)
    }

    @Test func `dates without an hour, few dates and a long silence teach nothing`() {
        let midnights = (0..<30).map { Timestamp(seconds: 1_704_153_600) - Int64($0) * 7 * Self.day }
        #expect(PublishingHabit(of: midnights, now: midnights[0] + Self.day) == nil)
        let weekly = (0..<30).map { Self.start - Int64($0) * 7 * Self.day }
        #expect(PublishingHabit(of: Array(weekly.prefix(4)), now: Self.start + Self.day) == nil)
        #expect(PublishingHabit(of: weekly, now: Self.start + Self.day) != nil)
        #expect(PublishingHabit(of: weekly, now: Self.start + 60 * Self.day) == nil)
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

    @Test func `dates from another age do no harm`() {
        let dates = [Self.start] + (1..<51).map { Timestamp(seconds: -62_000_000_000 + Int64($0)) }
        #expect(PublishingHabit(of: dates, now: Self.start + Self.day) == nil)
    }

    @Test func `the usual window is told in weekdays and hours`() throws {
        let weekly = (0..<52).map { Self.start + Int64($0 % 4) * 300 - Int64($0) * 7 * Self.day }
        let window = try #require(PublishingHabit(of: weekly, now: Self.start + Self.day)?.window(now: Self.start + Self.day))
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
