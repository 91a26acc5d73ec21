internal import Memory

/// The words of documents as the numbers of their terms, in rows of adjacent words: the column (1 byte), the position of the
/// first word, the number of words, and their numbers as varints. Frequent words come early and have small numbers, so most
/// take one or two bytes.
struct WordRows: ~Copyable {
    private var bytes: GrowingBytes

    /// - Parameter capacity: size in bytes. Memory is only used up to what is written.
    init(capacity: Int) { bytes = GrowingBytes(capacity: capacity) }

    var count: Int { bytes.count }
    /// A position that no word has: all are before it.
    private(set) var end = 0

    /// - Parameters:
    ///   - numbers: four bytes each. Nothing is appended if there are none.
    ///   - position: the column's rows must be appended in the order of their positions.
    mutating func append(_ numbers: ByteView, _ column: Column, at position: Int) {
        let count = numbers.count / 4
        guard count > 0 else { return }
        end = max(end, position + count)
        bytes.append(fixed: UInt8(column.rawValue))
        bytes.append(varint: UInt64(position))
        bytes.append(varint: UInt64(count))
        bytes.append(upTo: count * 5) { start in
            var address = start
            for number in numbers.raw.bindMemory(to: UInt32.self) { address += Varint.write(UInt64(number), at: address) }
            return address - start
        }
    }

    /// Appends a copy of existing rows.
    mutating func append(again rows: Range<Int>) {
        bytes.reserve(rows.count)
        bytes.append(bytes.view.part(rows.lowerBound, rows.count))
    }

    /// Forgets all rows, and releases their memory.
    mutating func release() { bytes = GrowingBytes(capacity: 0) }

    /// Calls `body` with the number, the column and the position of each word.
    @inline(__always) func eachWord(_ rows: Range<Int>, _ body: (_ term: Int, _ column: Int, _ position: Int) -> Void) {
        var address = UnsafeRawPointer(bytes.start + rows.lowerBound)
        let end = UnsafeRawPointer(bytes.start + rows.upperBound)
        while address < end {
            let column = Int(address.load(as: UInt8.self))
            address += 1
            let first = Int(truncatingIfNeeded: Varint.read(&address, end))
            for position in first..<first + Int(truncatingIfNeeded: Varint.read(&address, end)) {
                body(Int(truncatingIfNeeded: Varint.read(&address, end)), column, position)
            }
        }
    }
}
