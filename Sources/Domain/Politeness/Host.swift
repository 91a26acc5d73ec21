/// The requests sent to one host in a run, and its answers. Pure rules; time is passed in.
package struct Host: Sendable {
    /// Whether the host may be asked.
    package enum Standing: Equatable, Sendable {
        case open
        /// It asked for a pause.
        case paused(until: Timestamp)
        /// It was unreachable several times in a row; carries the last failure.
        case unreachable(FetchFailure)
    }

    /// A host that was unreachable this often in a row is skipped for the remainder of the run.
    static let maxUnreachableInARow = 3

    /// Requests in progress.
    var slotsInUse = 0
    var allowance: Allowance
    private var pausedUntil: Timestamp?
    /// A stored pause that the user chose to override.
    private var brokenPause: Timestamp?
    /// True if the pause was received in this run and is not stored yet.
    private(set) var hasNewPause = false
    /// True if the host answered well although a stored pause said that it should not be asked.
    private(set) var hasEndedPause = false
    private var unreachableInARow = 0
    private var lastFailure: FetchFailure?

    init(allowance: Allowance) { self.allowance = allowance }

    /// Restores a pause from an earlier run, or from another. A past one, or one longer than any honoured Retry-After, is
    /// ignored. So is one that the user overrides and the host has ended since.
    mutating func restore(pauseUntil until: Timestamp, isObeyed: Bool, now: Timestamp) {
        guard until > now, until - now <= CachingHeaders.maxRetryAfter else { return }
        if isObeyed {
            pausedUntil = max(until, pausedUntil ?? until)
        } else if !hasEndedPause {
            brokenPause = until
        }
    }

    var latestPause: Timestamp? { pausedUntil ?? brokenPause }

    func standing(now: Timestamp) -> Standing {
        if let pausedUntil, pausedUntil > now { return .paused(until: pausedUntil) }
        if unreachableInARow >= Self.maxUnreachableInARow, var failure = lastFailure {
            failure.milliseconds = 0
            return .unreachable(failure)
        }
        return .open
    }

    /// The host answered.
    mutating func answered(status: Int, _ headers: ResponseHeaders, now: Timestamp) {
        (unreachableInARow, lastFailure) = (0, nil)
        if (200..<400).contains(status), brokenPause != nil { (brokenPause, hasEndedPause) = (nil, true) }
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
