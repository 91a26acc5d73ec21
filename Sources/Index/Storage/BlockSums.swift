internal import Memory

/// The sums of a file's blocks, as `CheckedFile` wants them.
struct BlockSums {
    let sums = ByteBuffer()
    private let block = ByteBuffer(capacity: CheckedFile.blockSize)

    func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while rest.count > 0 {
            let piece = rest.part(0, min(rest.count, CheckedFile.blockSize - block.count))
            rest = rest.part(piece.count, rest.count - piece.count)
            if piece.count == CheckedFile.blockSize {
                sums.append(fixed: CheckedFile.sum(piece))
            } else {
                block.append(piece)
                if block.count == CheckedFile.blockSize { finish() }
            }
        }
    }

    /// Ends the last block.
    func finish() {
        guard block.count > 0 else { return }
        sums.append(fixed: CheckedFile.sum(block.bytes))
        block.removeAll()
    }
}
