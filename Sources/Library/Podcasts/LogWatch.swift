import Synchronization

/// Tells whether anyone but this process has written to the log of podcasts since a run began. A look at the file's status
/// is enough: the log grows with each change, or another file takes its place.
final class LogWatch: Sendable {
    /// The log as it was when the run began, or as this process left it; nil once somebody else has written to it.
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
