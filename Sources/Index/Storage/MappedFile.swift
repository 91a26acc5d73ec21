internal import CFiles
internal import Glibc

/// A file as bytes in memory, read as they are touched. Valid as long as this object, even when the file is unlinked.
///
/// Unchecked, because a pointer says nothing of threads: nobody writes a published file, and `bytes` is constant.
final class MappedFile: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    /// - Throws: `StorageError` with the system's number.
    init(_ path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw StorageError(errno: errno) }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0 else { throw StorageError(errno: errno) }
        let size = Int(facts.st_size)
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), start != MAP_FAILED else {
            throw StorageError(errno: errno)
        }
        bytes = UnsafeRawBufferPointer(start: start, count: size)
    }

    /// Gives the memory back that was needed to read it until now; it is read again where it is touched again.
    func forget() {
        if let start = bytes.baseAddress { madvise(UnsafeMutableRawPointer(mutating: start), bytes.count, MADV_DONTNEED) }
    }

    deinit {
        if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) }
    }
}

/// A system call on a file of the index failed.
struct StorageError: Error {
    let errno: Int32
}

/// A file of the index is not what was written.
struct StorageDamage: Error {}
