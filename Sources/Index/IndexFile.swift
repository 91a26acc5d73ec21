internal import CSQLite
internal import Glibc

/// Opens the index's file whatever state it is in.
struct IndexFile {
    private let path: String
    private let mayBeTemporary: Bool
    private let waitSeconds: Int

    init(_ path: String, mayBeTemporary: Bool, waitSeconds: Int) {
        self.path = path
        self.mayBeTemporary = mayBeTemporary
        self.waitSeconds = waitSeconds
    }

    /// An index of this version: the one that is there, or an empty one in place of what is none.
    func open() throws -> Database {
        makeFolders()
        makePrivate()
        do {
            let database = try Database(path: path, access: .readWrite)
            return try prepared(database)
        } catch let error as DatabaseError where error.isDamage {
            return try replace()
        } catch let error as DatabaseError where error.isDenial {
            return try openForReading(after: error)
        }
    }

    /// Removes what is there. Processes that have it open keep reading the old file.
    func replace() throws -> Database {
        for suffix in ["", "-wal", "-shm"] where unlink(path + suffix) != 0 && errno != ENOENT {
            throw DatabaseError(code: SQLITE_CANTOPEN)
        }
        makePrivate()
        return try prepared(Database(path: path, access: .readWrite))
    }

    private func prepared(_ database: Database) throws -> Database {
        // Making the file, or reading it after a crash, takes another process a moment; there is nothing to read before.
        database.waitForOthers(seconds: max(2, waitSeconds))
        switch try version(of: database) {
        case Schema.version:
            break
        case 0:
            try database.execute("PRAGMA journal_mode = WAL")
            try database.transaction {
                // Another process may have been quicker.
                if try version(of: database) == 0 { try database.execute(Schema.sql) }
            }
        default:
            return try replace()
        }
        // After a crash of the machine the last transactions may be missing; `stale` finds them.
        try database.execute("PRAGMA synchronous = NORMAL")
        database.keepLog()
        // The log that is kept is an empty one: otherwise every run would read and write it all again.
        try database.execute("PRAGMA journal_size_limit = 0")
        database.waitForOthers(seconds: waitSeconds)
        return database
    }

    private func openForReading(after denial: DatabaseError) throws -> Database {
        for access in [Database.Access.readOnly, .immutable] {
            do {
                let database = try Database(path: path, access: access)
                database.waitForOthers(seconds: 2)
                if try version(of: database) == Schema.version { return database }
            } catch let error as DatabaseError where error.isDenial || error.isDamage {
                continue
            }
        }
        guard mayBeTemporary else { throw denial }
        // To SQLite, a database without a name is a temporary one.
        return try prepared(Database(path: "", access: .readWrite))
    }

    private func version(of database: Database) throws -> Int {
        let row = try database.statement("PRAGMA user_version")
        defer { row.reset() }
        return try row.step() ? row.int(0) : 0
    }

    /// SQLite would make the file readable for others. Its companions get the rights of the file.
    private func makePrivate() {
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }

    /// Private to the user: the index holds what the library holds.
    private func makeFolders() {
        var end = path.startIndex
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
    }
}
