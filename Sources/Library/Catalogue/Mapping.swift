import Glibc

/// A file mapped into memory for reading.
///
/// Unchecked, because the compiler cannot see that nothing writes through the pointer and that it stays valid as long as
/// the object, which unmaps it in `deinit`.
final class Mapping: @unchecked Sendable {
    let start: UnsafeRawPointer
    let bytes: UnsafeRawBufferPointer

    /// nil if the file cannot be mapped.
    init?(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size > 0 else { return nil }
        let size = Int(facts.st_size)
        guard let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else { return nil }
        self.start = UnsafeRawPointer(start)
        bytes = UnsafeRawBufferPointer(start: start, count: size)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) }
}
