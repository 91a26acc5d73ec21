internal import Synchronization
internal import Threads

/// Lets one builder rest while segments are merged: the merge takes its memory and its processor.
final class MergeRest: Sendable {
    private struct State {
        var isMerging = false
        var isResting = false
    }

    private let state = Mutex(State())
    private let isOver = Semaphore()

    func beginMerge() { state.withLock { $0.isMerging = true } }

    /// Called at the end of a merge, or to end the rest before that.
    func end() {
        let wasResting = state.withLock { state in
            defer { state = State() }
            return state.isResting
        }
        if wasResting { isOver.signal() }
    }

    /// Called by a builder that holds nothing: waits if segments are being merged, unless another builder does.
    func take() {
        let rests = state.withLock { state in
            defer { state.isResting = state.isMerging }
            return state.isMerging && !state.isResting
        }
        if rests { isOver.wait() }
    }
}
