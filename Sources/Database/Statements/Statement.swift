/// An SQL statement with a fixed shape. jimmy sends nothing else to a database.
///
/// They use only what PostgreSQL 15, Citus, YugabyteDB and CockroachDB have in common. `@` precedes the name of a table
/// of the library. `$1` is the shard, by which each statement is routed. Texts, times (seconds since 1970) and values
/// compared with them are parameters. No index contains a column that changes with a response without new content, so
/// that such updates are in place (HOT).
struct Statement: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    func text(inSchema schema: String) -> String {
        // `@>` is an operator, not a table.
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts[0])) { text, part in
            text + (part.first?.isLetter ?? false ? Self.quoted(schema) + "." : "@") + part
        }
    }

    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    /// Rows that begin with the same parameters and continue with their own.
    static func values(_ common: [String], columns: Int, rows: Int) -> String {
        (0..<rows).map { row in
            let own = (0..<columns).map { "$\(common.count + row * columns + $0 + 1)" }
            return "(" + (common + own).joined(separator: ", ") + ")"
        }.joined(separator: ", ")
    }

    /// Every statement with fixed text, for the tests that read them.
    static let all = ofSchema + ofPodcasts + ofEpisodes + ofOwner + ofWork + ofFiles
}
