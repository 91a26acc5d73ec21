import Synchronization

/// Detects whether another process has written to the log of podcasts since a run began. The file's status is enough:
/// each change makes the log longer or replaces its file.
final class LogWatch: Sendable {
    private struct State {
        /// The status of the log when the run began or when this process last wrote it; nil once another process has
        /// written to it.
        var own: Disk.Status?
        var checkedAt = ContinuousClock.now
    }

    private let state = Mutex(State())

    func begin(_ disk: Disk) {
        let status = (try? disk.status(PodcastTable.logName)) ?? nil
        state.withLock { $0 = State(own: status) }
    }

    func noteOwn(from before: Disk.Status?, to after: Disk.Status?) {
        state.withLock { $0.own = $0.own == before ? after : nil }
    }

    /// - Parameter age: the age up to which an earlier check is trusted: a refresh asks for each feed, up to ten
    ///   thousand times a second.
    func isOutdated(_ disk: Disk, trusting age: Duration = .zero) -> Bool {
        let now = ContinuousClock.now
        let (own, isTrusted) = state.withLock { ($0.own, now - $0.checkedAt < age) }
        guard let own else { return true }
        if isTrusted { return false }
        if (try? disk.status(PodcastTable.logName)) != own { return true }
        state.withLock { $0.checkedAt = now }
        return false
    }
}
