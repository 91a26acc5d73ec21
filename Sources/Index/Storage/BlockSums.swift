internal import Domain

/// A sum for each block of a file's bytes, four bytes each: the lower half of the hash. The last block is what is left.
struct BlockSums {
    static let blockShift = 10
    static let blockSize = 1 << blockShift
    static let sumSize = 4

    let sums = ByteBuffer()
    private let block = ByteBuffer(capacity: blockSize)

    func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while rest.count > 0 {
            let piece = rest.part(0, min(rest.count, Self.blockSize - block.count))
            rest = rest.part(piece.count, rest.count - piece.count)
            if piece.count == Self.blockSize {
                sums.append(fixed: Self.sum(piece))
            } else {
                block.append(piece)
                if block.count == Self.blockSize { finish() }
            }
        }
    }

    /// Ends the last block.
    func finish() {
        guard block.count > 0 else { return }
        sums.append(fixed: Self.sum(block.bytes))
        block.removeAll()
    }

    static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt32 { UInt32(truncatingIfNeeded: XXH64.hash(bytes)) }
}
