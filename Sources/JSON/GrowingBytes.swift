import Glibc

/// Bytes that grow at their end, without the checks that an array makes at each step: names, texts and commas are written
/// one by one, millions in a large refresh.
final class GrowingBytes {
    private(set) var start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity = 1_024

    init() { start = Self.checked(malloc(capacity)) }

    deinit { free(start) }

    /// Keeps the first `size` bytes, and the memory of the others.
    func cut(to size: Int) { count = min(count, size) }

    /// The end of the bytes, with room for `size` more; what is written there counts from `end(at:)` on.
    @inline(__always) func room(_ size: Int) -> UnsafeMutablePointer<UInt8> {
        if count + size > capacity { grow(to: count + size) }
        return start + count
    }

    @inline(__always) func end(at place: UnsafeMutablePointer<UInt8>) { count = place - start }

    /// The system moves large pieces of memory without copying them.
    @inline(never) private func grow(to size: Int) {
        capacity = max(capacity * 2, size)
        start = Self.checked(realloc(start, capacity))
    }

    /// Swift's own allocations end the process too where there is no memory.
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
