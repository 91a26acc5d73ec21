internal import CPQ
import Domain

/// The rows that one statement returned.
///
/// Unchecked because the compiler cannot see that libpq never changes a result: it is only read, from any thread, and
/// freed with its last owner.
final class Rows: @unchecked Sendable, RandomAccessCollection {
    private let result: OpaquePointer
    /// The names of the columns; empty if there are no rows.
    private let columns: [String]
    let startIndex = 0
    let endIndex: Int

    init(_ result: OpaquePointer) {
        self.result = result
        endIndex = Int(pq_row_count(result))
        columns = endIndex > 0 ? (0..<pq_column_count(result)).map { String(cString: pq_column_name(result, $0)) } : []
    }

    deinit { pq_clear(result) }

    subscript(index: Int) -> Row { Row(rows: self, index: index) }

    /// nil for null.
    fileprivate func value(_ row: Int, _ name: String) -> UnsafeRawBufferPointer? {
        // The few names are compared faster than hashed.
        guard let column = columns.firstIndex(of: name) else {
            assertionFailure("the statement has no column \(name), only \(columns)")
            return nil
        }
        var length: Int32 = 0
        guard let start = pq_value(result, Int32(row), Int32(column), &length) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(length))
    }
}

extension [Rows] {
    /// The rows of all statements, one after the other.
    var all: [Row] {
        var all: [Row] = []
        for rows in self { for row in rows { all.append(row) } }
        return all
    }
}

/// One row. Its values have the names of the statement's columns; null is read as nil, 0 or empty.
struct Row: Sendable {
    fileprivate let rows: Rows
    fileprivate let index: Int

    func number(_ column: String) -> Int64? {
        rows.value(index, column).map { Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) }
    }

    func int(_ column: String) -> Int { Int(number(column) ?? 0) }
    func time(_ column: String) -> Timestamp? { number(column).map { Timestamp(seconds: $0) } }
    func bytes(_ column: String) -> [UInt8]? { rows.value(index, column).map { Array($0) } }
    func text(_ column: String) -> String { rows.value(index, column).map { String(decoding: $0, as: UTF8.self) } ?? "" }
}
