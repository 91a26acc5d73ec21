import Domain
import Scheduling
import Testing

/// The schedule as arithmetic: given a response, when the podcast is due again.
struct ScheduleTests {
    static let now = Timestamp(year: 2026, month: 3, day: 4, hour: 12)!  // a Wednesday
    static let minute: Int64 = 60
    static let hour: Int64 = 3_600
    static let day: Int64 = 86_400

    static func podcast(_ url: String = "https://example.com/feed") -> Podcast {
        var podcast = Podcast(id: PodcastID(feedURL: url), feedURL: url, subscribedAt: now - 100 * day)
        podcast.fetch.cadence.isShiftKnown = true
        return podcast
    }

    /// A feed whose episodes were published that many seconds ago.
    static func feed(ago: [Int64], _ change: (inout PublishingSchedule) -> Void = { _ in }) -> ParsedFeed {
        var schedule = PublishingSchedule()
        change(&schedule)
        var channel = Channel()
        channel.schedule = schedule
        return ParsedFeed(
            format: .rss, channel: channel,
            items: ago.map {
                var item = Item()
                item.publishedAt = now - $0
                return FeedItem(item)
            })
    }

    /// Seconds until the podcast is due again after this answer.
    static func interval(
        _ feed: ParsedFeed?, headers: (inout ResponseHeaders) -> Void = { _ in }, url: String = "https://example.com/feed"
    ) -> Int64 {
        var podcast = podcast(url)
        var facts = ResponseHeaders()
        headers(&facts)
        Schedule.recordAnswer(&podcast, status: 200, feed: feed, headers: facts, outcome: "updated", milliseconds: 1, now: now)
        return (podcast.fetch.nextDueAt ?? now) - now
    }

    /// Too few to show at which hours they come.
    static let daily = (0..<5).map { Int64($0) * day + 2 * hour }

    // MARK: Learning

    @Test func `a daily podcast is asked for a few times a day`() {
        #expect((2 * Self.hour...3 * Self.hour).contains(Self.interval(Self.feed(ago: Self.daily))))
    }

    @Test func `a weekly podcast rests for most of a day`() {
        let interval = Self.interval(Self.feed(ago: (0..<5).map { Int64($0) * 7 * Self.day + Self.hour }))
        #expect((18 * Self.hour...21 * Self.hour).contains(interval))
    }

    @Test func `a feed whose hub is heard is asked once a day`() {
        func interval(hubUntil: Timestamp?) -> Int64 {
            var podcast = Self.podcast()
            podcast.fetch.hubUntil = hubUntil
            Schedule.recordAnswer(
                &podcast, status: 200, feed: Self.feed(ago: Self.daily), headers: ResponseHeaders(), outcome: "updated",
                milliseconds: 1, now: Self.now)
            return (podcast.fetch.nextDueAt ?? Self.now) - Self.now
        }
        #expect((21 * Self.hour...24 * Self.hour).contains(interval(hubUntil: Self.now + Self.hour)))
        #expect(interval(hubUntil: Self.now) < 4 * Self.hour)
    }

    @Test func `a hub is counted on while it tells of episodes`() {
        func isReliable(before: Bool, pinged: Int64?, added: Int64?) -> Bool {
            HubRule.isReliable(
                before: before, verifiedAt: Self.now, pingedAt: pinged.map { Self.now + $0 }, addedAt: added.map { Self.now + $0 }
            )
        }
        // It has promised, and told nothing yet.
        #expect(!isReliable(before: false, pinged: nil, added: nil))
        #expect(!isReliable(before: false, pinged: nil, added: -Self.day))
        // It told of an episode; a later ping that brings none changes nothing.
        #expect(isReliable(before: false, pinged: 60, added: 70))
        #expect(isReliable(before: true, pinged: Self.day, added: 70))
        #expect(!isReliable(before: false, pinged: Self.day, added: 70))
        // An episode came without a word.
        #expect(!isReliable(before: true, pinged: 60, added: Self.day))
        #expect(!isReliable(before: true, pinged: nil, added: Self.day))
    }

    @Test func `a hub that fell silent is not waited for`() {
        var podcast = Self.podcast()
        HubRule.apply(Self.now + 10 * Self.day, to: &podcast, now: Self.now)
        #expect(podcast.fetch.hubUntil == Self.now + Self.day)
        HubRule.apply(Self.now + 10 * Self.day, to: &podcast, now: Self.now + Self.hour)
        #expect(podcast.fetch.hubUntil == Self.now + Self.day)
        HubRule.apply(Self.now + 10 * Self.day, to: &podcast, now: Self.now + 20 * Self.hour)
        #expect(podcast.fetch.hubUntil == Self.now + Self.day + 20 * Self.hour)
        (podcast.fetch.nextDueAt, podcast.fetch.dueRule) = (Self.now + 2 * Self.day, .hub)
        HubRule.apply(nil, to: &podcast, now: Self.now + Self.day)
        #expect(podcast.fetch.hubUntil == nil)
        #expect(podcast.fetch.nextDueAt == Self.now + Self.day)
    }

    @Test func `the next episode is asked for soon after its time`() {
        // Published every Wednesday at 13:00, an hour from now.
        let interval = Self.interval(Self.feed(ago: (1..<10).map { Int64($0) * 7 * Self.day - Self.hour }))
        #expect((Self.hour - 10 * Self.minute...Self.hour + 10 * Self.minute).contains(interval))
    }

    @Test func `a late episode is asked for often at first`() {
        let interval = Self.interval(Self.feed(ago: (1..<6).map { Int64($0) * 7 * Self.day + 20 * Self.minute }))
        #expect((15 * Self.minute...20 * Self.minute).contains(interval))
    }

    @Test(arguments: [[], [1], [0, 60, 120], [3_000 * day], [-5 * day], [1, 1 + 90 * day, 1 + 400 * day]] as [[Int64]])
    func `what is learned stays in its bounds`(ago: [Int64]) {
        let interval = Self.interval(Self.feed(ago: ago))
        #expect((Schedule.minInterval...Schedule.maxInterval).contains(interval))
    }

    @Test func `podcasts of one rhythm are spread over time`() {
        let intervals = Set((0..<50).map { Self.interval(Self.feed(ago: Self.daily), url: "https://example.com/\($0)") })
        #expect(intervals.count > 20)
        #expect(Self.interval(Self.feed(ago: Self.daily)) == Self.interval(Self.feed(ago: Self.daily)))
    }

    // MARK: Floors

    @Test func `floors of the feed count`() {
        #expect(Self.interval(Self.feed(ago: Self.daily) { $0.ttlMinutes = 600 }) == 10 * Self.hour)
        #expect(
            Self.interval(
                Self.feed(ago: Self.daily) {
                    $0.updatePeriod = "daily"; $0.updateFrequency = 2
                }) == 12 * Self.hour)
        #expect(Self.interval(Self.feed(ago: Self.daily) { $0.ttlMinutes = 1 }) == Self.interval(Self.feed(ago: Self.daily)))
    }

    @Test func `floors of the headers count`() {
        let feed = Self.feed(ago: Self.daily)
        #expect(Self.interval(feed, headers: { $0.cacheControl = "public, max-age=\"36000\"" }) == 10 * Self.hour)
        #expect(
            Self.interval(
                feed,
                headers: {
                    $0.cacheControl = "max-age=36000"; $0.age = "3600"
                }) == 9 * Self.hour)
        #expect(Self.interval(feed, headers: { $0.expires = "Wed, 04 Mar 2026 22:00:00 GMT" }) == 10 * Self.hour)
        // The server's clock is an hour slow.
        #expect(
            Self.interval(
                feed,
                headers: {
                    $0.date = "Wed, 04 Mar 2026 11:00:00 GMT"
                    $0.expires = "Wed, 04 Mar 2026 21:00:00 GMT"
                }) == 10 * Self.hour)
        #expect(
            Self.interval(
                feed,
                headers: {
                    $0.cacheControl = "max-age=60"; $0.expires = "Thu, 05 Mar 2026 22:00:00 GMT"
                })
                == Self.interval(feed))
    }

    @Test(arguments: ["max-age=-1", "max-age=x", "max-age=", "no-cache, max-age=36000", "max-age=0", "s-maxage=36000"])
    func `headers that say nothing leave the rest`(control: String) {
        #expect(
            Self.interval(Self.feed(ago: Self.daily), headers: { $0.cacheControl = control })
                == Self.interval(Self.feed(ago: Self.daily))
        )
    }

    @Test func `no floor counts for more than a week`() {
        #expect(Self.interval(Self.feed(ago: Self.daily) { $0.ttlMinutes = .max }) == 7 * Self.day)
        #expect(Self.interval(Self.feed(ago: Self.daily) { $0.updatePeriod = "yearly" }) == 7 * Self.day)
    }

    @Test func `a year of freshness counts for half the usual gap`() {
        for control in ["max-age=31536000", "max-age=2592000"] {
            #expect(Self.interval(Self.feed(ago: Self.daily), headers: { $0.cacheControl = control }) == 12 * Self.hour)
        }
        #expect(
            Self.interval(Self.feed(ago: Self.daily), headers: { $0.expires = "Thu, 31 Dec 2037 23:55:55 GMT" }) == 12 * Self.hour
        )
    }

    // MARK: What the user set

    /// Seconds until the podcast is due again, under these settings.
    static func interval(_ change: (inout PodcastSettings) -> Void, headers: (inout ResponseHeaders) -> Void = { _ in }) -> (
        Int64, DueRule?
    ) {
        var podcast = podcast()
        change(&podcast.settings)
        var facts = ResponseHeaders()
        headers(&facts)
        Schedule.recordAnswer(
            &podcast, status: 200, feed: feed(ago: daily), headers: facts, outcome: "updated", milliseconds: 1, now: now)
        return ((podcast.fetch.nextDueAt ?? now) - now, podcast.fetch.dueRule)
    }

    @Test func `the user's bounds hold for what is learned`() {
        #expect(Self.interval { $0.minInterval = 12 * Self.hour } == (12 * Self.hour, .settings))
        #expect(Self.interval { $0.maxInterval = Self.hour } == (Self.hour, .settings))
        // Where they leave room, the rhythm decides.
        #expect(
            Self.interval {
                $0.minInterval = Self.hour; $0.maxInterval = 9 * Self.hour
            } == Self.interval { _ in })
        // Nobody is asked all the time, or forgotten.
        #expect(Self.interval { $0.maxInterval = 1 }.0 == Schedule.minInterval)
        #expect(Self.interval { $0.minInterval = .max }.0 == 7 * Self.day)
    }

    @Test func `the owner's longest interval wins over a server's caching`() {
        let (interval, rule) = Self.interval({ $0.maxInterval = Self.hour }, headers: { $0.cacheControl = "max-age=36000" })
        #expect(interval == Self.hour)
        #expect(rule == .settings)
    }

    @Test func `the shortest rest holds after a failure too`() {
        var podcast = Self.podcast()
        podcast.settings.minInterval = 12 * Self.hour
        Schedule.recordFailure(&podcast, FetchFailure(.timeout), now: Self.now)
        #expect(podcast.fetch.nextDueAt == Self.now + 12 * Self.hour)
    }

    @Test func `a paused podcast is fetched only when it is named`() {
        var podcast = Self.podcast()
        podcast.settings.isPaused = true
        for mode in [RefreshOptions.Mode.due, .all, .force] {
            #expect(Schedule.verdict(for: podcast, mode: mode, isNamed: false, pause: nil, now: Self.now) == .paused)
            #expect(
                Schedule.verdict(for: podcast, mode: mode, isNamed: true, pause: nil, now: Self.now)
                    == (mode == .force ? .fetch : .paused))
        }
    }

    @Test func `hours and days to skip are skipped`() {
        // The interval ends in the afternoon; the first hour that is not skipped is 20:00.
        #expect(Self.interval(Self.feed(ago: Self.daily) { $0.skipHours = Array(13...19) }) == 8 * Self.hour)
        #expect(Self.interval(Self.feed(ago: Self.daily) { $0.skipDays = ["Wednesday", "thursday"] }) == 36 * Self.hour)
    }

    @Test func `nobody means to skip all hours or days`() {
        let interval = Self.interval(Self.feed(ago: Self.daily))
        #expect(Self.interval(Self.feed(ago: Self.daily) { $0.skipHours = Array(0...23) }) == interval)
        #expect(
            Self.interval(
                Self.feed(ago: Self.daily) {
                    $0.skipDays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
                }) == interval)
    }

    // MARK: Failures

    private func failed(_ times: Int, _ failure: FetchFailure = FetchFailure(.timeout)) -> Podcast {
        var podcast = Self.podcast()
        for _ in 0..<times { Schedule.recordFailure(&podcast, failure, now: Self.now) }
        return podcast
    }

    @Test func `failures back off up to a day`() {
        let waits = (1...12).map { (failed($0).fetch.nextDueAt ?? Self.now) - Self.now }
        #expect((25 * Self.minute...30 * Self.minute).contains(waits[0]))
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(waits[3] > 7 * waits[0])
        #expect(waits.allSatisfy { $0 <= Self.day })
    }

    @Test func `an answer ends the failures`() {
        var podcast = failed(5, FetchFailure(.http, status: 410))
        #expect(podcast.fetch.isGone)
        #expect(podcast.fetch.failure?.count == 5)
        Schedule.recordAnswer(
            &podcast, status: 304, feed: nil, headers: ResponseHeaders(), outcome: "notModified", milliseconds: 1, now: Self.now)
        #expect(podcast.fetch.failure == nil)
        #expect(!podcast.fetch.isGone)
    }

    private static func limited(_ value: String, status: Int = 429) -> FetchFailure {
        var headers = ResponseHeaders()
        headers.retryAfter = value
        return FetchFailure(.http, status: status, headers: headers)
    }

    @Test(
        arguments: [
            ("120", 120), (" 3600 ", 3_600), ("Wed, 04 Mar 2026 13:00:00 GMT", 3_600), ("99999999999999999999", 32 * day),
            ("Wed, 04 Mar 2099 13:00:00 GMT", 32 * day),
        ] as [(String, Int64)])
    func `Retry-After is heard`(value: String, seconds: Int64) {
        for status in [429, 503] {
            #expect(Schedule.retryAfter(Self.limited(value, status: status), now: Self.now) == Self.now + seconds)
        }
    }

    @Test(arguments: ["-5", "0", "soon", "", "1.5", "Wed, 04 Mar 2020 13:00:00 GMT", "12 hours"])
    func `a Retry-After that makes no sense is ignored`(value: String) {
        #expect(Schedule.retryAfter(Self.limited(value), now: Self.now) == nil)
    }

    @Test func `Retry-After of any other answer is ignored`() {
        #expect(Schedule.retryAfter(Self.limited("120", status: 500), now: Self.now) == nil)
    }

    // MARK: Verdicts

    private func verdict(
        _ podcast: Podcast, _ mode: RefreshOptions.Mode = .due, named: Bool = false, pause: Timestamp? = nil,
        after seconds: Int64 = 0
    ) -> Schedule.Verdict {
        Schedule.verdict(for: podcast, mode: mode, isNamed: named, pause: pause, now: Self.now + seconds)
    }

    @Test func `a podcast is fetched when it is due`() {
        var podcast = Self.podcast()
        #expect(verdict(podcast) == .fetch)
        podcast.fetch.nextDueAt = Self.now + Self.hour
        #expect(verdict(podcast) == .wait(until: Self.now + Self.hour))
        #expect(verdict(podcast, .all) == .fetch)
        #expect(verdict(podcast, after: Self.hour) == .fetch)
        // Cron's tick comes a minute before.
        #expect(verdict(podcast, after: Self.hour - 60) == .fetch)
    }

    @Test func `what the server forbids only a named force passes`() {
        var podcast = Self.podcast()
        podcast.fetch.retryAfter = Self.now + Self.hour
        #expect(verdict(podcast, .all) == .wait(until: Self.now + Self.hour))
        #expect(verdict(podcast, .all, named: true) == .wait(until: Self.now + Self.hour))
        #expect(verdict(podcast, .force) == .wait(until: Self.now + Self.hour))
        #expect(verdict(podcast, .force, named: true) == .fetch)
        #expect(verdict(podcast, .all, after: Self.hour) == .fetch)
        podcast.fetch.isGone = true
        #expect(verdict(podcast, .force) == .gone)
        #expect(verdict(podcast, .force, named: true) == .fetch)
    }

    @Test func `a pause is the whole host's`() {
        #expect(verdict(Self.podcast(), .all, pause: Self.now + 60) == .wait(until: Self.now + 60))
        #expect(verdict(Self.podcast(), .all, pause: Self.now - 60) == .fetch)
    }

    @Test func `a clock that jumped holds nothing up`() {
        var podcast = Self.podcast()
        podcast.fetch.nextDueAt = Self.now + 400 * Self.day
        #expect(verdict(podcast) == .fetch)
        podcast.fetch.nextDueAt = nil
        podcast.fetch.retryAfter = Self.now + 20 * Self.day
        #expect(verdict(podcast) == .wait(until: Self.now + 20 * Self.day))
        // It was written in what is now the future.
        podcast.fetch.lastAttemptAt = Self.now + 19 * Self.day
        #expect(verdict(podcast) == .fetch)
        podcast.fetch.retryAfter = Self.now + 400 * Self.day
        podcast.fetch.lastAttemptAt = nil
        #expect(verdict(podcast) == .fetch)
    }

    // MARK: Whole runs

    @Test func `a run that reached nothing was offline`() {
        let dns = FetchFailure(.dns)
        #expect(Schedule.wasOffline(failures: [dns, FetchFailure(.connect)], answers: 0))
        #expect(Schedule.wasOffline(failures: [dns, FetchFailure(.timeout)], answers: 0))
        #expect(!Schedule.wasOffline(failures: [FetchFailure(.timeout), FetchFailure(.timeout)], answers: 0))
        #expect(!Schedule.wasOffline(failures: [dns, dns], answers: 1))
        #expect(!Schedule.wasOffline(failures: [dns], answers: 0))
        #expect(!Schedule.wasOffline(failures: [dns, FetchFailure(.http, status: 500)], answers: 0))
    }

    @Test func `a 304 is doubted now and then when an episode is long due`() {
        var state = FetchState()
        state.cadence.recent = (0..<5).map { Self.now - (10 + Int64($0)) * Self.day }
        let doubts = (0...16).filter {
            state.notModifiedInARow = $0
            return Schedule.doubtsNotModified(state, now: Self.now)
        }
        #expect(doubts == [4, 8, 16])
        state.cadence.recent = (0..<5).map { Self.now - (1 + Int64($0)) * Self.day }
        #expect(!Schedule.doubtsNotModified(state, now: Self.now))
    }
}
