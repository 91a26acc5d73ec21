internal import CFiles
internal import Glibc

/// A file mapped into memory for reading. It remains valid as long as this object exists, even if the file is unlinked.
///
/// Unchecked because the compiler cannot see that nothing writes through the pointer, which is constant and unmapped in
/// `deinit`.
public final class MappedFile: @unchecked Sendable {
    public let bytes: UnsafeRawBufferPointer

    /// The reason why a file cannot be mapped.
    public struct Failure: Error, Hashable, Sendable {
        /// EINVAL if it is not a regular file.
        public let errno: Int32
    }

    public init(_ path: String) throws(Failure) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure(errno: errno) }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0 else { throw Failure(errno: errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw Failure(errno: EINVAL) }
        let size = Int(facts.st_size)
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), start != MAP_FAILED else {
            throw Failure(errno: errno)
        }
        bytes = UnsafeRawBufferPointer(start: start, count: size)
    }

    /// The offset of the first such byte in the range, which must be within the file.
    public func index(of byte: UInt8, in range: Range<Int>) -> Int? {
        guard let start = bytes.baseAddress, let hit = memchr(start + range.lowerBound, Int32(byte), range.count) else {
            return nil
        }
        return UnsafeRawPointer(hit) - start
    }

    /// The offset of the last such byte before an offset, which must be within the file.
    public func lastIndex(of byte: UInt8, before end: Int) -> Int? {
        guard let start = bytes.baseAddress, let hit = memrchr(start, Int32(byte), end) else { return nil }
        return UnsafeRawPointer(hit) - start
    }

    /// Returns the memory of read pages to the system. They are read from disk when they are used again.
    public func forget() {
        if let start = bytes.baseAddress { madvise(UnsafeMutableRawPointer(mutating: start), bytes.count, MADV_DONTNEED) }
    }

    deinit {
        if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) }
    }
}
