import Glibc
import Synchronization

/// Two databases as one, as an engine has them that distributes rows over machines: each statement goes to the database
/// that has the rows of its key, and is refused if it does not name that key.
///
/// A transaction that writes under more than one key is refused as well. Reads of several keys may share a round trip, since
/// each of them has its own. Definitions go to both databases.
public final class DatabaseRouter: Sendable {
    /// One for all tests of a process; nil if there is no server.
    public static let shared: DatabaseRouter? = PostgresServer.shared.flatMap { try? DatabaseRouter(to: $0) }

    private let server: PostgresServer
    private let port: Int
    private let listener: Int32
    private let counts: Counts

    fileprivate final class Counts: Sendable {
        let statements = Mutex([0, 0])
    }

    public init(to server: PostgresServer) throws {
        (listener, port) = try listenOnLoopback()
        let (listener, serverPort, counts) = (listener, server.port, Counts())
        (self.server, self.counts) = (server, counts)
        startThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                startThread { RoutedConnection(client, to: serverPort, counts)?.run() }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    public func newLibrary() -> String { server.newLibrary(port: port) }

    /// Statements that went to each of the databases, definitions aside.
    public var statements: [Int] { counts.statements.withLock { $0 } }

    /// Why a statement cannot be routed by its first parameter; nil if it can.
    ///
    /// Each table in it has its key compared with that parameter, or gets rows that begin with it.
    public static func refusal(of statement: String) -> String? {
        let parts = statement.split(separator: "\".", omittingEmptySubsequences: false)
        let tables = parts.dropFirst().count { $0.first?.isLetter ?? false }
        if tables == 0 { return statement.contains("$1::int8 = 0") ? nil : "no table, and no key" }
        let compared = statement.split(separator: "shard = $1", omittingEmptySubsequences: false).dropFirst()
        let keys = compared.count { !($0.first?.isNumber ?? false) }
        let inserts = statement.split(separator: "INSERT INTO ", omittingEmptySubsequences: false).count - 1
        if keys + inserts < tables { return "\(tables) tables, but only \(keys + inserts) keys" }
        return inserts == 0 || insertsKey(statement) ? nil : "a row that does not begin with the key"
    }

    private static func insertsKey(_ statement: String) -> Bool {
        guard statement.contains(" (shard, ") || statement.contains(" (shard)") else { return false }
        guard let rows = statement.split(separator: "VALUES ", maxSplits: 1).dropFirst().first else {
            return statement.contains("SELECT $1, ")
        }
        let values = rows.split(separator: "ON CONFLICT", maxSplits: 1)[0].split(separator: "), (")
        return values.allSatisfy { $0.trimmingPrefix("(").hasPrefix("$1,") || $0.trimmingPrefix("(").hasPrefix("$1)") }
    }

    /// Which of the two databases has the rows of a key.
    fileprivate static func database(of key: Int64) -> Int { Int((UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 63) }
}

/// A program's connection, and those to the two databases behind it.
private final class RoutedConnection {
    private let client: Wire
    private let databases: [Wire]
    private let counts: DatabaseRouter.Counts

    init?(_ descriptor: Int32, to port: Int, _ counts: DatabaseRouter.Counts) {
        client = Wire(descriptor)
        databases = ["library", "other"].map { _ in Wire(connectToLoopback(port)) }
        self.counts = counts
        guard databases.allSatisfy({ $0.descriptor >= 0 }), begin() else { return nil }
    }

    /// Passes the start-up on, with the second database's name in it.
    private func begin() -> Bool {
        while let body = client.readBody() {
            switch body.number(at: 0) {
            case 80_877_103, 80_877_104: client.send([UInt8(ascii: "N")])  // without encryption
            case 196_608:
                for (wire, name) in zip(databases, ["library", "other"]) {
                    let renamed = body.replacing(Array("database\0library\0".utf8), with: Array("database\0\(name)\0".utf8))
                    wire.send(Message.length(of: renamed) + renamed)
                }
                guard let first = replies(of: databases[0], until: "Z"), replies(of: databases[1], until: "Z") != nil else {
                    return false
                }
                client.send(first.flatMap(\.bytes))
                return true
            default: return false
            }
        }
        return false
    }

    /// A statement on its way: what was sent for it, and its key.
    private struct Routed {
        var text: String
        var key: Int64?
        var messages: [Message]

        var isDefinition: Bool { text.hasPrefix("CREATE ") || text.hasPrefix("ALTER ") }
        var writes: Bool { !text.hasPrefix("SELECT ") }
    }

    func run() {
        var burst: [Routed] = []
        while let message = client.read() {
            switch message.type {
            case "P": burst.append(Routed(text: message.text(1), messages: [message]))
            case "S":
                guard transact(burst) else { return }
                burst = []
            case "X": return
            case "B":
                guard let last = burst.last else { return }
                // The statement before once more: the other database has to parse it, too.
                if last.key != nil { burst.append(Routed(text: last.text, messages: [last.messages[0]])) }
                burst[burst.count - 1].key = message.firstParameter
                burst[burst.count - 1].messages.append(message)
            default:
                guard !burst.isEmpty else { return }
                burst[burst.count - 1].messages.append(message)
            }
        }
    }

    /// - Returns: false if a connection was lost.
    private func transact(_ burst: [Routed]) -> Bool {
        if let refusal = refusal(of: burst) {
            client.send(Message.error(refusal).bytes + Message("Z", [UInt8(ascii: "I")]).bytes)
            return true
        }
        for statement in burst {
            guard let reply = reply(to: statement) else { return false }
            client.send(reply.flatMap(\.bytes))
            if reply.last?.type == "E" { break }
        }
        var end: [Message] = []
        for database in databases {
            database.send(Message("S", []).bytes)
            guard let reply = replies(of: database, until: "Z") else { return false }
            end = end.count > 1 ? end : reply
        }
        client.send(end.flatMap(\.bytes))
        return true
    }

    private func refusal(of burst: [Routed]) -> String? {
        let routed = burst.filter { !$0.isDefinition }
        for statement in routed {
            if statement.key == nil { return "no key: \(statement.text)" }
            if let reason = DatabaseRouter.refusal(of: statement.text) { return "\(reason): \(statement.text)" }
        }
        let keys = Set(routed.map(\.key))
        return keys.count > 1 && burst.contains(where: \.writes) ? "a transaction that writes has \(keys.count) keys" : nil
    }

    private func reply(to statement: Routed) -> [Message]? {
        let targets = statement.key.map { [DatabaseRouter.database(of: $0)] }
        if let target = targets?.first { counts.statements.withLock { $0[target] += 1 } }
        var reply: [Message]?
        for target in targets ?? [0, 1] {
            databases[target].send(statement.messages.flatMap(\.bytes) + Message("H", []).bytes)
            guard let own = replies(of: databases[target], until: "C") else { return nil }
            if reply == nil || own.last?.type == "E" { reply = own }
        }
        return reply
    }

    /// Messages up to one of a type, or to an error inside of a transaction.
    private func replies(of wire: Wire, until type: Character) -> [Message]? {
        var messages: [Message] = []
        while let message = wire.read() {
            messages.append(message)
            if message.type == type || message.type == "E" && type == "C" { return messages }
        }
        return nil
    }
}
