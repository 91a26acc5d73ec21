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

    public init(settings: String = "") throws {
        port = try freePort()
        keeper = try Keeper(script: Self.script, arguments: ["\(port)", settings])
        guard let folder = keeper.firstLine, folder.hasPrefix("/") else {
            throw ServerUnavailable(
                text: "PostgreSQL 15 cannot be started (apt-get install postgresql-15): tests of it are skipped")
        }
        self.folder = folder
    }

    /// The address of a library of its own.
    public func newLibrary(_ parameters: String = "") -> String {
        "postgresql://jimmy@127.0.0.1:\(port)/library?schema=lib\(UInt64.random(in: 0 ... .max))" + parameters
    }

    private static let script = """
        set -e
        bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
        folder=$(mktemp -d /tmp/jimmy-postgres-XXXXXX)
        chmod 755 "$folder"
        if [ "$(id -u)" = 0 ]; then
            chown postgres "$folder"
            as="setpriv --reuid=postgres --regid=postgres --clear-groups"
        fi
        cd "$folder"
        end() { $as "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || :; cd /; rm -rf "$folder"; }
        trap end EXIT
        $as "$bin/initdb" -D "$folder/data" -U jimmy -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$folder/initdb.log" 2>&1
        $as "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -w start >/dev/null \\
            -o "-p $1 -k $folder -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200 $2"
        $as "$bin/createdb" -h "$folder" -p "$1" -U jimmy library
        echo "$folder"
        cat >/dev/null
        """
}

public struct ServerUnavailable: Error, CustomStringConvertible {
    let text: String

    public var description: String { text }
}

/// A shell that runs a script until this process ends, or the keeper goes.
final class Keeper: Sendable {
    /// The first line that the script wrote; nil if it ended before.
    let firstLine: String?
    private let process: pid_t
    private let input: Int32

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
        let words = (["sh", "-c", script, "sh"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        guard posix_spawn(&pid, "/bin/sh", &actions, nil, words, environ) == 0 else {
            throw ServerUnavailable(text: "posix_spawn: \(errno)")
        }
        close(toScript[0])
        close(fromScript[1])
        (process, input) = (pid, toScript[1])
        var (line, byte) = ([UInt8](), UInt8(0))
        while read(fromScript[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        close(fromScript[0])
        firstLine = byte == UInt8(ascii: "\n") ? String(decoding: line, as: UTF8.self) : nil
    }

    deinit {
        close(input)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
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
