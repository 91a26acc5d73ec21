import Synchronization

/// The memory that one run may hold between the network and the index, approximately.
///
/// Bytes are added once a response has arrived, since its size is unknown before. Transfers in progress can therefore
/// exceed the budget.
final class ByteBudget: Sendable {
    private struct State {
        var held = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(_ limit: Int) { self.limit = limit }

    func add(_ bytes: Int) {
        guard bytes != 0 else { return }
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.held += bytes
            guard state.held < limit else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        waiters.forEach { $0.resume() }
    }

    func release(_ bytes: Int) { add(-bytes) }

    /// Waits while the budget is spent.
    func waitForRoom() async {
        guard state.withLock({ $0.held >= limit }) else { return }
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.held < limit { return true }
                state.waiters.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }
}
