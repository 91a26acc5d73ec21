/// The words of documents as the numbers of their terms, one row for each column that has any: the column (1 byte), how many
/// words, and their numbers, as varints. Frequent words come early and have small numbers, so most take a byte or two.
final class WordRows {
    private let bytes: ByteBuffer

    /// - Parameter capacity: bytes, which take no memory until they are written.
    init(capacity: Int) { bytes = ByteBuffer(capacity: capacity) }

    var count: Int { bytes.count }
    /// How many words the longest row has.
    private(set) var longest = 0

    func removeAll() {
        bytes.removeAll()
        longest = 0
    }

    /// - Parameter numbers: of four bytes each. No words make no row.
    func append(_ numbers: UnsafeRawBufferPointer, _ column: Column) {
        let count = numbers.count / 4
        guard count > 0 else { return }
        longest = max(longest, count)
        bytes.append(fixed: UInt8(column.rawValue))
        bytes.append(varint: UInt64(count))
        bytes.reserve(count * 5)
        var place = bytes.start + bytes.count
        let start = place
        for number in numbers.bindMemory(to: UInt32.self) { place += Varint.write(UInt64(number), at: place) }
        bytes.skip(place - start)
    }

    /// Appends rows that it has.
    func append(again rows: Range<Int>) {
        bytes.reserve(rows.count)
        bytes.append(bytes.bytes.part(rows.lowerBound, rows.count))
    }

    /// Calls `body` with each word's number, its column and its position there.
    @inline(__always) func eachWord(_ rows: Range<Int>, _ body: (_ term: Int, _ column: Int, _ position: Int) -> Void) {
        var place = UnsafeRawPointer(bytes.start + rows.lowerBound)
        let end = UnsafeRawPointer(bytes.start + rows.upperBound)
        while place < end {
            let column = Int(place.load(as: UInt8.self))
            place += 1
            for position in 0..<Int(truncatingIfNeeded: Varint.read(&place, end)) {
                body(Int(truncatingIfNeeded: Varint.read(&place, end)), column, position)
            }
        }
    }
}
