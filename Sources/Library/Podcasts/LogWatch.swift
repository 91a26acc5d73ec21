import Synchronization

/// Tells whether anyone but this process has written to the log of podcasts since a run began. A look at the file's status
/// is enough: the log grows with each change, or another file takes its place.
final class LogWatch: Sendable {
    /// The log as it was when the run began, or as this process left it; nil once somebody else has written to it.
    private let known = Mutex<Disk.Status?>(nil)

    func begin(_ disk: Disk) {
        let status = (try? disk.status(PodcastTable.logName)) ?? nil
        known.withLock { $0 = status }
    }

    func noteOwn(from before: Disk.Status?, to after: Disk.Status?) {
        known.withLock { $0 = $0 == before ? after : nil }
    }

    func isOutdated(_ disk: Disk) -> Bool {
        guard let known = known.withLock(\.self) else { return true }
        return (try? disk.status(PodcastTable.logName)) != known
    }
}
