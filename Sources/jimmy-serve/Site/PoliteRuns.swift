import Composition
import Domain
import Synchronization

/// How this process treats servers. A run forgets after a minute which servers could not be reached, since the process
/// lives for months; the pauses that servers asked for outlive the runs.
final class PoliteRuns: Sendable {
    private struct State {
        var current: Politeness
        var since = ContinuousClock.now
        var pauses: [String: Timestamp] = [:]
    }

    private let lifetime: Duration
    private let begin: @Sendable () -> Politeness
    private let state: Mutex<State>

    /// - Parameters:
    ///   - lifetime: of a run.
    ///   - begin: begins a run in which no server has been asked yet.
    init(lifetime: Duration = .seconds(60), _ begin: @escaping @Sendable () -> Politeness) {
        (self.lifetime, self.begin) = (lifetime, begin)
        state = Mutex(State(current: begin()))
    }

    /// The run of fetches that nobody waits for, such as pictures.
    var current: Politeness {
        state.withLock { state in
            if ContinuousClock.now - state.since > lifetime {
                Self.learn(state.current, &state)
                state.current = begin()
                state.current.restore(pauses: state.pauses)
                state.since = .now
            }
            return state.current
        }
    }

    /// A run of its own, for what a person asks for now: earlier failures do not count, since the person may have removed
    /// their cause.
    func separately<Result>(_ body: (Politeness) async throws -> Result) async rethrows -> Result {
        let politeness = begin()
        politeness.restore(pauses: state.withLock { $0.pauses })
        defer { state.withLock { Self.learn(politeness, &$0) } }
        return try await body(politeness)
    }

    private static func learn(_ politeness: Politeness, _ state: inout State) {
        let rows = politeness.rows().compactMapValues(\.pausedUntil)
        state.pauses = state.pauses.merging(rows) { max($0, $1) }.filter { $0.value > .now }
    }
}
