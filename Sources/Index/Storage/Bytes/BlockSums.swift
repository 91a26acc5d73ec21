internal import Memory

/// Computes the checksums of a file's blocks, as `CheckedFile` expects them.
struct BlockSums {
    let sums = ByteBuffer()
    private let block = ByteBuffer(capacity: CheckedFile.blockSize)

    func update(_ bytes: ByteView) {
        var remaining = bytes
        while remaining.count > 0 {
            let piece = remaining.part(0, min(remaining.count, CheckedFile.blockSize - block.count))
            remaining = remaining.part(piece.count, remaining.count - piece.count)
            if piece.count == CheckedFile.blockSize {
                sums.append(fixed: CheckedFile.sum(piece.raw.bytes))
            } else {
                block.append(piece)
                if block.count == CheckedFile.blockSize { finish() }
            }
        }
    }

    /// Completes the last block.
    func finish() {
        guard block.count > 0 else { return }
        sums.append(fixed: CheckedFile.sum(block.bytes.raw.bytes))
        block.removeAll()
    }
}
