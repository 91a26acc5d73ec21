/// Reads the output of `PositionsWriter`.
enum PositionsReader {
    /// Calls `body` with the column and position of each occurrence.
    @inline(__always) static func each(_ bytes: ByteView, _ body: (UInt8, UInt32) -> Void) {
        guard var address = bytes.baseAddress else { return }
        let end = address + bytes.count
        var (column, next) = (UInt8(0), UInt32(0))
        while address < end {
            let step = Varint.read(&address, end)
            if step == 0 {
                guard address < end else { return }
                column = address.load(as: UInt8.self)
                address += 1
                next = 0
            } else {
                next &+= UInt32(truncatingIfNeeded: step)
                body(column, next &- 1)
            }
        }
    }
}

extension OccurrenceList {
    /// Appends the occurrences in the output of `PositionsWriter`.
    @inline(__always) func append(_ bytes: ByteView) {
        PositionsReader.each(bytes) { append(Occurrence(column: $0, position: $1)) }
    }
}
