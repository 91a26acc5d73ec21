import Composition
import Glibc

/// Runs other programs: shell commands with a text on their standard input, and players.
enum Child {
    /// The exit status, or 128 and the signal as shells report it; nil if the command could not be started.
    static func run(_ command: String, input: [UInt8], environment: [String: String] = [:]) -> Int32? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        for (name, value) in environment { setenv(name, value, 1) }
        guard let process = start(command, input: ends[0]) else {
            ends.forEach { close($0) }
            return nil
        }
        close(ends[0])
        _ = writeAll(input, to: ends[1])
        close(ends[1])
        return wait(for: process)
    }

    enum Outcome {
        case ended(Int32)
        case notStarted(errno: Int32)
    }

    /// Runs a program without a shell, on jimmy's own terminal.
    static func run(_ words: [String]) -> Outcome {
        var process = pid_t()
        let number = start(words, actions: nil, &process)
        guard number == 0, let status = wait(for: process) else { return .notStarted(errno: number == 0 ? errno : number) }
        return .ended(status)
    }

    /// Whether `$PATH` has a program of this name.
    static func isInstalled(_ program: String) -> Bool {
        let folders = (Environment.variable("PATH") ?? "/usr/bin:/bin").split(separator: ":", omittingEmptySubsequences: false)
        return folders.contains { access("\($0.isEmpty ? "." : $0)/\(program)", X_OK) == 0 }
    }

    private static func wait(for process: pid_t) -> Int32? {
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 {
            guard errno == EINTR else { return nil }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    private static func start(_ command: String, input: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        var process = pid_t()
        return start(["/bin/sh", "-c", command], actions: &actions, &process) == 0 ? process : nil
    }

    /// Resets the signals that jimmy ignores or blocks. Returns the system's error, or 0.
    private static func start(
        _ words: [String], actions: UnsafePointer<posix_spawn_file_actions_t>?, _ process: inout pid_t
    ) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var usual = none
        for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&usual, number) }
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        return posix_spawnp(&process, words[0], actions, &attributes, argv, environ)
    }
}
