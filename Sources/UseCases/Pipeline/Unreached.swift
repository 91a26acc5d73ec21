import Domain
import Scheduling

/// Holds back failures to reach a server while this machine may be offline, in which case they do not count.
struct Unreached<Result: Sendable>: Sendable {
    private var held: [(result: Result, failure: FetchFailure)] = []

    /// - Returns: the results that count now: this one, and those held back before, unless it is held back too.
    mutating func admit(_ result: Result, _ failure: FetchFailure?, reachedAnyone: Bool) -> [Result] {
        if let failure, failure.isUnreachable, !reachedAnyone {
            held.append((result, failure))
            return []
        }
        guard reachedAnyone, !held.isEmpty else { return [result] }
        defer { held = [] }
        return held.map(\.result) + [result]
    }

    /// Ends the run.
    ///
    /// - Returns: the results that are still held back, and true if this machine was offline.
    mutating func finish(reachedAnyone: Bool) -> (results: [Result], wasOffline: Bool) {
        defer { held = [] }
        return (held.map(\.result), !reachedAnyone && Schedule.wasOffline(failures: held.map(\.failure), answers: 0))
    }
}
