import Synchronization

/// Detects whether another process has written to the log of podcasts since a run began. The file's status is enough:
/// each change makes the log longer or replaces its file.
final class LogWatch: Sendable {
    /// The status of the log when the run began or when this process last wrote it; nil once another process has
    /// written to it.
    private let ownStatus = Mutex<Disk.Status?>(nil)

    func begin(_ disk: Disk) {
        let status = (try? disk.status(PodcastTable.logName)) ?? nil
        ownStatus.withLock { $0 = status }
    }

    func noteOwn(from before: Disk.Status?, to after: Disk.Status?) {
        ownStatus.withLock { $0 = $0 == before ? after : nil }
    }

    func isOutdated(_ disk: Disk) -> Bool {
        guard let own = ownStatus.withLock(\.self) else { return true }
        return (try? disk.status(PodcastTable.logName)) != own
    }
}
