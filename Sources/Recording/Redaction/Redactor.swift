import Domain
import Synchronization

/// Replaces secrets by marks: keyed hashes, so that equal secrets have equal marks.
///
/// A mark's meaning is stored with it, sealed under the library's key, so that a replay on a copy of the library
/// restores the original bytes. Anybody else who has the recording sees only marks.
final class Redactor: Sendable {
    private struct State {
        var marks: [String: String] = [:]
        /// Secrets whose meaning was not written yet.
        var new: [(mark: String, sealed: [UInt8])] = []
    }

    private let key: RunKey
    private let state = Mutex(State())

    init(key: RunKey) { self.key = key }

    func mark(for secret: some StringProtocol) -> String {
        let secret = String(secret)
        return state.withLock { state in
            if let mark = state.marks[secret] { return mark }
            let mark = key.mark(for: Array(secret.utf8))
            state.marks[secret] = mark
            state.new.append((mark, key.sealed(Array(secret.utf8), mark: mark)))
            return mark
        }
    }

    /// The secrets that were first marked since the last call.
    func takeNew() -> [(mark: String, sealed: [UInt8])] {
        state.withLock { state in
            defer { state.new = [] }
            return state.new
        }
    }

    /// The URL with its own secrets and the known ones replaced.
    func redacted(url: String, knowing secrets: Set<String> = []) -> String {
        // From the end, so that the remaining indices stay valid.
        var text = url
        let parts = Secrets.parts(of: url).map(\.text).sorted { $0.startIndex > $1.startIndex }
        for part in parts { text.replaceSubrange(part.startIndex..<part.endIndex, with: mark(for: part)) }
        return redacted(text, knowing: secrets)
    }

    func redacted(_ text: String, knowing secrets: Set<String>) -> String {
        var text = text
        for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count }) where text.contains(secret) {
            text = text.replacing(secret, with: mark(for: secret))
        }
        return text
    }

    // MARK: Heads

    /// Headers whose values contain secrets only in URLs, and headers that a replay depends on.
    private static let open: Set<String> = [
        "age", "etag", "date", "expires", "retry-after", "content-type", "last-modified", "cache-control", "content-length",
        "content-encoding", "content-range", "transfer-encoding", "server", "vary", "connection", "accept-ranges", "user-agent",
        "accept",
        "accept-encoding", "if-none-match", "if-modified-since",
    ]

    func redacted(header line: String, knowing secrets: Set<String>) -> String {
        guard let colon = line.firstIndex(of: ":") else { return redacted(line, knowing: secrets) }
        let name = line[..<colon].lowercased()
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        guard !value.isEmpty else { return line }
        let prefix = line[..<value.startIndex]
        // Whether two cookies are equal decides a replay.
        if name == "set-cookie", let equals = value.firstIndex(of: "=") {
            let secret = value[value.index(after: equals)...].prefix { $0 != ";" }
            return line[..<secret.startIndex] + mark(for: secret) + value[secret.endIndex...]
        }
        if name == "location" { return prefix + redacted(url: String(value), knowing: secrets) }
        return prefix + (Self.open.contains(name) ? redacted(String(value), knowing: secrets) : mark(for: value))
    }

    /// Redacts the body of an error page.
    func redacted(page: [UInt8], knowing secrets: Set<String>) -> [UInt8] {
        var body = BodyRedactor(secrets.union(FeedHead.secrets(of: page)), self, in: CodeUnits(of: page))
        return body.add(page) + body.finish()
    }

    /// Redacts a whole head, line by line.
    func redacted(head: [UInt8], knowing secrets: Set<String>) -> [UInt8] {
        var redacted: [UInt8] = []
        var isSecret = false
        for line in head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if !redacted.isEmpty { redacted.append(UInt8(ascii: "\n")) }
            let isCut = line.last == UInt8(ascii: "\r")
            let text = String(decoding: isCut ? line.dropLast() : line, as: UTF8.self)
            if text.hasPrefix(" ") || text.hasPrefix("\t"), isSecret {
                // A folded line, which belongs to the line before.
                redacted += Array((" " + mark(for: text)).utf8)
            } else if text.hasPrefix("HTTP/") || text.isEmpty {
                redacted += isCut ? line.dropLast() : line
            } else {
                let new = self.redacted(header: text, knowing: secrets)
                isSecret = new != text
                // An unchanged line keeps its bytes, even if they are not UTF-8.
                redacted += isSecret ? Array(new.utf8) : Array(isCut ? line.dropLast() : line)
            }
            if isCut { redacted.append(UInt8(ascii: "\r")) }
        }
        return redacted
    }
}
