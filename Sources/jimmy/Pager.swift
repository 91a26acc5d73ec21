import Glibc

/// Shows what is longer than the screen, as `$JIMMY_PAGER`, `$PAGER` or less do. An empty `$JIMMY_PAGER` means none.
enum Pager {
    /// False where there is no pager to be had.
    static func show(_ text: [UInt8]) -> Bool {
        let command = getenv("JIMMY_PAGER").map { String(cString: $0) } ?? Terminal.variable("PAGER") ?? "less"
        guard !command.isEmpty, command != "cat" else { return false }
        // Keep colours, leave the text on the screen, end at once where it fits after all.
        setenv("LESS", "FRX", 0)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return false }
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        guard let process = start(command, input: ends[0]) else {
            ends.forEach { close($0) }
            return false
        }
        close(ends[0])
        // Ctrl-C is the pager's while it runs.
        signal(SIGINT, SIG_IGN)
        _ = Console.write(text, to: ends[1])
        close(ends[1])
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        // 127: the shell found no such program, and nothing was shown.
        return status >> 8 & 0xFF != 127
    }

    private static func start(_ command: String, input: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let arguments = ["sh", "-c", command]
        let argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        var id = pid_t()
        return posix_spawn(&id, "/bin/sh", &actions, &attributes, argv, environ) == 0 ? id : nil
    }
}
