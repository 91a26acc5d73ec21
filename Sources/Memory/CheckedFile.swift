internal import Domain
internal import Glibc

/// The bytes of a file, checked as they are read: a block the first time that anything in it is looked at, so that
/// a search hashes no more than it touches.
///
/// What is damaged is read all the same, which gives wrong answers at worst: whoever asked looks at `isDamaged` when
/// all is read, instead of at every step.
public final class CheckedFile {
    public static let blockShift = 10
    /// Bytes that have a sum; the last block is what is left.
    public static let blockSize = 1 << blockShift
    /// Bytes of a sum: the lower half of the hash.
    public static let sumSize = 4

    public private(set) var isDamaged = false
    private let file: MappedFile
    /// What has sums.
    @usableFromInline let start: UnsafeRawPointer
    @usableFromInline let count: Int
    private let sums: UnsafeRawBufferPointer
    /// A bit for each block: whether it was checked.
    @usableFromInline let seen: UnsafeMutablePointer<UInt64>

    /// nil where there are not as many sums as blocks.
    ///
    /// - Parameters:
    ///   - bytes: the part of the file that has sums.
    ///   - sums: the part that they are in.
    public init?(_ file: MappedFile, _ bytes: UnsafeRawBufferPointer, sums: UnsafeRawBufferPointer) {
        let blocks = (bytes.count + Self.blockSize - 1) / Self.blockSize
        guard let start = bytes.baseAddress, sums.count == blocks * Self.sumSize else { return nil }
        // Swift's own allocations end the process too where there is no memory.
        guard let seen = calloc(blocks / 64 + 1, 8) else { abort() }
        self.seen = seen.bindMemory(to: UInt64.self, capacity: blocks / 64 + 1)
        (self.file, self.start, self.sums, count) = (file, start, sums, bytes.count)
    }

    deinit { free(seen) }

    /// What stands in the file for a block.
    public static func sum(_ block: UnsafeRawBufferPointer) -> UInt32 { UInt32(truncatingIfNeeded: XXH64.hash(block)) }

    /// Says that these bytes will be read; those past the checked part do not count.
    @inlinable @inline(__always) public func check(_ place: UnsafeRawPointer, _ size: Int) {
        let offset = place - start
        guard offset >= 0, size > 0, offset <= count &- size else { return }
        let (first, last) = (offset >> Self.blockShift, (offset &+ size &- 1) >> Self.blockShift)
        if last &- first > 1 || !isSeen(first) || !isSeen(last) { check(first...last) }
    }

    @inlinable @inline(__always) func isSeen(_ block: Int) -> Bool { seen[block >> 6] & 1 << UInt64(block & 63) != 0 }

    @usableFromInline @inline(never) func check(_ blocks: ClosedRange<Int>) {
        for block in blocks where !isSeen(block) {
            seen[block >> 6] |= 1 << UInt64(block & 63)
            let offset = block * Self.blockSize
            let bytes = UnsafeRawBufferPointer(start: start + offset, count: min(Self.blockSize, count - offset))
            if Self.sum(bytes) != sums.loadUnaligned(fromByteOffset: block * Self.sumSize, as: UInt32.self) { isDamaged = true }
        }
    }

    /// Some at a time, so that a large file takes no more memory than a small one.
    public func checkAll() {
        let portion = 256 << 10
        for offset in stride(from: 0, to: count, by: portion) {
            check(start + offset, min(portion, count - offset))
            if count > portion { forget() }
        }
    }

    /// See `MappedFile`. What was checked stays so.
    public func forget() { file.forget() }

    /// What was read cannot be what was written.
    public func noteDamage() { isDamaged = true }
}
