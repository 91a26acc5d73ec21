import Domain
import Synchronization

/// The memory that one run may hold between the network and the index, approximately.
///
/// A body counts from its first bytes on. While the budget is spent, no further feed is requested, and no further body is
/// read. A body that was begun is read to its end. Unfinished bodies can spend only half of the budget, so that slow
/// servers do not hold up the others.
final class ByteBudget: Sendable {
    private struct State {
        /// Bytes of unfinished bodies.
        var arriving = 0
        /// Bytes of responses that were read.
        var held = 0
        var waiters: [CheckedContinuation<Void, Never>] = []

        func hasRoom(_ limit: Int) -> Bool { held + min(arriving, limit / 2) < limit }
    }

    private let limit: Int
    private let state = Mutex(State())

    init(_ limit: Int) { self.limit = limit }

    func add(_ bytes: Int) { change { $0.held += bytes } }

    func release(_ bytes: Int) { add(-bytes) }

    /// - Parameter bytes: of a body that is being read; negative once it has ended.
    func arrived(_ bytes: Int) { change { $0.arriving += bytes } }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            body(&state)
            guard state.hasRoom(limit) else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        waiters.forEach { $0.resume() }
    }

    /// Waits while the budget is spent.
    func waitForRoom() async {
        // The first tasks to be woken may spend it again.
        while !state.withLock({ $0.hasRoom(limit) }) {
            await withCheckedContinuation { continuation in
                let hasRoom = state.withLock { state in
                    if state.hasRoom(limit) { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if hasRoom { continuation.resume() }
            }
        }
    }
}
