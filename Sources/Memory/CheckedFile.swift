internal import Domain
internal import Glibc

/// The bytes of a file, checked as they are read: a block is checked the first time that anything in it is used, so a
/// search hashes no more than it touches.
///
/// Damaged bytes are read all the same, and give wrong answers at worst. Callers test `isDamaged` once, after they have
/// read everything.
public final class CheckedFile {
    public static let blockShift = 10
    /// Bytes per checksum. The last block may be shorter.
    public static let blockSize = 1 << blockShift
    /// Bytes of a checksum: the lower half of the hash.
    public static let sumSize = 4

    public private(set) var isDamaged = false
    /// Bytes that were checked so far.
    public private(set) var checkedSize = 0
    private let file: MappedFile
    /// Start of the bytes that have checksums.
    @usableFromInline let start: UnsafeRawPointer
    @usableFromInline let count: Int
    private let sums: UnsafeRawBufferPointer
    /// A bit for each block, set once it was checked.
    @usableFromInline let seen: UnsafeMutablePointer<UInt64>

    /// nil if the number of checksums does not match the number of blocks.
    ///
    /// - Parameters:
    ///   - bytes: the part of the file that has checksums.
    ///   - sums: the part that contains the checksums.
    public init?(_ file: MappedFile, _ bytes: UnsafeRawBufferPointer, sums: UnsafeRawBufferPointer) {
        let blocks = (bytes.count + Self.blockSize - 1) / Self.blockSize
        guard let start = bytes.baseAddress, sums.count == blocks * Self.sumSize else { return nil }
        // Without memory, the process aborts, as it does in Swift's own allocations.
        guard let seen = calloc(blocks / 64 + 1, 8) else { abort() }
        self.seen = seen.bindMemory(to: UInt64.self, capacity: blocks / 64 + 1)
        (self.file, self.start, self.sums, count) = (file, start, sums, bytes.count)
    }

    deinit { free(seen) }

    /// The checksum of a block.
    public static func sum(_ block: RawSpan) -> UInt32 { UInt32(truncatingIfNeeded: XXH64.hash(block)) }

    /// Checks the blocks of bytes that are about to be read. Bytes outside the checked part are ignored.
    @inlinable @inline(__always) public func check(_ address: UnsafeRawPointer, _ size: Int) {
        let offset = address - start
        guard offset >= 0, size > 0, offset <= count &- size else { return }
        let (first, last) = (offset >> Self.blockShift, (offset &+ size &- 1) >> Self.blockShift)
        if last &- first > 1 || !isSeen(first) || !isSeen(last) { check(first...last) }
    }

    @inlinable @inline(__always) func isSeen(_ block: Int) -> Bool { seen[block >> 6] & 1 << UInt64(block & 63) != 0 }

    @usableFromInline @inline(never) func check(_ blocks: ClosedRange<Int>) {
        for block in blocks where !isSeen(block) {
            seen[block >> 6] |= 1 << UInt64(block & 63)
            checkedSize += Self.blockSize
            let offset = block * Self.blockSize
            let bytes = UnsafeRawBufferPointer(start: start + offset, count: min(Self.blockSize, count - offset))
            if Self.sum(bytes.bytes) != sums.loadUnaligned(fromByteOffset: block * Self.sumSize, as: UInt32.self) {
                isDamaged = true
            }
        }
    }

    /// Checks all blocks, releasing memory in between, so that a large file takes no more memory than a small one.
    public func checkAll() {
        let releaseInterval = 256 << 10
        for offset in stride(from: 0, to: count, by: releaseInterval) {
            check(start + offset, min(releaseInterval, count - offset))
            if count > releaseInterval { forget() }
        }
    }

    /// See `MappedFile`. Checked blocks remain checked.
    public func forget() { file.forget() }

    /// Called if the contents cannot be what was written.
    public func noteDamage() { isDamaged = true }
}
