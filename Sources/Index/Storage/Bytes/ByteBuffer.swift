internal import Glibc

/// Bytes that grow at their end, without the checks that an array makes at each step.
///
/// A large refresh writes tens of millions of positions and terms one by one. `GrowingBytes` would make that 5% slower:
/// across modules the compiler cannot tell that its accesses never overlap.
final class ByteBuffer {
    private(set) var start: UnsafeMutableRawPointer
    private(set) var count = 0
    private var capacity: Int

    /// A capacity at which malloc gives a buffer pages of its own: they take memory when they are first used, and leave no
    /// gaps between other blocks when the buffer grows or is freed.
    static let pagedSize = 1 << 20

    /// A buffer with pages of its own, for `size` bytes or more.
    static func paged(_ size: Int = 0) -> ByteBuffer { ByteBuffer(capacity: max(pagedSize, size)) }

    init(capacity: Int = 4_096) {
        self.capacity = capacity
        start = Self.checked(malloc(capacity))
    }

    deinit { free(start) }

    /// Zeros with pages of their own (see `pagedSize`), which the caller must free.
    static func zeros(_ size: Int) -> UnsafeMutableRawPointer { checked(calloc(max(size, pagedSize), 1)) }

    /// Valid as long as this object exists and until it grows.
    var bytes: ByteView { ByteView(start: start, count: count) }

    /// The content as values of fixed size, to be read and changed in place. Valid until the buffer grows.
    @inline(__always) func values<T: BitwiseCopyable>(as type: T.Type) -> UnsafeMutableBufferPointer<T> {
        UnsafeMutableBufferPointer(start: start.assumingMemoryBound(to: type), count: count / MemoryLayout<T>.stride)
    }

    func removeAll() { count = 0 }

    /// Keeps the first `size` bytes.
    func cut(to size: Int) { count = min(count, max(0, size)) }

    /// Reserves capacity for `size` more bytes.
    @inline(__always) func reserve(_ size: Int) {
        if count + size > capacity { grow(to: count + size) }
    }

    /// realloc remaps large blocks instead of copying them.
    @inline(never) private func grow(to size: Int) {
        capacity = max(capacity * 2, size)
        start = Self.checked(realloc(start, capacity))
    }

    /// Aborts if there is no memory, as Swift's own allocations do.
    private static func checked(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
        guard let memory else { abort() }
        return memory
    }

    func append(_ bytes: ByteView) {
        guard let base = bytes.baseAddress else { return }
        reserve(bytes.count)
        (start + count).copyMemory(from: base, byteCount: bytes.count)
        count += bytes.count
    }

    func append(_ bytes: Span<UInt8>) { bytes.withBytes { append($0) } }

    /// Appends bytes of which most are one or two: for these a call would take longer than the copy.
    @inline(__always) func append(short bytes: ByteView) {
        guard (1...2).contains(bytes.count) else { return append(bytes) }
        reserve(2)
        (start + count).storeBytes(of: bytes[0], as: UInt8.self)
        (start + count + bytes.count - 1).storeBytes(of: bytes[bytes.count - 1], as: UInt8.self)
        count += bytes.count
    }

    /// Appends a value of fixed size, in the machine's byte order, where `values` finds it.
    func append<T: BitwiseCopyable>(fixed value: T) {
        reserve(MemoryLayout<T>.stride)
        (start + count).storeBytes(of: value, as: T.self)
        count += MemoryLayout<T>.stride
    }

    @inline(__always) func append(varint value: UInt64) {
        reserve(10)
        count += Varint.write(value, at: start + count)
    }

    /// Appends bytes to be overwritten, now or later through `start`. Returns their address, which is valid until the
    /// buffer grows.
    @discardableResult
    @inline(__always) func skip(_ size: Int) -> UnsafeMutableRawPointer {
        reserve(size)
        count += size
        return start + (count - size)
    }
}

/// Encodes numbers in as few bytes as possible: seven bits per byte, the lowest first; the high bit is set if more
/// follow.
enum Varint {
    /// Returns the number of bytes written, ten at most.
    @inline(__always) static func write(_ value: UInt64, at address: UnsafeMutableRawPointer) -> Int {
        var remaining = value
        var size = 0
        while remaining >= 0x80 {
            address.storeBytes(of: UInt8(truncatingIfNeeded: remaining) | 0x80, toByteOffset: size, as: UInt8.self)
            remaining >>= 7
            size += 1
        }
        address.storeBytes(of: UInt8(truncatingIfNeeded: remaining), toByteOffset: size, as: UInt8.self)
        return size + 1
    }

    /// Reads the number at `address` and moves `address` past it, but never past `end`, where the result is 0.
    @inline(__always) static func read(_ address: inout UnsafeRawPointer, _ end: UnsafeRawPointer) -> UInt64 {
        guard address < end else { return 0 }
        let first = address.load(as: UInt8.self)
        address += 1
        return first < 0x80 ? UInt64(first) : readLonger(UInt64(first & 0x7F), &address, end)
    }

    /// Moves `address` past `count` numbers, but never past `end`.
    @inline(__always) static func skip(_ count: Int, _ address: inout UnsafeRawPointer, _ end: UnsafeRawPointer) {
        var remaining = count
        while remaining > 0, address < end {
            // Counts the numbers that end within the next eight bytes.
            if remaining >= 8, end - address >= 8 {
                let ends = ~address.loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080
                remaining -= ends.nonzeroBitCount
                address += 8
            } else {
                if address.load(as: UInt8.self) < 0x80 { remaining -= 1 }
                address += 1
            }
        }
    }

    private static func readLonger(_ first: UInt64, _ address: inout UnsafeRawPointer, _ end: UnsafeRawPointer) -> UInt64 {
        var value = first
        var shift: UInt64 = 7
        while address < end, shift < 64 {
            let byte = address.load(as: UInt8.self)
            address += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return value
    }
}
