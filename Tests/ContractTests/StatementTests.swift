import Testing

@testable import Database

/// What keeps the statements usable on distributed engines and behind poolers.
@Suite struct StatementTests {
    @Test(arguments: Statement.all.map(\.text)) func `a statement names the key by which rows are distributed`(text: String) {
        // In the first table's condition, or as the first value of each row.
        let isRouted =
            text.contains("shard = $1") || text.contains("VALUES ($1,") || text.contains("SELECT $1, ")
            || text.contains("$1::int8 = 0")
        #expect(isRouted, "\(text)")
        for row in text.split(separator: "VALUES ").dropFirst() {
            for values in row.split(separator: "(").dropFirst() where row.hasPrefix("($1") && values.hasPrefix("$") {
                #expect(values.hasPrefix("$1,"), "\(text)")
            }
        }
    }

    @Test(arguments: Statement.all.map(\.text) + Schema.definitions) func `a statement uses nothing that some engines lack`(
        text: String
    ) {
        let words = text.uppercased().split { !$0.isLetter && $0 != "_" }.map(String.init)
        let refused: Set = [
            "SEQUENCE", "SERIAL", "BIGSERIAL", "REFERENCES", "TRIGGER", "FUNCTION", "PREPARE", "EXECUTE", "LISTEN", "NOTIFY",
            "TEMPORARY", "TEMP", "NOW", "CURRENT_TIMESTAMP", "RANDOM", "CURSOR", "PG_ADVISORY_LOCK", "TRUNCATE", "SET_CONFIG",
        ]
        #expect(refused.isDisjoint(with: words), "\(text)")
        #expect(!words.contains("INTERVAL") && (words.first != "SET"), "\(text)")
    }

    @Test func `an answer without news changes no column that an index has`() throws {
        let update = Statement.updatePodcasts.text
        let set = try #require(update.split(separator: "FROM").first)
        for index in Schema.definitions where index.contains("INDEX") && index.contains("@podcasts") {
            let columns = try #require(index.split(separator: "(").last).split { !$0.isLetter && $0 != "_" }
            for column in columns where !["shard", "DESC"].contains(column) {
                #expect(!set.contains(" \(column) = "), "\(column) is in an index")
            }
        }
    }
}
