import Glibc

/// The file descriptors that this process may still open.
enum Descriptors {
    /// Number of descriptors that a command needs to wait for servers. If none are left, Swift's thread pool aborts the
    /// process and libcurl waits forever.
    private static let needed = 24

    /// The system's error if too few descriptors are left; nil otherwise.
    static var shortage: Int32? {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        while opened.count < needed {
            let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { return errno }
            opened.append(descriptor)
        }
        return nil
    }

    /// Makes Swift's thread pool open its timer descriptors now, before connections take all of them.
    static func reserveTimers() async { try? await Task.sleep(for: .nanoseconds(1)) }

    /// The number of feeds that can be fetched at once. Each needs a descriptor for its connection, in addition to
    /// `needed` and those that are already open, some of which may be inherited.
    static var roomForConnections: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1 }
        let total = Int(clamping: limit.rlim_cur)
        // Above some thousands, the few open ones do not matter.
        let open = total > 4_096 ? 0 : (0..<Int32(total)).count { fcntl($0, F_GETFD) >= 0 }
        return max(1, total - needed - open)
    }
}
