internal import CPQ
import Domain
import Glibc

/// The address of a library in a database: `postgresql://USER@HOST/DATABASE?schema=NAME`, with any other parameters of
/// libpq.
///
/// `schema` is jimmy's own parameter; the others are passed to libpq unchanged. Passwords come from the URI,
/// `~/.pgpass`, `PGPASSWORD` or a service file, and never appear in anything that this type displays.
public struct DatabaseAddress: Hashable, Sendable {
    /// The schema that holds the library's tables.
    public let schema: String
    /// The address without password, for messages.
    public let shown: String
    let options: [Option]

    struct Option: Hashable, Sendable {
        var name: String
        var value: String
    }

    public static let usualSchema = "jimmy"

    /// True if the text names a library in a database; otherwise it is a path. A misspelt address is none of a folder, and
    /// may contain a password.
    public static func isOne(_ text: String) -> Bool {
        text.hasPrefix("postgresql:") || text.hasPrefix("postgres:")
    }

    /// - Throws: `DatabaseFailure.badAddress`, `SystemFailure.missingLibrary`.
    public init(_ text: String) throws {
        try Self.load()
        let (address, schema) = try Self.takingSchema(out: text)
        guard let parsed = pq_parse(address) else { throw DatabaseFailure.badAddress }
        defer { pq_options_free(parsed) }
        var options: [Option] = []
        var index: Int32 = 0
        while true {
            var value: UnsafePointer<CChar>?
            guard let name = pq_option(parsed, index, &value) else { break }
            if let value { options.append(Option(name: String(cString: name), value: String(cString: value))) }
            index += 1
        }
        self.schema = schema ?? Self.usualSchema
        self.options = options
        shown = Self.shown(options, self.schema)
    }

    /// Identifies this library; the same for all spellings of its address that differ only in the password.
    public var identity: String { shown }

    static func load() throws {
        var number: Int32 = 0
        guard pq_load(&number) else { throw SystemFailure.missingLibrary(name: "libpq.so.5", errno: number) }
    }

    func value(_ name: String) -> String? { options.first { $0.name == name }?.value }

    /// The text with every occurrence of the password replaced.
    func withoutPassword(_ text: String) -> String {
        var text = text
        for name in ["password", "sslpassword"] {
            guard let password = value(name), !password.isEmpty else { continue }
            while let range = text.firstRange(of: password) { text.replaceSubrange(range, with: "***") }
        }
        return text
    }

    /// The URI without the parameter `schema`, and its value.
    private static func takingSchema(out text: String) throws -> (address: String, schema: String?) {
        guard let mark = text.firstIndex(of: "?") else { return (text, nil) }
        var schema: String?
        let others = try text[text.index(after: mark)...].split(separator: "&").filter { parameter in
            guard parameter.hasPrefix("schema=") else { return true }
            guard let name = decoded(parameter.dropFirst(7)), !name.isEmpty, name.utf8.count < 64, !name.contains("\0") else {
                throw DatabaseFailure.badAddress
            }
            schema = name
            return false
        }
        return (text[..<mark] + (others.isEmpty ? "" : "?" + others.joined(separator: "&")), schema)
    }

    /// nil if an escape is incomplete or the result is not valid UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var remaining = text.utf8
        while let byte = remaining.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let hex = String(remaining.prefix(2)), hex.utf8.count == 2, let value = UInt8(hex, radix: 16) else {
                return nil
            }
            bytes.append(value)
            remaining = remaining.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// An address in a form that is safe to display, even if it cannot be parsed.
    public static func shown(_ text: String) -> String {
        (try? DatabaseAddress(text))?.shown ?? (text.prefix { $0 != ":" } + "://…")
    }

    private static func shown(_ options: [Option], _ schema: String) -> String {
        func value(_ name: String) -> String? { options.first { $0.name == name }.map(\.value) }
        let user = value("user").map { $0 + "@" } ?? ""
        let host = value("host") ?? value("hostaddr") ?? ""
        let isSocket = host.hasPrefix("/")
        let port = value("port")
        let server = isSocket ? "" : host + (port.map { ":" + $0 } ?? "")
        var parameters = isSocket ? ["host=" + host] + (port.map { ["port=" + $0] } ?? []) : []
        if schema != usualSchema { parameters.append("schema=" + schema) }
        return "postgresql://\(user)\(server)/\(value("dbname") ?? "")"
            + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }
}
