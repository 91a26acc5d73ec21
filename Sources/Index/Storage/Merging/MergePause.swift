internal import Synchronization
internal import Threads

/// Lets one builder pause while segments are merged: the merge takes its memory and its processor.
final class MergePause: Sendable {
    private struct State {
        var isMerging = false
        var hasPausedBuilder = false
    }

    private let state = Mutex(State())
    private let isOver = Semaphore()

    func beginMerge() { state.withLock { $0.isMerging = true } }

    /// Called at the end of a merge, or to end the pause before that.
    func end() {
        let hadPausedBuilder = state.withLock { state in
            defer { state = State() }
            return state.hasPausedBuilder
        }
        if hadPausedBuilder { isOver.signal() }
    }

    /// Called by a builder that holds little: waits if segments are being merged, unless another builder does.
    func waitIfMerging() {
        let mustWait = state.withLock { state in
            guard state.isMerging, !state.hasPausedBuilder else { return false }
            state.hasPausedBuilder = true
            return true
        }
        if mustWait { isOver.wait() }
    }
}
