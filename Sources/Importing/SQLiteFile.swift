internal import Addresses
internal import CSQLite
internal import Domain
internal import Glibc

/// A database of another program, open for reading. Nothing in its folder is changed.
final class SQLiteFile {
    /// The bytes with which every database begins. Source: https://sqlite.org/fileformat.html
    static let magic = Array("SQLite format 3\0".utf8)

    private let database: OpaquePointer

    /// - Throws: `ImportFailure`.
    init(_ path: String) throws(ImportFailure) {
        var error: Int32 = 0
        guard sqlite_load(&error) else { throw .noLibrary(errno: error) }
        var status = sqlite_ok
        guard let database = sqlite_open(Self.uri(path), &status) else { throw ImportFailure(status) }
        self.database = database
    }

    deinit { sqlite_close(database) }

    /// A database that nobody writes is opened as unchangeable: SQLite then makes no files beside it. One with changes in
    /// a journal must be read with that.
    private static func uri(_ path: String) -> String {
        let hasJournal = ["-wal", "-journal"].contains { suffix in
            var facts = stat()
            return stat(path + suffix, &facts) == 0 && facts.st_size > 0
        }
        let url = FeedURL.file(path: path)?.url ?? "file:"
        return "\(url)?mode=ro\(hasJournal ? "" : "&immutable=1")"
    }

    // MARK: Tables

    /// The names of the columns of a table; empty if it does not exist.
    func columns(of table: String) throws(ImportFailure) -> Set<String> {
        var names: Set<String> = []
        try query("SELECT name FROM pragma_table_info('\(table)')") { row in if let name = row.text(0) { names.insert(name) } }
        return names
    }

    /// Reads the rows of a table. Columns that this version of the program does not have are NULL.
    ///
    /// - Parameter order: the column by which the rows are ordered.
    func rows(
        of table: String, _ columns: [String], order: String, _ body: (SQLiteRow) -> Void
    ) throws(ImportFailure) {
        let present = try self.columns(of: table)
        let selected = columns.map { present.contains($0) ? "\"\($0)\"" : "NULL" }.joined(separator: ", ")
        try query("SELECT \(selected) FROM \"\(table)\" ORDER BY \"\(order)\"", body)
    }

    private func query(_ text: String, _ body: (SQLiteRow) -> Void) throws(ImportFailure) {
        var status = sqlite_ok
        guard let statement = sqlite_prepare(database, text, &status) else { throw ImportFailure(status) }
        defer { sqlite_finalize(statement) }
        while sqlite_step(statement, &status) { body(SQLiteRow(statement: statement)) }
        guard status == sqlite_ok else { throw ImportFailure(status) }
    }
}

/// The current row of a query.
struct SQLiteRow {
    fileprivate let statement: OpaquePointer

    /// nil for NULL and for an empty text.
    func text(_ column: Int) -> String? {
        var count: Int32 = 0
        guard let bytes = sqlite_text(statement, Int32(column), &count), count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }

    func integer(_ column: Int) -> Int64 { sqlite_integer(statement, Int32(column)) }
    func number(_ column: Int) -> Double { sqlite_number(statement, Int32(column)) }

    /// nil if it is not later than 1970, or cannot be written.
    ///
    /// - Parameter unit: how many of them are a second.
    func time(_ column: Int, unit: Int64 = 1) -> Timestamp? {
        let time = Timestamp(seconds: integer(column) / unit)
        return time.seconds > 0 && Timestamp.writable.contains(time) ? time : nil
    }

    /// Seconds; nil if there are none, or more than an episode can have.
    func seconds(_ column: Int, unit: Double = 1) -> Double? {
        let seconds = number(column) / unit
        return seconds > 0 && seconds <= Double(Bookmark.maxSeconds) ? seconds : nil
    }
}

extension ImportFailure {
    fileprivate init(_ status: sqlite_status) {
        self =
            switch status {
            case sqlite_busy: .busy
            case sqlite_damaged: .damaged
            case sqlite_denied: .denied
            default: .failed
            }
    }
}
