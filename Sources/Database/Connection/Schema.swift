import Domain

/// The tables. The first program that needs them creates them; a row serves as the lock.
enum Schema {
    /// The version of the tables. Tables of another version are refused.
    static let version = 9

    /// They can be repeated if creating the tables was interrupted.
    private static let tables = [
        // The content revision of each shard.
        "CREATE TABLE IF NOT EXISTS @shards (shard int8 PRIMARY KEY, revision int8 NOT NULL)",
        // content: the shard's revision at which it last changed; added_content: at which it was subscribed to.
        """
        CREATE TABLE IF NOT EXISTS @podcasts (shard int8 NOT NULL, id bytea NOT NULL, revision int8 NOT NULL,
            commit_id int8 NOT NULL, fence int8 NOT NULL, added_content int8 NOT NULL, content int8 NOT NULL,
            episodes int8 NOT NULL, url int8 NOT NULL,
            bundle int8 NOT NULL, next_at int8, latest int8, added_at int8, health int8 NOT NULL, health_until int8,
            failing int8 NOT NULL, wants_texts int8 NOT NULL, title bytea NOT NULL, words bytea NOT NULL, record bytea NOT NULL, secret bytea,
            PRIMARY KEY (shard, id)) WITH (fillfactor = 50)
        """,
        "CREATE INDEX IF NOT EXISTS podcasts_url ON @podcasts (shard, url)",
        "CREATE INDEX IF NOT EXISTS podcasts_bundle ON @podcasts (shard, bundle)",
        "CREATE INDEX IF NOT EXISTS podcasts_latest ON @podcasts (shard, latest DESC, id)",
        "CREATE INDEX IF NOT EXISTS podcasts_wants_texts ON @podcasts (shard, latest DESC, id) WHERE wants_texts <> 0",
        "CREATE INDEX IF NOT EXISTS podcasts_content ON @podcasts (shard, content)",
        """
        CREATE TABLE IF NOT EXISTS @removals (shard int8 NOT NULL, id bytea NOT NULL, content int8 NOT NULL,
            PRIMARY KEY (shard, id))
        """,
        // podcast: here and in the next two tables an id, or `ID/STEP` for what an undo step can bring back.
        // state: 1 kept after an unsubscription, otherwise 0.
        """
        CREATE TABLE IF NOT EXISTS @channels (shard int8 NOT NULL, podcast bytea NOT NULL, revision int8 NOT NULL,
            state int8 NOT NULL, transcripts int8 NOT NULL, record bytea NOT NULL, PRIMARY KEY (shard, podcast))
        """,
        """
        CREATE TABLE IF NOT EXISTS @episodes (shard int8 NOT NULL, podcast bytea NOT NULL, own bytea NOT NULL,
            number int8 NOT NULL, content int8 NOT NULL, head bytea NOT NULL, record bytea NOT NULL, PRIMARY KEY (shard, podcast, own))
        """,
        // kind: 0 chapters, 1 transcript.
        """
        CREATE TABLE IF NOT EXISTS @transcripts (shard int8 NOT NULL, podcast bytea NOT NULL, own bytea NOT NULL,
            kind int8 NOT NULL, entry bytea NOT NULL, segments bytea, PRIMARY KEY (shard, podcast, own, kind))
        """,
        // The owner's data, all of it in the first shard.
        """
        CREATE TABLE IF NOT EXISTS @owners (shard int8 PRIMARY KEY, revision int8 NOT NULL, commit_id int8 NOT NULL)
        """,
        "CREATE TABLE IF NOT EXISTS @commits (shard int8 NOT NULL, id int8 NOT NULL, at int8 NOT NULL, PRIMARY KEY (shard, id))",
        """
        CREATE TABLE IF NOT EXISTS @documents (shard int8 NOT NULL, name bytea NOT NULL, revision int8 NOT NULL,
            body bytea NOT NULL, PRIMARY KEY (shard, name))
        """,
        """
        CREATE TABLE IF NOT EXISTS @tags (shard int8 NOT NULL, episode bytea NOT NULL, words bytea NOT NULL,
            pending int8 NOT NULL, PRIMARY KEY (shard, episode))
        """,
        """
        CREATE TABLE IF NOT EXISTS @positions (shard int8 NOT NULL, episode bytea NOT NULL, body bytea NOT NULL,
            PRIMARY KEY (shard, episode)) WITH (fillfactor = 70)
        """,
        """
        CREATE TABLE IF NOT EXISTS @undo (shard int8 NOT NULL, number int8 NOT NULL, at int8 NOT NULL, body bytea NOT NULL,
            PRIMARY KEY (shard, number))
        """,
        // The distribution of work: hosts, their slots, and the feeds of each host in bundles.
        """
        CREATE TABLE IF NOT EXISTS @hosts (shard int8 NOT NULL, host int8 NOT NULL, name bytea NOT NULL, paused_until int8,
            allowance int8, measured_at int8, feeds int8 NOT NULL, PRIMARY KEY (shard, host))
        """,
        // swept_at, parts: when all bundles of the slot were last examined for its `ready_at`, and how many slots
        // shared the host's bundles at that time.
        """
        CREATE TABLE IF NOT EXISTS @slots (shard int8 NOT NULL, host int8 NOT NULL, slot int8 NOT NULL, ready_at int8 NOT NULL,
            leased_until int8 NOT NULL, token int8 NOT NULL, fence int8 NOT NULL, swept_at int8 NOT NULL DEFAULT 0,
            parts int8 NOT NULL DEFAULT 0, PRIMARY KEY (shard, host, slot))
            WITH (fillfactor = 50)
        """,
        "CREATE INDEX IF NOT EXISTS slots_ready ON @slots (shard, ready_at)",
        // shards: those that hold feeds of the bundle, as bits; complete if `shards_at` equals `changes`.
        """
        CREATE TABLE IF NOT EXISTS @bundles (shard int8 NOT NULL, host int8 NOT NULL, number int8 NOT NULL,
            due_at int8 NOT NULL, changes int8 NOT NULL, shards int8 NOT NULL DEFAULT 0,
            shards_at int8 NOT NULL DEFAULT -1, PRIMARY KEY (shard, host, number)) WITH (fillfactor = 70)
        """,
        "CREATE INDEX IF NOT EXISTS bundles_due ON @bundles (shard, host, due_at)",
        """
        CREATE TABLE IF NOT EXISTS @workers (shard int8 NOT NULL, token int8 NOT NULL, name bytea NOT NULL,
            started_at int8 NOT NULL, seen_at int8 NOT NULL, PRIMARY KEY (shard, token))
        """,
        // The files of the folder that was copied into the database.
        """
        CREATE TABLE IF NOT EXISTS @files (shard int8 NOT NULL, name bytea NOT NULL, part int8 NOT NULL,
            parts int8 NOT NULL, mode int8 NOT NULL, digest int8 NOT NULL, body bytea NOT NULL,
            PRIMARY KEY (shard, name, part))
        """,
    ]

    /// holder: the process that creates the tables, by a number of its own choice; afterwards the library's id.
    private static let versionTable = """
        CREATE TABLE IF NOT EXISTS @version (shard int8 PRIMARY KEY, version integer NOT NULL, holder int8 NOT NULL,
            held_until int8 NOT NULL)
        """

    /// All definitions, for the tests that read them.
    static var definitions: [String] { [versionTable] + tables }

    /// What the database says when a library is opened.
    struct Greeting {
        /// The database's time, in milliseconds since 1970.
        var milliseconds: Int64
        /// Distinguishes this library from an earlier one at the same address; nil if it was created before ids were.
        var id: UInt64?
    }

    /// - Parameter isCopy: true for the writer of the copy of another library.
    /// - Throws: `LibraryFailure.newerVersion` or `.olderVersion`, `CopyFailure`, `DatabaseFailure`; `.absent` if there
    ///   is no library.
    static func check(_ session: Session, isCopy: Bool = false) async throws -> Greeting {
        let row = try await session.read([Transaction(.version, .owner)]).first?.first
        guard let row, row.int("version") != 0 else { throw DatabaseFailure.absent }
        let (stored, file) = (abs(row.int("version")), session.address.shown)
        if stored > version { throw LibraryFailure.newerVersion(file: file, version: stored) }
        if stored < version { throw LibraryFailure.olderVersion(file: file, version: stored) }
        if row.int("version") < 0, !isCopy { throw DatabaseFailure.unfinishedCopy }
        if row.int("version") > 0, isCopy { throw CopyFailure.occupied(destination: file) }
        let id = row.number("holder").flatMap { $0 == 0 ? nil : UInt64(bitPattern: $0) }
        return Greeting(milliseconds: row.number("milliseconds") ?? 0, id: id)
    }

    /// Creates what is missing. Any number of processes may do this at once.
    static func create(_ session: Session, isCopy: Bool = false) async throws -> Greeting {
        do {
            return try await check(session, isCopy: isCopy)
        } catch DatabaseFailure.absent {
            try await begin(session)
        }
        while true {
            if let holder = try await lock(session) {
                try await define(session, isCopy: isCopy, as: holder)
            } else {
                try await Task.sleep(for: .milliseconds(50))
            }
            do {
                return try await check(session, isCopy: isCopy)
            } catch DatabaseFailure.absent {}
        }
    }

    private static func begin(_ session: Session) async throws {
        let name = Parameter.text(session.address.schema)
        if try await session.read([Transaction(.schemaExists, .owner, name)]).first?.isEmpty ?? true {
            try await define(.beginSchema(session.address.schema), session)
        }
        try await define(.definition(versionTable), session)
        _ = try await session.run([Transaction(.beginVersion, .owner)]).map { try $0.orFailure() }
    }

    /// Returns nil if another process creates the tables, or has created them.
    private static func lock(_ session: Session) async throws -> Int64? {
        let now = try await session.read([Transaction(.time, .owner)]).first?.first?.number("milliseconds") ?? 0
        let holder = Int64.random(in: 1 ... .max)
        let reply = try await session.run([
            Transaction(.lockVersion, .owner, .int(holder), .int(now + 30_000), .int(now))
        ])
        return try reply.first?.orFailure().first?.first.map { _ in holder }
    }

    private static func define(_ session: Session, isCopy: Bool, as holder: Int64) async throws {
        for table in tables { try await define(.definition(table), session) }
        var transactions = Shard.all.map { Transaction(.beginShard, $0) }
        transactions.append(Transaction(.beginOwner, .owner))
        transactions.append(Transaction(.setVersion, .owner, .int(isCopy ? -version : version), .int(holder)))
        for reply in try await session.run(transactions) { _ = try reply.orFailure() }
    }

    /// Runs a definition. Two processes that create the same thing at once may get an error despite IF NOT EXISTS; the
    /// next attempt succeeds.
    private static func define(_ statement: Statement, _ session: Session) async throws {
        for attempt in 1... {
            let reply = try await session.run([Transaction([Call(defining: statement)])]).first
            guard case .failure(let error)? = reply else { return }
            guard attempt < 20, ["23505", "42P06", "42P07", "42710", "XX000"].contains(error.state) else { throw error.failure }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

extension Result where Success == [Rows], Failure == ServerError {
    /// - Throws: `DatabaseFailure`.
    func orFailure() throws -> [Rows] {
        do {
            return try get()
        } catch {
            throw error.failure
        }
    }
}
