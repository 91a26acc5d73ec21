internal import Glibc
internal import Memory

/// The bytes of a segment, checked as they are read: a block the first time that anything in it is looked at, so that
/// a search hashes no more than it touches.
///
/// What is damaged is read all the same, which gives wrong answers at worst: whoever asked looks at `isDamaged` when
/// all is read, instead of at every step.
final class CheckedFile {
    private(set) var isDamaged = false
    private let file: MappedFile
    /// What has sums.
    private let start: UnsafeRawPointer
    private let count: Int
    private let sums: UnsafeRawBufferPointer
    /// A bit for each block: whether it was checked.
    private let seen: UnsafeMutablePointer<UInt64>
    private let blocks: Int

    /// - Parameters:
    ///   - bytes: the part of the file that has sums.
    ///   - sums: the part that they are in, see `BlockSums`.
    /// - Throws: `StorageError`, `StorageDamage`.
    init(_ file: MappedFile, _ bytes: UnsafeRawBufferPointer, sums: UnsafeRawBufferPointer) throws {
        blocks = (bytes.count + BlockSums.blockSize - 1) / BlockSums.blockSize
        guard let start = bytes.baseAddress, sums.count == blocks * BlockSums.sumSize else { throw StorageDamage() }
        guard let seen = calloc(blocks / 64 + 1, 8) else { throw StorageError(errno: ENOMEM) }
        self.seen = seen.bindMemory(to: UInt64.self, capacity: blocks / 64 + 1)
        (self.file, self.start, self.sums, count) = (file, start, sums, bytes.count)
    }

    deinit { free(seen) }

    /// Says that these bytes will be read; those past the checked part do not count.
    @inline(__always) func check(_ place: UnsafeRawPointer, _ size: Int) {
        let offset = place - start
        guard offset >= 0, size > 0, offset <= count &- size else { return }
        let (first, last) = (offset >> BlockSums.blockShift, (offset &+ size &- 1) >> BlockSums.blockShift)
        if last &- first > 1 || !isSeen(first) || !isSeen(last) { check(first...last) }
    }

    @inline(__always) private func isSeen(_ block: Int) -> Bool { seen[block >> 6] & 1 << UInt64(block & 63) != 0 }

    @inline(never) private func check(_ blocks: ClosedRange<Int>) {
        for block in blocks where !isSeen(block) {
            seen[block >> 6] |= 1 << UInt64(block & 63)
            let offset = block * BlockSums.blockSize
            let bytes = UnsafeRawBufferPointer(start: start + offset, count: min(BlockSums.blockSize, count - offset))
            if BlockSums.sum(bytes) != sums.number(block * BlockSums.sumSize, as: UInt32.self) { isDamaged = true }
        }
    }

    /// Some at a time, so that a large file takes no more memory than a small one.
    func checkAll() {
        let portion = 256 << 10
        for offset in stride(from: 0, to: count, by: portion) {
            check(start + offset, min(portion, count - offset))
            if count > portion { forget() }
        }
    }

    /// See `MappedFile`. What was checked stays so.
    func forget() { file.forget() }

    /// What was read cannot be what was written.
    func noteDamage() { isDamaged = true }
}
