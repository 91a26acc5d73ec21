import Domain

/// The progress of one playing, from what its player reports.
struct Playback: Equatable, Sendable {
    /// Seconds into the episode.
    private(set) var seconds: Double
    /// Seconds; nil if neither the player nor the feed says.
    private(set) var duration: Double?
    /// Seconds of the episode that were heard. What was skipped does not count.
    private(set) var heard = 0.0
    private var lastReportAt: Double?
    private var lastSpeed = 1.0
    private var lastAdvanceAt: Double?

    /// - Parameters:
    ///   - start: seconds into the episode.
    ///   - duration: seconds, as the feed says; the player knows better.
    init(from start: Double, duration: Double? = nil) {
        seconds = start
        self.duration = duration.flatMap { $0 > 0 ? $0 : nil }
    }

    /// - Parameter time: seconds on a clock that only goes forward.
    mutating func note(_ report: PlayerReport, at time: Double) {
        let advanced = report.seconds - seconds
        // A larger step is a jump within the episode. Players report in steps of up to a second.
        if let lastReportAt, advanced > 0, advanced <= (time - lastReportAt) * max(report.speed, 1) + 1.5 { heard += advanced }
        if advanced != 0 || lastAdvanceAt == nil { lastAdvanceAt = time }
        lastSpeed = report.speed
        seconds = max(report.seconds, 0)
        if let reported = report.duration, reported > 0 { duration = reported }
        lastReportAt = time
    }

    /// The speed at which it plays; nil if it stands still. A player that reports whole seconds does not for less.
    var speed: Double? {
        guard let lastReportAt, let lastAdvanceAt, lastSpeed > 0 else { return nil }
        return lastReportAt - lastAdvanceAt < 1 / lastSpeed + 0.5 ? lastSpeed : nil
    }

    enum Ending: Equatable, Sendable {
        /// Heard to the end, or so near to it that nobody goes on.
        case played
        case stopped
        /// Nothing was heard, and nothing changes.
        case failed
    }

    /// - Parameters:
    ///   - within: seconds before the end from which on an episode counts as played, at most a twentieth of its length.
    ///   - outro: seconds at the end that are not played.
    func ending(_ outcome: PlayerOutcome, playedWithin within: Double, outro: Double = 0) -> Ending {
        if outcome.exit == .ended(0), outcome.isAtEnd, lastReportAt == nil || duration == nil { return .played }
        guard lastReportAt != nil else { return .failed }
        // A program that was not followed may have run without playing.
        let hasFailed = outcome.exit != .ended(0) && !outcome.isKilled && !outcome.isInterrupted
        if !outcome.isFollowed, hasFailed { return .failed }
        guard let duration else { return .stopped }
        let missing = duration - outro - seconds
        // What players say about the length of a compressed file may be a little wrong.
        return missing <= min(within, duration / 20) || outcome.isAtEnd && missing <= max(within, duration / 20)
            ? .played : .stopped
    }
}

extension PlayerOutcome {
    /// True if a signal ended the player.
    fileprivate var isKilled: Bool { if case .ended(let status) = exit { status > 128 } else { false } }
}
