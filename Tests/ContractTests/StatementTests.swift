import DatabaseServer
import Domain
import Testing

@testable import Database

/// What keeps the statements usable on distributed engines and behind poolers.
@Suite struct StatementTests {
    @Test(arguments: Statement.all.map { $0.text(inSchema: "library") })
    func `a statement names the key by which rows are distributed`(text: String) {
        #expect(DatabaseRouter.refusal(of: text) == nil, "\(text)")
    }

    @Test(arguments: [
        "SELECT id FROM @podcasts WHERE id = $1", "SELECT id FROM @podcasts WHERE shard = $10",
        "SELECT id FROM @podcasts WHERE shard > $1", "SELECT 1",
        "SELECT h.name FROM @hosts AS h, @slots AS s WHERE h.shard = $1 AND s.host = h.host",
        "INSERT INTO @words (shard, word) VALUES ($1, $2), ($3, $4)", "INSERT INTO @words (word, shard) VALUES ($2, $1)",
        "INSERT INTO @removals (shard, id) SELECT shard, id FROM @podcasts WHERE shard = $1",
        "DELETE FROM @commits WHERE at < $1",
    ]) func `a statement without its key is refused`(text: String) {
        #expect(DatabaseRouter.refusal(of: Statement(text).text(inSchema: "library")) != nil)
    }

    @Test(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
    func `the rows of a library are in both databases, each under its key`() async throws {
        let router = try DatabaseRouter(to: try #require(PostgresServer.shared))
        let library = try await Database.open(DatabaseAddress(router.newLibrary()), .create)
        let stores = library.repositories
        for number in 1...16 { try await stores.subscribe(podcast(number), [episode(1, of: podcast(number).id)]) }
        #expect(try await library.podcasts.changes(since: 0)?.changed.count == 16)
        #expect(router.statements.allSatisfy { $0 > 50 }, "\(router.statements)")
        // What a router is for.
        let (first, second) = (Shard.all[0], Shard.all[1])
        let replies = try await library.session.run([
            Transaction([Call(Statement("SELECT count(*) FROM @podcasts WHERE $1::int8 IS NOT NULL"), first)]),
            Transaction([Call(.advance, first), Call(.advance, second)]),
            Transaction([Call(.advance, first), Call(.revision, first)]),
        ])
        let states = replies.map { reply in if case .failure(let error) = reply { error.state } else { "" } }
        #expect(states == ["0A000", "0A000", ""])
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

    @Test(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
    func `a position is a row, and storing one writes no other`() async throws {
        let library = try await Database.open(
            DatabaseAddress(try #require(PostgresServer.shared).newLibrary()), .create)
        let ids = (1...3).map { episode($0, of: podcast(1).id).id }
        let positions = library.repositories.positions
        try await positions.updatePositions(of: ids) { all in
            for id in ids { all[id] = PlayPosition(episodeID: id, seconds: 1, at: noon) }
        }
        // The system's column `xmin` names the transaction that wrote a row.
        let writers = Statement(
            "SELECT xmin::text::int8 AS writer FROM @positions WHERE shard = $1 ORDER BY episode = $2, episode")
        func transactions() async throws -> [Int] {
            let call = Call(writers, .owner, .text(ids[1].text))
            return try await library.session.read([Transaction([call])])[0].map { $0.int("writer") }
        }
        let before = try await transactions()
        #expect(before.count == 3 && Set(before).count == 1)
        try await positions.updatePositions(of: [ids[1]]) { $0[ids[1]]?.seconds = 2 }
        let after = try await transactions()
        #expect(after.dropLast() == before.dropLast() && after.last != before.last)
    }
}
