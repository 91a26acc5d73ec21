public import Domain
internal import CSQLite
internal import Glibc
internal import Threads

/// The search index in one SQLite file, made of its full-text tables (FTS5).
///
/// It lives outside the library, in the user's cache: deleting it costs only the time to make it again. Opened by the
/// first call that needs it. A file that cannot be read as an index of this version is replaced by an empty one, in
/// which every podcast is stale. Other processes may read while this one writes.
///
/// The way of a change: `IndexWriter` asks `IndexedText` what is to be indexed; FTS5 has it taken apart by
/// `CSQLiteTokenize`. The way of a search: `SearchQuery` → `MatchExpression` → `IndexSearch` → `Ranking`.
public actor FTSIndex: SearchIndex {
    private let thread: BlockingThread
    private let file: IndexFile
    private var opened: Database?
    private var reader: PlainText?

    /// - Parameters:
    ///   - path: the database's file; its folders are made when it is opened.
    ///   - mayBeTemporary: where `path` can be neither read nor written, an index will do that goes with this value.
    ///   - waitSeconds: how long a change waits for another process to end its own. Searching never waits.
    /// - Throws: `LibraryFailure.io` where the system has no thread left to work on.
    public init(path: String, mayBeTemporary: Bool = false, waitSeconds: Int = 5) throws {
        do {
            thread = try BlockingThread()
        } catch {
            throw LibraryFailure.io(file: "", operation: "pthread_create", errno: error.errno)
        }
        file = IndexFile(path, mayBeTemporary: mayBeTemporary, waitSeconds: waitSeconds)
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    public func apply(_ changes: [IndexChange]) throws {
        guard !changes.isEmpty else { return }
        try using { database in
            guard database.access == .readWrite else { throw IndexFailure.denied }
            guard let reader = reader ?? PlainText() else { throw IndexFailure.failed(code: Int(SQLITE_NOMEM)) }
            self.reader = reader
            try database.execute("PRAGMA cache_size = -32000")
            try database.transaction {
                var writer = try IndexWriter(database, reader: reader)
                try writer.apply(changes)
            }
            database.emptyLog()
        }
    }

    public func stale(_ revisions: [PodcastID: Int]) throws -> [PodcastID] {
        try using { database in
            if database.access == .readWrite, try IndexState(of: database).isMostlyDead {
                opened = nil
                opened = try file.replace()
                return revisions.keys.sorted()
            }
            let row = try database.statement("SELECT id, revision FROM podcasts")
            defer { row.reset() }
            var missing = revisions
            var stale: [PodcastID] = []
            while try row.step() {
                let id = PodcastID(text: row.text(0))
                if missing.removeValue(forKey: id) != row.int(1) { stale.append(id) }
            }
            return (stale + missing.keys).sorted()
        }
    }

    public func search(_ request: SearchRequest) throws -> SearchResults {
        try using { database in try database.snapshot { try IndexSearch(database).search(request) } }
    }

    public nonisolated func snippet(
        of hit: SearchHit, in episode: Episode, of podcast: Podcast, for request: SearchRequest
    ) -> Snippet {
        SnippetMaker(request).snippet(of: hit, in: episode, of: podcast)
    }

    /// Gives the open database to `work`, and says in the domain's words what went wrong.
    private func using<T>(_ work: (Database) throws -> T) throws -> T {
        do {
            let database = try opened ?? file.open()
            opened = database
            return try work(database)
        } catch let error as DatabaseError {
            if error.isDamage {
                opened = nil
                opened = try? file.replace()
                throw opened == nil ? IndexFailure.denied : .damaged
            }
            throw error.failure
        }
    }
}

extension DatabaseError {
    var failure: IndexFailure {
        switch primary {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_FULL: .full
        case SQLITE_CANTOPEN where systemError != 0, SQLITE_IOERR where systemError != 0:
            [EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP].contains(systemError) ? .denied : .io(errno: systemError)
        default: isDenial ? .denied : .failed(code: Int(code))
        }
    }
}
