/// Every statement that jimmy sends to a database; there are no others.
///
/// They keep to what PostgreSQL 15, Citus, YugabyteDB and CockroachDB have in common. `@` stands before the name of a table
/// of the library. `$1` is the shard, by which each statement is routed. Texts, times (seconds since 1970) and what is compared
/// with them are parameters. No index has a column that an answer without news changes, so that such updates are in place
/// (HOT).
struct Statement: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    func text(inSchema schema: String) -> String {
        // `@>` is an operator.
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts[0])) { text, part in
            text + (part.first?.isLetter ?? false ? Self.quoted(schema) + "." : "@") + part
        }
    }

    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    /// Rows that begin alike and go on with parameters of their own.
    static func values(_ common: [String], columns: Int, rows: Int) -> String {
        (0..<rows).map { row in
            let own = (0..<columns).map { "$\(common.count + row * columns + $0 + 1)" }
            return "(" + (common + own).joined(separator: ", ") + ")"
        }.joined(separator: ", ")
    }

    /// Every statement with fixed text, for the tests that read them.
    static let all = ofSchema + ofPodcasts + ofEpisodes + ofOwner + ofWork + ofFiles + ofSearch
}
