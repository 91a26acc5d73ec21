internal import CSQLite

/// What SQLite reports, as its (extended) result code. Its messages stay here: users get facts in our own words.
struct DatabaseError: Error {
    var code: Int32
    /// errno, where a system call failed; 0 where none did.
    var systemError: Int32 = 0
    /// The code without its extension, such as `SQLITE_BUSY`.
    var primary: Int32 { code & 0xFF }
    /// A short read is what a file cut off gives.
    var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || code == SQLITE_IOERR | 2 << 8 }
    var isDenial: Bool { [SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH].contains(primary) }
}

/// One open database, used by one actor.
final class Database {
    enum Access {
        case readWrite
        case readOnly
        /// For a file in a folder where no lock file can be made: nobody else can be writing there.
        case immutable
    }

    private let connection: OpaquePointer
    /// The words of the running transaction, collected by the tokenizer.
    private let vocabulary: OpaquePointer
    private var statements: [String: Statement] = [:]
    let access: Access

    private static let library = CSQLiteCountNoMemory()

    init(path: String, access: Access) throws {
        _ = Database.library
        var pointer: OpaquePointer?
        let flags: Int32
        switch access {
        case .readWrite: flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readOnly, .immutable: flags = SQLITE_OPEN_READONLY
        }
        let name = "file:" + Database.escaped(path) + (access == .immutable ? "?immutable=1" : "")
        let code = sqlite3_open_v2(name, &pointer, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        guard let pointer else { throw DatabaseError(code: SQLITE_NOMEM) }
        guard code == SQLITE_OK, let vocabulary = CSQLiteVocabularyCreate() else {
            let systemError = sqlite3_system_errno(pointer)
            sqlite3_close_v2(pointer)
            throw DatabaseError(code: code == SQLITE_OK ? SQLITE_NOMEM : code, systemError: systemError)
        }
        connection = pointer
        self.vocabulary = vocabulary
        self.access = access
        sqlite3_extended_result_codes(connection, 1)
        try check(CSQLiteAddFullText(connection, vocabulary))
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(connection)
        CSQLiteVocabularyFree(vocabulary)
    }

    /// How long a statement waits for another process's write.
    func waitForOthers(seconds: Int) { sqlite3_busy_timeout(connection, Int32(clamping: seconds * 1_000)) }

    /// Leaves the file of the write-ahead log in place when the connection closes, for the next one to use.
    func keepLog() { _ = CSQLiteKeepLog(connection) }

    /// Takes the write-ahead log over into the database, as far as readers allow: the next process would have to
    /// read all of it before its first search.
    func emptyLog() { sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) }

    /// Runs statements that give no rows.
    func execute(_ sql: String) throws { try check(sqlite3_exec(connection, sql, nil, nil, nil)) }

    /// The prepared form of `sql`, made once.
    func statement(_ sql: String) throws -> Statement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        var pointer: OpaquePointer?
        try check(sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil))
        guard let pointer else { throw DatabaseError(code: SQLITE_MISUSE) }
        let made = Statement(pointer)
        statements[sql] = made
        return made
    }

    /// Rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(connection)) }

    /// All or nothing. Waits for its turn to write.
    func transaction(_ work: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        do {
            try work()
            try execute("COMMIT")
        } catch {
            statements.values.forEach { $0.reset() }
            CSQLiteVocabularyReset(vocabulary)
            if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Everything `work` reads is of one moment, whatever others write meanwhile.
    func snapshot<T>(_ work: () throws -> T) throws -> T {
        try execute("BEGIN")
        defer {
            statements.values.forEach { $0.reset() }
            try? execute("COMMIT")
        }
        return try work()
    }

    /// From here on each word counts once more.
    func beginDocument() { CSQLiteVocabularyBeginDocument(vocabulary) }

    var collectedWords: Int { Int(CSQLiteVocabularyCount(vocabulary)) }

    /// Hands over the words collected so far, in the order of their bytes, and forgets them.
    func takeWords(_ body: (UnsafeBufferPointer<CChar>, _ documents: Int) throws -> Void) throws {
        CSQLiteVocabularySort(vocabulary)
        defer { CSQLiteVocabularyReset(vocabulary) }
        for index in 0..<CSQLiteVocabularyCount(vocabulary) {
            var length: Int32 = 0
            var documents: Int32 = 0
            guard let word = CSQLiteVocabularyWord(vocabulary, index, &length, &documents) else { continue }
            try body(UnsafeBufferPointer(start: word, count: Int(length)), Int(documents))
        }
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else {
            throw DatabaseError(
                code: max(code, sqlite3_extended_errcode(connection)), systemError: sqlite3_system_errno(connection))
        }
    }

    private static func escaped(_ path: String) -> String {
        var out = ""
        for character in path.unicodeScalars {
            switch character {
            case "%": out += "%25"
            case "?": out += "%3f"
            case "#": out += "%23"
            default: out.unicodeScalars.append(character)
            }
        }
        return out
    }
}

/// A prepared statement. Parameters and columns count from 1 and from 0, as in SQLite.
final class Statement {
    private let pointer: OpaquePointer

    fileprivate init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { sqlite3_finalize(pointer) }

    func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    func bind(_ index: Int32, _ value: Int?) {
        if let value { sqlite3_bind_int64(pointer, index, Int64(value)) } else { sqlite3_bind_null(pointer, index) }
    }

    func bind(_ index: Int32, _ value: Double?) {
        if let value { sqlite3_bind_double(pointer, index, value) } else { sqlite3_bind_null(pointer, index) }
    }

    func bind(_ index: Int32, _ value: String) {
        var value = value
        value.withUTF8 { bytes in
            // An empty text has no address, which SQLite would take for NULL.
            let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
            if let start { _ = CSQLiteBindText(pointer, index, start, Int32(clamping: bytes.count)) }
            else { _ = CSQLiteBindText(pointer, index, "", 0) }
        }
    }

    func bind(_ index: Int32, word: UnsafeBufferPointer<CChar>) {
        _ = CSQLiteBindText(pointer, index, word.baseAddress, Int32(clamping: word.count))
    }

    func bind(_ index: Int32, blob: [UInt8]) {
        blob.withUnsafeBytes { _ = CSQLiteBindBlob(pointer, index, $0.baseAddress, Int32(clamping: $0.count)) }
    }

    /// Runs to the end, and is ready to be bound again.
    func run() throws {
        while try step() {}
        reset()
    }

    /// Whether there is a (further) row.
    func step() throws -> Bool {
        let code = sqlite3_step(pointer)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else {
            let systemError = sqlite3_system_errno(sqlite3_db_handle(pointer))
            sqlite3_reset(pointer)
            throw DatabaseError(code: code, systemError: systemError)
        }
        return false
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }
    func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(pointer, column)) }
    func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }

    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(pointer, column) else { return "" }
        let count = Int(sqlite3_column_bytes(pointer, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The bytes are valid until the next step.
    func withBlob<T>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        let start = sqlite3_column_blob(pointer, column)
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column))))
    }
}
