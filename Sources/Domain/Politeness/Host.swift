/// What one host was sent and what it asked for, in one run. Plain rules: time is passed in.
struct Host: Sendable {
    /// May the host be asked?
    enum Standing: Equatable, Sendable {
        case open
        /// It asked for a pause.
        case paused(until: Timestamp)
        /// It was unreachable several times in a row; the last failure.
        case unreachable(FetchFailure)
    }

    /// A host that was unreachable so often in a row is left alone for the rest of the run.
    static let patience = 3

    /// Requests under way.
    var slotsInUse = 0
    var allowance: Allowance
    private var pausedUntil: Timestamp?
    /// A stored pause that the user insists on breaking.
    private var brokenPause: Timestamp?
    /// The pause was heard in this run, and is not stored yet.
    private(set) var hasNewPause = false
    private var unreachableInARow = 0
    private var lastFailure: FetchFailure?

    init(allowance: Allowance) { self.allowance = allowance }

    /// A pause that an earlier run heard. One that is over, or longer than any server is believed, does not count.
    mutating func recall(pauseUntil until: Timestamp, isObeyed: Bool, now: Timestamp) {
        guard until > now, until - now <= CachingHeaders.longestRetryAfter else { return }
        if isObeyed { pausedUntil = until } else { brokenPause = until }
    }

    var latestPause: Timestamp? { pausedUntil ?? brokenPause }

    func standing(now: Timestamp) -> Standing {
        if let pausedUntil, pausedUntil > now { return .paused(until: pausedUntil) }
        if unreachableInARow >= Self.patience, var failure = lastFailure {
            failure.milliseconds = 0
            return .unreachable(failure)
        }
        return .open
    }

    /// The host answered.
    mutating func answered(status: Int, _ headers: ResponseHeaders, now: Timestamp) {
        (unreachableInARow, lastFailure) = (0, nil)
        guard status == 429 || status == 503, let until = CachingHeaders.retryAfter(headers, now: now) else { return }
        pausedUntil = until
        hasNewPause = true
    }

    /// The request failed.
    mutating func failed(_ failure: FetchFailure) {
        if failure.isUnreachable {
            unreachableInARow += 1
            lastFailure = failure
        } else if !failure.isLocal {
            (unreachableInARow, lastFailure) = (0, nil)
        }
    }
}
