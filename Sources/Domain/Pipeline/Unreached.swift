/// Failures to reach a server, held back while this machine may be offline: then nobody has failed.
struct Unreached<Result: Sendable>: Sendable {
    private var held: [(result: Result, failure: FetchFailure)] = []

    /// - Returns: the results that count by now.
    mutating func admit(_ result: Result, _ failure: FetchFailure?, reachedAnyone: Bool) -> [Result] {
        if let failure, failure.isUnreachable, !reachedAnyone {
            held.append((result, failure))
            return []
        }
        guard reachedAnyone, !held.isEmpty else { return [result] }
        defer { held = [] }
        return held.map(\.result) + [result]
    }

    /// The run has ended.
    ///
    /// - Returns: the results that are still held back, and true if this machine was offline.
    mutating func finish(reachedAnyone: Bool) -> (results: [Result], wasOffline: Bool) {
        defer { held = [] }
        return (held.map(\.result), !reachedAnyone && Schedule.wasOffline(failures: held.map(\.failure), answers: 0))
    }
}
