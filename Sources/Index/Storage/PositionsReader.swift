/// Reads what `PositionsWriter` wrote.
enum PositionsReader {
    /// Calls `body` with the column and the position of each.
    @inline(__always) static func each(_ bytes: UnsafeRawBufferPointer, _ body: (UInt8, UInt32) -> Void) {
        guard var place = bytes.baseAddress else { return }
        let end = place + bytes.count
        var (column, next) = (UInt8(0), UInt32(0))
        while place < end {
            let step = Varint.read(&place, end)
            if step == 0 {
                guard place < end else { return }
                column = place.load(as: UInt8.self)
                place += 1
                next = 0
            } else {
                next &+= UInt32(truncatingIfNeeded: step)
                body(column, next &- 1)
            }
        }
    }
}

extension OccurrenceList {
    /// Adds what `PositionsWriter` wrote.
    @inline(__always) func append(_ bytes: UnsafeRawBufferPointer) {
        PositionsReader.each(bytes) { append(Occurrence(column: $0, position: $1)) }
    }
}
