public import Domain

extension Health {
    static let day: Int64 = 86_400
    /// Seconds of failure after which most programs give up on a server.
    public static let deadAfter = 21 * day
    /// Half a year of silence, or ten times the usual gap between episodes if that is longer.
    static let dormantAfter = 180 * day
    static let slowAfter = 10_000
    /// Seconds for which a move is reported.
    static let movedFor = 14 * day

    public init(of podcast: Podcast, now: Timestamp) { self.init(of: HealthFacts(podcast), now: now) }

    public init(of facts: HealthFacts, now: Timestamp) {
        if facts.isPaused {
            self = .paused
        } else if facts.isGone {
            self = .dead
        } else if let failingSince = facts.failingSince {
            switch facts.failure {
            case .login: self = .needsPassword
            case .notAFeed: self = .malformed
            case .other: self = now - failingSince > Health.deadAfter ? .dead : .failing
            }
        } else if !facts.hasSucceeded {
            self = .unfetched
        } else if let movedAt = facts.movedAt, now - movedAt < Health.movedFor {
            self = .moved
        } else if facts.isSlow {
            self = .slow
        } else if let latest = facts.latestEpisodeAt, now - latest > facts.dormantAfter {
            self = .dormant
        } else {
            self = .fine
        }
    }
}

/// The facts that decide a podcast's health; small enough to be held in memory for all podcasts.
public struct HealthFacts: Equatable, Sendable {
    public enum Failure: Int, Sendable {
        case other, login, notAFeed
    }

    public var isPaused = false
    public var isGone = false
    public var failingSince: Timestamp?
    public var failure = Failure.other
    public var hasSucceeded = false
    public var movedAt: Timestamp?
    public var isSlow = false
    public var latestEpisodeAt: Timestamp?
    /// Seconds of silence after which the podcast counts as dormant.
    public var dormantAfter: Int64 = 0

    public init() {}

    public init(_ podcast: Podcast) {
        let state = podcast.fetch
        isPaused = podcast.settings.isPaused
        isGone = state.isGone
        failingSince = state.failure?.since
        if let failure = state.failure {
            // Without a user and a password, a 403 refuses the program.
            let isLogin = failure.status == 401 || failure.status == 403 && podcast.credentials != nil
            self.failure = isLogin ? .login : failure.code == .notAFeed ? .notAFeed : .other
        }
        hasSucceeded = state.lastSuccessAt != nil
        movedAt = state.moves.first?.at
        isSlow = Self.isSlow(state)
        latestEpisodeAt = podcast.latestEpisodeAt
        dormantAfter = max(Health.dormantAfter, 10 * (state.cadence.gap ?? 0))
    }

    var isFailing: Bool { failingSince != nil || isGone }

    /// The times at which the health may change without a new answer.
    public var turningPoints: [Timestamp] {
        [
            failingSince.map { $0 + (Health.deadAfter + 1) }, movedAt.map { $0 + Health.movedFor },
            latestEpisodeAt.map { $0 + (dormantAfter + 1) },
        ].compactMap { $0 }
    }

    /// True if the median of the last answers was slow.
    private static func isSlow(_ state: FetchState) -> Bool {
        let times = state.answers.prefix(5).filter { $0.status != nil }.map(\.milliseconds).sorted()
        return times.count >= 2 && times[times.count / 2] >= Health.slowAfter
    }
}
