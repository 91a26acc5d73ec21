/// How a subscription is doing, in one word, so that its owner knows what to look at.
public enum Health: String, Sendable, CaseIterable {
    /// Answers as it should.
    case fine
    /// The user paused it.
    case paused
    /// Subscribed with `--no-fetch`, and not fetched since.
    case unfetched
    /// Its last fetch failed, but not for long.
    case failing
    /// It has failed for weeks, or said 410: it will hardly come back by itself.
    case dead
    /// Asks for a user and a password, or refuses those it was given.
    case needsPassword
    /// Answers with something that is no feed.
    case malformed
    /// Answers, but takes long.
    case slow
    /// Moved lately.
    case moved
    /// Answers, but has published nothing for a long time.
    case dormant

    static let day: Int64 = 86_400
    /// A server that failed so long is given up by most.
    static let deadAfter = 21 * day
    /// Half a year of silence, or ten times the usual gap between episodes where that is longer.
    static let dormantAfter = 180 * day
    static let slowAfter = 10_000
    /// How long a move is worth telling.
    static let movedFor = 14 * day

    public init(of podcast: Podcast, now: Timestamp) {
        let state = podcast.fetch
        if podcast.settings.isPaused {
            self = .paused
        } else if state.isGone {
            self = .dead
        } else if let failure = state.failure {
            switch failure.code {
            case _ where failure.status == 401 || failure.status == 403: self = .needsPassword
            case .notAFeed: self = .malformed
            default: self = now - failure.since > Health.deadAfter ? .dead : .failing
            }
        } else if state.lastSuccessAt == nil {
            self = .unfetched
        } else if let move = state.moves.first, now - move.at < Health.movedFor {
            self = .moved
        } else if Health.isSlow(state) {
            self = .slow
        } else if let latest = podcast.latestEpisodeAt,
            now - latest > max(Health.dormantAfter, 10 * (state.cadence.gap ?? 0))
        {
            self = .dormant
        } else {
            self = .fine
        }
    }

    /// Whether its owner should do something.
    public var needsAttention: Bool {
        switch self {
        case .failing, .dead, .needsPassword, .malformed: true
        case .fine, .paused, .unfetched, .slow, .moved, .dormant: false
        }
    }

    /// The middle one of its last answers took long.
    private static func isSlow(_ state: FetchState) -> Bool {
        let times = state.answers.prefix(5).filter { $0.status != nil }.map(\.milliseconds).sorted()
        return times.count >= 2 && times[times.count / 2] >= slowAfter
    }
}
