internal import Memory

/// Computes the checksums of a file's blocks, as `CheckedFile` expects them.
struct BlockSums: ~Copyable {
    private var sums = GrowingBytes()
    private var block = GrowingBytes(capacity: CheckedFile.blockSize)

    mutating func update(_ bytes: ByteView) {
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

    /// The sums so far, the last block's included, and begins anew.
    mutating func take() -> GrowingBytes {
        finish()
        return exchange(&sums, with: GrowingBytes())
    }

    private mutating func finish() {
        guard block.count > 0 else { return }
        sums.append(fixed: CheckedFile.sum(block.bytes.bytes))
        block.removeAll()
    }
}
