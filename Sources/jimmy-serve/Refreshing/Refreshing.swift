import CProcess
import Composition
import Domain
import Glibc
import ServiceLifecycle
import Synchronization

/// `--refresh`: fetches what is due every quarter of an hour, until the server stops.
struct Refreshing: Service {
    let site: Site
    private static let interval = Duration.seconds(900)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await site.refresh()
                try await Task.sleep(for: Self.interval)
            }
        }
    }
}

extension Site {
    /// Runs `jimmy refresh`, the command beside this program: its hooks, transcripts and downloads are those of cron's runs,
    /// and its memory is its own. What it cannot do it says on standard error.
    func refresh(_ arguments: String...) async {
        refreshes.add(1, ordering: .relaxed)
        defer { refreshes.subtract(1, ordering: .relaxed) }
        let command = [OwnProgram.command, "refresh", "--quiet", "--library", composition.path] + arguments
        _ = await onThread { OwnProgram.run(command) }
    }

    /// The same, while the page goes on.
    func refreshSoon() {
        guard !isRefreshing else { return }
        Task { await refresh() }
    }

    var isRefreshing: Bool { refreshes.load(ordering: .relaxed) > 0 }
}

/// The command that this program belongs to.
enum OwnProgram {
    static let command: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer[..<max(length, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex) + "/jimmy"
    }()

    /// Its results go nowhere. The exit status; nil if it could not be started.
    static func run(_ words: [String]) -> Int32? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        close_others_in_child(&actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, usual) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&usual)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var process = pid_t()
        let argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        guard posix_spawnp(&process, words[0], &actions, &attributes, argv, environ) == 0 else { return nil }
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 { guard errno == EINTR else { return nil } }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
}
