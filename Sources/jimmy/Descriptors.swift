import Glibc

/// The file descriptors that this process may still open.
enum Descriptors {
    /// What a command needs that waits for servers. Where there are none left, Swift's thread pool ends the process and
    /// libcurl waits without end.
    private static let needed = 24

    /// The system's error where there are too few.
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

    /// Has Swift's thread pool open now what it needs to sleep: later the feeds' connections may have taken all there is.
    static func reserveTimers() async { try? await Task.sleep(for: .nanoseconds(1)) }

    /// How many feeds may be fetched at once: each takes a connection, and what else is opened needs its place. Without
    /// any left, Swift's thread pool ends the process.
    static var roomForConnections: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1 }
        return max(1, Int(clamping: limit.rlim_cur) - needed - 4)
    }
}
