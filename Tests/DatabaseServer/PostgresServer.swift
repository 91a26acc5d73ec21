import Glibc

/// A PostgreSQL server of the tests' own, on loopback and in a temporary folder. It stops, and its folder goes, when the
/// process that started it ends, however it ends.
public final class PostgresServer: Sendable {
    /// One for all tests of a process; nil if PostgreSQL is not installed.
    public static let shared: PostgresServer? = {
        do {
            return try PostgresServer()
        } catch {
            let line = Array("\(error)\n".utf8)
            write(STDERR_FILENO, line, line.count)
            return nil
        }
    }()

    /// True if tests must not be skipped.
    public static let isRequired = getenv("JIMMY_REQUIRE_POSTGRES") != nil

    public let port: Int
    /// The folder with its socket, its log and its data.
    public let folder: String
    private let keeper: Keeper

    /// Of a pgbouncer in front of it; nil if there is none.
    private let poolerPort: Int?

    /// - Parameter hasPooler: with pgbouncer in transaction mode in front, as the usual way to it.
    public init(settings: String = "", hasPooler: Bool = variable("JIMMY_TEST_POOLER") != nil) throws {
        port = try freePort()
        poolerPort = hasPooler ? try freePort() : nil
        keeper = try Keeper(script: Self.script, arguments: ["\(port)", settings, poolerPort.map { "\($0)" } ?? ""])
        guard let folder = keeper.nextLine(), folder.hasPrefix("/") else {
            throw ServerUnavailable(
                text: "PostgreSQL 15 cannot be started (apt-get install postgresql-15): tests of it are skipped")
        }
        self.folder = folder
    }

    private static let script =
        #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/scripts/throwaway-postgres"

    /// The address of a library of its own.
    ///
    /// `JIMMY_TEST_ISOLATION=serializable` makes that the level of all transactions.
    ///
    /// - Parameter other: the port of what stands in front of the server instead of the usual way to it.
    public func newLibrary(_ parameters: String = "", port other: Int? = nil) -> String {
        let level = variable("JIMMY_TEST_ISOLATION").map {
            "&options=-c%20default_transaction_isolation%3D" + $0.split(separator: " ").joined(separator: "%5C%20")
        }
        return "postgresql://jimmy@127.0.0.1:\(other ?? poolerPort ?? port)/library?schema=lib\(UInt64.random(in: 0 ... .max))"
            + (poolerPort == nil ? level ?? "" : "") + parameters
    }

    /// The schema of a library, from its address.
    public static func schema(of library: String) -> String {
        String(library.split(separator: "schema=").last?.prefix { $0 != "&" } ?? "")
    }

    /// Ends the server as if its machine had failed, and starts it again.
    public func restart() {
        keeper.send("restart")
        _ = keeper.nextLine()
    }

    /// Ends the server as if its machine had failed; `restart` brings it back.
    public func stop() {
        keeper.send("stop")
        _ = keeper.nextLine()
    }
}

public struct ServerUnavailable: Error, CustomStringConvertible {
    let text: String

    public var description: String { text }
}

/// A shell that runs a script until this process ends, or the keeper goes.
final class Keeper: Sendable {
    private let process: pid_t
    private let input: Int32
    private let output: Int32

    init(script: String, arguments: [String]) throws {
        var (toScript, fromScript) = ([Int32](repeating: 0, count: 2), [Int32](repeating: 0, count: 2))
        guard pipe(&toScript) == 0, pipe(&fromScript) == 0 else { throw ServerUnavailable(text: "pipe: \(errno)") }
        for descriptor in toScript + fromScript { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toScript[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fromScript[1], STDOUT_FILENO)
        var pid: pid_t = 0
        let words = (["bash", script] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        guard posix_spawn(&pid, "/bin/bash", &actions, nil, words, environ) == 0 else {
            throw ServerUnavailable(text: "posix_spawn: \(errno)")
        }
        close(toScript[0])
        close(fromScript[1])
        (process, input, output) = (pid, toScript[1], fromScript[0])
    }

    func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        write(input, bytes, bytes.count)
    }

    /// nil if the script has ended.
    func nextLine() -> String? {
        var (line, byte) = ([UInt8](), UInt8(0))
        while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return byte == UInt8(ascii: "\n") ? String(decoding: line, as: UTF8.self) : nil
    }

    deinit {
        close(input)
        close(output)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}

/// Of the environment; nil if it is unset or empty.
public func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}

/// A port of 127.0.0.1 that nobody listens on.
func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
    }
    guard isBound else { throw ServerUnavailable(text: "bind: \(errno)") }
    return Int(UInt16(bigEndian: address.sin_port))
}
