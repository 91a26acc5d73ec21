public import Domain

/// When a podcast is fetched again: pure arithmetic on stored facts, with `now` passed in.
///
/// Each answer sets the next time (`recordAnswer`, `recordFailure`), which is stored with the podcast; a run only
/// compares it with the clock (`verdict`). A time implausibly far away was written by a clock that has jumped, and is
/// ignored.
public enum Schedule {
    static let minute: Int64 = 60
    package static let hour: Int64 = 3_600
    package static let day: Int64 = 86_400

    /// The bounds of learned intervals.
    public static let minInterval = 15 * minute
    public static let maxInterval = day
    /// The shortest wait where an episode is expected.
    static let minWait = 5 * minute
    /// The longest interval that a server or a feed can demand.
    static let maxFloor = 7 * day
    /// A podcast due within this time is fetched now: its interval began when the last answer arrived, so it ends a
    /// little after cron's tick.
    public static let tolerance = 2 * minute
    /// A time further away was written by a clock that has jumped.
    static let maxTrusted = 8 * day
    /// Number of answers and moves stored for `explain`.
    static let answersLimit = 20
    static let movesLimit = 20

    // MARK: May it be fetched now?

    public enum Verdict: Equatable, Sendable {
        case fetch
        /// Not due, or the server said Retry-After.
        case wait(until: Timestamp)
        /// The server said 410.
        case gone
        /// The user paused it.
        case paused
    }

    /// - Parameters:
    ///   - isNamed: the user named this podcast.
    ///   - pause: until when its host asked to be left alone (`WorkSource.pauses`).
    public static func verdict(
        for podcast: Podcast, mode: RefreshOptions.Mode, isNamed: Bool, pause: Timestamp?, now: Timestamp
    ) -> Verdict {
        verdict(for: DueFacts(podcast), mode: mode, isNamed: isNamed, pause: pause, now: now)
    }

    public static func verdict(
        for facts: DueFacts, mode: RefreshOptions.Mode, isNamed: Bool, pause: Timestamp?, now: Timestamp
    ) -> Verdict {
        if mode == .force, isNamed { return .fetch }
        if facts.isPaused { return .paused }
        if facts.isGone { return .gone }
        // A last attempt in the future means that the clock was set back, so earlier times are doubtful.
        let clockWentBack = (facts.lastAttemptAt ?? now) > now
        let trusted = clockWentBack ? maxTrusted : CachingHeaders.maxRetryAfter
        let pauses = [facts.retryAfter, pause].compactMap { $0 }.filter { $0 > now && $0 - now <= trusted }
        if let until = pauses.max() { return .wait(until: until) }
        guard mode == .due, let due = facts.nextDueAt, due - now <= maxTrusted, due - now > tolerance else {
            return .fetch
        }
        return .wait(until: due)
    }

    /// The facts that decide whether a podcast is due; small enough to be held in memory for all podcasts.
    public struct DueFacts: Equatable, Sendable {
        public var isPaused = false
        public var isGone = false
        public var lastAttemptAt: Timestamp?
        public var retryAfter: Timestamp?
        public var nextDueAt: Timestamp?

        public init() {}

        public init(_ podcast: Podcast) {
            isPaused = podcast.settings.isPaused
            isGone = podcast.fetch.isGone
            lastAttemptAt = podcast.fetch.lastAttemptAt
            retryAfter = podcast.fetch.retryAfter
            nextDueAt = podcast.fetch.nextDueAt
        }
    }

    // MARK: What an answer changes

    /// Records a 200 with a feed (`feed`), the same bytes again, or a 304 (`feed` is nil), and sets the next time.
    public static func recordAnswer(
        _ podcast: inout Podcast, status: Int, feed: ParsedFeed?, headers: ResponseHeaders, outcome: String,
        milliseconds: Int, now: Timestamp
    ) {
        if let feed {
            podcast.fetch.cadence = Cadence(
                of: feed, earlier: podcast.fetch.cadence, lookedAt: podcast.fetch.lastSuccessAt, now: now)
        }
        let spread = Spread(of: podcast.id)
        plan(&podcast, spread, now: now)
        podcast.fetch.notModifiedInARow = status == 304 ? podcast.fetch.notModifiedInARow + 1 : 0
        podcast.fetch.lastSuccessAt = now
        podcast.fetch.failure = nil
        podcast.fetch.retryAfter = nil
        podcast.fetch.isGone = false
        let next = due(podcast, spread, headers: headers, now: now)
        podcast.fetch.nextDueAt = next.at
        podcast.fetch.dueRule = next.rule
        podcast.fetch.record(FetchAnswer(at: now, status: status, outcome: outcome, milliseconds: milliseconds))
    }

    /// Records a failure: backs off, and stores Retry-After and 410.
    public static func recordFailure(_ podcast: inout Podcast, _ failure: FetchFailure, now: Timestamp) {
        let before = podcast.fetch.failure
        let count = (before?.count ?? 0) + 1
        podcast.fetch.failure = FetchFailureState(
            since: before?.since ?? now, count: count, code: failure.code, status: failure.status, detail: failure.detail)
        podcast.fetch.nextDueAt = now + max(backoff(failures: count, id: podcast.id), podcast.settings.floor)
        podcast.fetch.dueRule = .backoff
        podcast.fetch.retryAfter = retryAfter(failure, now: now)
        if let until = podcast.fetch.retryAfter, let due = podcast.fetch.nextDueAt, until > due {
            podcast.fetch.nextDueAt = min(until, now + maxTrusted)
            podcast.fetch.dueRule = .retryAfter
        }
        if failure.status == 410 {
            podcast.fetch.isGone = true
            podcast.fetch.nextDueAt = nil
            podcast.fetch.dueRule = nil
        }
        podcast.fetch.record(
            FetchAnswer(
                at: now, status: failure.status, outcome: failure.code.rawValue, milliseconds: failure.milliseconds))
    }

    /// The end of the pause that the server asks for, for all its podcasts: Retry-After of a 429 or 503.
    public static func retryAfter(_ failure: FetchFailure, now: Timestamp) -> Timestamp? {
        failure.status == 429 || failure.status == 503 ? CachingHeaders.retryAfter(failure.headers, now: now) : nil
    }

    /// True if a run reached no server at all: then this machine was offline, and no failure counts.
    ///
    /// One failure is not enough, since one dead server is an ordinary failure. Nor are timeouts alone: servers that
    /// accept a connection and then send nothing are reachable.
    public static func wasOffline(failures: [FetchFailure], answers: Int) -> Bool {
        answers == 0 && failures.count > 1
            && failures.allSatisfy(\.isUnreachable) && failures.contains { $0.code != .timeout }
    }

    /// True if the validators should be left out because the 304s are doubtful: by the publisher's rhythm an episode is
    /// long overdue. Checked at the 4th 304 in a row, the 8th, the 16th, and so on.
    public static func doubtsNotModified(_ state: FetchState, now: Timestamp) -> Bool {
        let count = state.notModifiedInARow
        guard count >= 4, count & (count - 1) == 0, let newest = state.cadence.recent.first, let gap = state.cadence.gap
        else { return false }
        return now - newest > 3 * gap
    }

    // MARK: The next time

    /// Plans the next requests by the podcast's habit, if it has one, unless some are still planned. An episode ends the plan.
    ///
    /// A podcast without a habit has no plan: then the learned interval decides. That is a day at most, also for a podcast that is
    /// silent for years, since the first episode after a pause should not be found later than others.
    private static func plan(_ podcast: inout Podcast, _ spread: Spread, now: Timestamp) {
        if let last = podcast.fetch.cadence.plan.last, last >= now + minWait, last - now <= maxTrusted { return }
        let cadence = podcast.fetch.cadence
        let habit = PublishingHabit(of: cadence.appearances, now: now)
        podcast.fetch.cadence.plan =
            habit?.plan(after: now, spread: spread.delay, looksEarly: !cadence.isShiftKnown) ?? []
    }

    private static func due(_ podcast: Podcast, _ spread: Spread, headers: ResponseHeaders, now: Timestamp) -> (
        at: Timestamp, rule: DueRule
    ) {
        let cadence = podcast.fetch.cadence
        var (interval, rule): (Int64, DueRule)
        if let planned = cadence.plan.first(where: { $0 >= now + minWait }) {
            (interval, rule) = (planned - now + spread.share * minute / 100, .habit)
        } else {
            (interval, rule) = learnedInterval(cadence, now: now)
            // Spreads podcasts over time: each shortens the interval by its own constant share.
            interval = max(minInterval, interval - interval * spread.share / 1_000)
        }
        if let until = podcast.fetch.hubUntil, until > now { (interval, rule) = (maxInterval, .hub) }
        if let ceiling = podcast.settings.ceiling, ceiling < interval { (interval, rule) = (ceiling, .settings) }
        // Freshness forbids nothing. It saves requests that would find nothing, so it counts for half the usual gap between
        // episodes at most, and not against the owner.
        let stated = CachingHeaders.freshness(headers, now: now) ?? 0
        let fresh = stated > 0 ? min(stated, (cadence.gap ?? 2 * maxInterval) / 2) : 0
        let floors = [
            (podcast.settings.floor, DueRule.settings), (cadence.floor, .feedFloor),
            (min(fresh, podcast.settings.ceiling ?? .max), .caching),
        ]
        for (floor, itsRule) in floors where min(floor, maxFloor) > interval {
            (interval, rule) = (min(floor, maxFloor), itsRule)
        }
        let allowed = firstAllowed(from: now + interval, cadence)
        return allowed > now + interval ? (min(allowed, now + maxTrusted), .skipped) : (allowed, rule)
    }

    /// Applies changed settings to the time already set.
    package static func heedBounds(_ podcast: inout Podcast) {
        guard let last = podcast.fetch.lastAttemptAt, let due = podcast.fetch.nextDueAt else { return }
        let isLearned = [.cadence, .nextEpisode, .habit, .settings, .hub, .caching].contains(podcast.fetch.dueRule)
        let latest = isLearned ? podcast.settings.ceiling.map { min(due, last + $0) } ?? due : due
        let bounded = max(latest, last + podcast.settings.floor)
        guard bounded != due else { return }
        podcast.fetch.nextDueAt = bounded
        podcast.fetch.dueRule = .settings
    }

    private static func learnedInterval(_ cadence: Cadence, now: Timestamp) -> (Int64, DueRule) {
        guard let newest = cadence.recent.first else { return (6 * hour, .cadence) }
        guard let gap = cadence.gap else { return (bounded(max(0, now - newest) / 8), .cadence) }
        return interval(gap: gap, newest: newest, now: now)
    }

    /// An eighth of the usual gap between episodes, or of the silence if that is longer. If it comes earlier, a little
    /// after the time at which the next episode is expected, and more often while that is late.
    static func interval(gap: Int64, newest: Timestamp, now: Timestamp) -> (Int64, DueRule) {
        let silence = max(0, now - newest)
        let usual = bounded(max(gap, silence) / 8)
        let expected = newest + gap
        let wait = expected > now ? expected - now + 5 * minute : bounded(now - expected)
        return wait < usual ? (bounded(wait), .nextEpisode) : (usual, .cadence)
    }

    private static func bounded(_ interval: Int64) -> Int64 { min(max(interval, minInterval), maxInterval) }

    /// Half an hour after the first failure, then twice as long each time, up to a day.
    static func backoff(failures: Int, id: PodcastID) -> Int64 {
        let wait = min(30 * minute << Int64(min(max(failures, 1) - 1, 10)), maxInterval)
        return wait - wait * Spread(of: id).share / 1_000
    }

    /// Constants of a podcast, by which requests are spread over time.
    private struct Spread {
        /// From 0 to 99, in thousandths of a wait: at most a tenth of it.
        let share: Int64
        /// One to five minutes, in seconds: how long after a usual moment it is asked, so that a host whose feeds all publish at
        /// 05:00 is not asked for all of them at once.
        let delay: Int64

        init(of id: PodcastID) {
            let hash = XXH64.hash(id.text.utf8)
            share = Int64(hash % 100)
            delay = minute + Int64(hash / 100 % UInt64(4 * minute))
        }
    }

    /// The first moment at or after `time` that skipHours and skipDays allow.
    private static func firstAllowed(from time: Timestamp, _ cadence: Cadence) -> Timestamp {
        var time = time
        for _ in 0..<(8 * 24) {
            let parts = time.parts
            guard cadence.skipHours.contains(parts.hour) || cadence.skipDays.contains(parts.weekday) else { return time }
            time = time + (hour - Int64(parts.minute * 60 + parts.second))
        }
        return time
    }
}

extension PodcastSettings {
    fileprivate var floor: Int64 { min(minInterval ?? 0, Schedule.maxFloor) }
    fileprivate var ceiling: Int64? { maxInterval.map { max($0, Schedule.minInterval) } }
}

extension FetchState {
    package mutating func record(_ move: FeedMove) {
        moves.insert(move, at: 0)
        if moves.count > Schedule.movesLimit { moves.removeLast(moves.count - Schedule.movesLimit) }
    }

    mutating func record(_ answer: FetchAnswer) {
        answers.insert(answer, at: 0)
        if answers.count > Schedule.answersLimit { answers.removeLast(answers.count - Schedule.answersLimit) }
        lastAttemptAt = answer.at
    }
}
