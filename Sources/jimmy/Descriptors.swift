import Glibc

/// The file descriptors that this process may still open.
enum Descriptors {
    /// What a command that waits for servers needs. If none are left, Swift's thread pool ends the process and libcurl waits
    /// forever.
    private static let needed = 24

    /// The system's error if there are too few.
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

    /// Makes Swift's thread pool open what it needs for sleeping now, before connections take all descriptors.
    static func reserveTimers() async { try? await Task.sleep(for: .nanoseconds(1)) }

    /// How many feeds may be fetched at once: each needs a descriptor for its connection, beside those for everything else
    /// and those that are open already, some of which may be inherited.
    static var roomForConnections: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1 }
        let total = Int(clamping: limit.rlim_cur)
        // Beyond some thousands the few that are open do not matter.
        let open = total > 4_096 ? 0 : (0..<Int32(total)).count { fcntl($0, F_GETFD) >= 0 }
        return max(1, total - needed - open)
    }
}
