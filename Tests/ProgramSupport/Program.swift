internal import FileSystem
public import Glibc

/// How a run of the built program ended, and what it wrote.
public struct Run: Sendable {
    public var status: Int32
    public var output: String
    public var errors: String

    public var lines: [String] { output.split(separator: "\n").map(String.init) }
    public var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    /// The fields of each line, as a pipe gets them.
    public var records: [[String]] { lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) } }
}

public struct TestFailure: Error {
    public var text: String
    public init(_ text: String) { self.text = text }
}

/// The program as users have it: the built binary, run in an environment of its own.
public struct Program: Sendable {
    public var environment: [String: String]
    /// What a shell does before it becomes the program, such as `ulimit -n 30`.
    public var prelude: String?

    public init(environment: [String: String] = [:], prelude: String? = nil) {
        self.environment = environment
        self.prelude = prelude
    }

    /// The PATH of the tests. `.ci/run` sets one that finds only programs of the packages that `scripts/test` installs.
    public static let searchPath = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"

    /// The path of another program; nil if it is not installed.
    public static func find(_ name: String) -> String? {
        searchPath.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// What `JIMMY_UNDER_TEST` names, else the program beside the test bundle.
    public static let path: String = {
        if let path = getenv("JIMMY_UNDER_TEST") { return String(cString: path) }
        var buffer = [CChar](repeating: 0, count: 4_096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let bundle = String(decoding: buffer[..<max(length, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(bundle.containingFolder ?? "")/jimmy"
    }()

    /// Where standard output goes, when it is not read.
    public enum Output {
        case captured
        case file(String)
        case closed
    }

    /// Runs it in pipes and waits for its end.
    public func run(_ arguments: [String], input: String = "", output: Output = .captured) throws -> Run {
        let process = try start(arguments, output: output)
        process.send(input)
        return try process.end()
    }

    public func run(_ arguments: String..., input: String = "") throws -> Run { try run(arguments, input: input) }

    public func start(_ arguments: [String], output: Output = .captured) throws -> RunningProgram {
        let (input, out, errors) = (try Pipe(), try Pipe(), try Pipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.reading, STDIN_FILENO)
        switch output {
        case .captured: posix_spawn_file_actions_adddup2(&actions, out.writing, STDOUT_FILENO)
        case .file(let path): posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, path, O_WRONLY, 0)
        case .closed: posix_spawn_file_actions_addclose(&actions, STDOUT_FILENO)
        }
        posix_spawn_file_actions_adddup2(&actions, errors.writing, STDERR_FILENO)
        let id = try spawn(arguments, &actions, newSession: false)
        for descriptor in [input.reading, out.writing, errors.writing] { close(descriptor) }
        return RunningProgram(id: id, input: input.writing, output: out.reading, errors: errors.reading)
    }

    /// Runs it on a pseudo-terminal of that size; everything it writes there comes as `output`.
    public func onTerminal(_ arguments: String..., columns: UInt16 = 80, rows: UInt16 = 24) throws -> Run {
        try onTerminal(arguments, columns: columns, rows: rows)
    }

    /// - Parameter typing: what somebody types as soon as the screen shows a text, in order.
    public func onTerminal(
        _ arguments: [String], columns: UInt16 = 80, rows: UInt16 = 24, typing: [(after: String, keys: String)] = []
    ) throws -> Run {
        let (terminal, name) = try Self.pseudoTerminal()
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
        let id = try spawn(arguments, &actions, newSession: true)
        let process = RunningProgram(id: id, input: -1, output: terminal, errors: -1)
        var shown: [UInt8] = []
        for (text, keys) in typing {
            while !shown.contains(Array(text.utf8)), let bytes = process.nextOutput() { shown += bytes }
            _ = Array(keys.utf8).withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
        }
        var run = try process.end()
        run.output = String(decoding: shown, as: UTF8.self) + run.output
        run.output = run.output.replacing("\r\n", with: "\n")
        return run
    }

    /// False in a bare chroot.
    public static let hasTerminals = {
        guard let (terminal, name) = try? pseudoTerminal() else { return false }
        defer { close(terminal) }
        return access(name, R_OK | W_OK) == 0
    }()

    /// A new pseudo-terminal, and the name of the end that programs get. These calls of Linux stand for posix_openpt
    /// and its kin, which Swift's Glibc module leaves out.
    private static func pseudoTerminal() throws -> (Int32, String) {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var unlock: Int32 = 0
        var number: UInt32 = 0
        guard terminal >= 0, ioctl(terminal, 0x4004_5431, &unlock) == 0, ioctl(terminal, 0x8004_5430, &number) == 0 else {
            throw TestFailure("no pseudo-terminal: \(errno)")
        }
        return (terminal, "/dev/pts/\(number)")
    }

    private func spawn(
        _ arguments: [String], _ actions: inout posix_spawn_file_actions_t, newSession: Bool
    ) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // SIGPIPE as a shell leaves it, whatever the tests' own process did.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // Threads of Swift's pool block signals, and a program inherits that.
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        let session: Int32 = newSession ? 0x80 : 0  // POSIX_SPAWN_SETSID
        posix_spawnattr_setflags(&attributes, Int16(Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | session))
        // What the tests' own process was started with: some tests count descriptors.
        for descriptor in Int32(3)..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        let shell = prelude.map { ["/bin/sh", "-c", $0 + #"; exec "$0" "$@""#] } ?? []
        let words = shell + [Program.path] + arguments
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        var variables = environment
        // What scripts/sanitize sets.
        for name in ["TSAN_OPTIONS", "LD_PRELOAD"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        var envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") }
        defer { (argv + envp).forEach { free($0) } }
        argv.append(nil)
        envp.append(nil)
        var id = pid_t()
        let error = posix_spawn(&id, words[0], &actions, &attributes, argv, envp)
        guard error == 0 else { throw TestFailure("\(Program.path) does not start: \(String(cString: strerror(error)))") }
        return id
    }
}

private struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw TestFailure("pipe: \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }
}

/// A run that is under way.
public final class RunningProgram {
    public let id: pid_t
    private var input: Int32
    private let output: Int32
    private let errors: Int32

    public init(id: pid_t, input: Int32, output: Int32, errors: Int32) {
        self.id = id
        self.input = input
        self.output = output
        self.errors = errors
    }

    public func send(_ text: String) {
        guard input >= 0 else { return }
        _ = Array(text.utf8).withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
        close(input)
        input = -1
    }

    public func signal(_ number: Int32) { kill(id, number) }

    /// The next line of its standard output, as soon as it is there.
    public func nextLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// What it writes next; nil after 30 seconds without output, or at its end.
    fileprivate func nextOutput() -> [UInt8]? {
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 30_000) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(output, &buffer, buffer.count)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Reads what is left, and waits. A run that outlives its time is killed, and fails the test by its status.
    public func end(seconds: Int32 = 60) throws -> Run {
        send("")
        var texts: [Int32: [UInt8]] = [:]
        var open = [output, errors].filter { $0 >= 0 }
        while !open.isEmpty {
            var ready = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&ready, nfds_t(ready.count), seconds * 1_000) == 0 { kill(id, SIGKILL) }
            for item in ready where item.revents != 0 {
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                let count = read(item.fd, &buffer, buffer.count)
                if count > 0 {
                    texts[item.fd, default: []] += buffer[..<count]
                } else if count == 0 || errno != EINTR {
                    open.removeAll { $0 == item.fd }
                }
            }
        }
        var status: Int32 = 0
        guard waitpid(id, &status, 0) == id else { throw TestFailure("waitpid: \(errno)") }
        for descriptor in [output, errors] where descriptor >= 0 { close(descriptor) }
        let exit = status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
        func text(_ descriptor: Int32) -> String { String(decoding: texts[descriptor] ?? [], as: UTF8.self) }
        return Run(status: exit, output: text(output), errors: text(errors))
    }
}

extension Program {
    /// True if the server is built beside the command. The release of the command alone has none.
    public static var hasServer: Bool {
        access("\(path.containingFolder ?? "")/jimmy-serve", X_OK) == 0
    }
}
