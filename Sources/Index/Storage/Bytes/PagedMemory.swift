internal import Glibc
internal import Memory

/// Memory of a size at which malloc gives a block pages of its own: they take memory when they are first used, and leave no
/// gaps between other blocks when the block grows or is freed.
enum PagedMemory {
    static let size = 1 << 20

    /// Zeros, which the caller must free. Aborts if there is no memory.
    static func zeros(_ size: Int) -> UnsafeMutableRawPointer {
        guard let memory = calloc(max(size, Self.size), 1) else { abort() }
        return memory
    }
}

extension GrowingBytes {
    /// A buffer with pages of its own, for `size` bytes or more.
    static func paged(_ size: Int = 0) -> GrowingBytes { GrowingBytes(capacity: max(PagedMemory.size, size)) }
}
