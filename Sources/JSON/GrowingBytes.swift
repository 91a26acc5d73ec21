import Glibc

/// A growing byte buffer without the uniqueness and bounds checks of an array: a large refresh appends millions of names,
/// texts and commas, one by one.
final class GrowingBytes {
    private(set) var start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity = 1_024

    init() { start = Self.checked(malloc(capacity)) }

    deinit { free(start) }

    /// Drops all but the first `size` bytes and keeps the capacity.
    func cut(to size: Int) { count = min(count, size) }

    /// A pointer to the end, with room for `size` more bytes. Call `end(at:)` after writing there.
    @inline(__always) func room(_ size: Int) -> UnsafeMutablePointer<UInt8> {
        if count + size > capacity { grow(to: count + size) }
        return start + count
    }

    @inline(__always) func end(at place: UnsafeMutablePointer<UInt8>) { count = place - start }

    /// realloc remaps large blocks instead of copying them.
    @inline(never) private func grow(to size: Int) {
        capacity = max(capacity * 2, size)
        start = Self.checked(realloc(start, capacity))
    }

    /// Out of memory ends the process, as it does in Swift's own allocations.
    private static func checked(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<UInt8> {
        guard let memory else { abort() }
        return memory.assumingMemoryBound(to: UInt8.self)
    }

    @inline(__always) func append(_ byte: UInt8) {
        room(1).pointee = byte
        count += 1
    }

    @inline(__always) func append(_ bytes: UnsafePointer<UInt8>, _ size: Int) {
        room(size).update(from: bytes, count: size)
        count += size
    }

    func append(_ text: StaticString) { append(text.utf8Start, text.utf8CodeUnitCount) }
}
