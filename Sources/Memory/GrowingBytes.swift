internal import Glibc

/// Bytes that grow at their end, without the uniqueness and bounds checks of an array: a large refresh appends names,
/// texts, terms and positions one by one, in the tens of millions. It has one owner, who frees it.
///
/// A class that appends in a hot loop should pass it on `inout` once, since each access to a property of a class is checked
/// for exclusivity.
public struct GrowingBytes: ~Copyable {
    @usableFromInline var memory: UnsafeMutableRawPointer
    @usableFromInline var used = 0
    @usableFromInline var capacity: Int

    public init(capacity: Int = 1_024) {
        memory = Self.checked(malloc(capacity))
        self.capacity = capacity
    }

    deinit { free(memory) }

    /// Valid until the buffer grows.
    @inlinable @inline(__always) public var start: UnsafeMutableRawPointer { memory }

    @inlinable @inline(__always) public var count: Int { used }

    /// Valid until the buffer grows.
    @inlinable @inline(__always) public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: used) }

    /// Passes on the bytes for as long as `body` runs.
    @inlinable @inline(__always) public func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        try body(bytes.bytes)
    }

    /// The content as values of fixed size, to be read and changed in place. Valid until the buffer grows.
    @inlinable @inline(__always) public func values<T: BitwiseCopyable>(as type: T.Type) -> UnsafeMutableBufferPointer<T> {
        UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: type), count: used / MemoryLayout<T>.stride)
    }

    @inlinable public mutating func removeAll() { used = 0 }

    /// Keeps the first `size` bytes.
    @inlinable public mutating func cut(to size: Int) { used = min(used, max(0, size)) }

    /// Reserves capacity for `size` more bytes.
    @inlinable @inline(__always) public mutating func reserve(_ size: Int) {
        if used + size > capacity { grow(to: used + size) }
    }

    /// realloc remaps large blocks instead of copying them.
    @inline(never) @usableFromInline mutating func grow(to size: Int) {
        capacity = max(capacity * 2, size)
        memory = Self.checked(realloc(memory, capacity))
    }

    /// Aborts if there is no memory, as Swift's own allocations do.
    private static func checked(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
        guard let memory else { abort() }
        return memory
    }

    // MARK: Appending

    @inlinable @inline(__always) public mutating func append(_ byte: UInt8) { append(fixed: byte) }

    @inlinable @inline(__always) public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        skip(bytes.count).copyMemory(from: base, byteCount: bytes.count)
    }

    @inlinable @inline(__always) public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        append(UnsafeRawBufferPointer(bytes))
    }

    @inlinable @inline(__always) public mutating func append(_ bytes: RawSpan) { bytes.withUnsafeBytes { append($0) } }

    @inlinable public mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a value of fixed size, in the machine's byte order, where `values` finds it.
    @inlinable @inline(__always) public mutating func append<T: BitwiseCopyable>(fixed value: T) {
        skip(MemoryLayout<T>.stride).storeBytes(of: value, as: T.self)
    }

    /// Appends bytes to be overwritten, now or later through `start`. Returns their address, which is valid until the
    /// buffer grows.
    @discardableResult
    @inlinable @inline(__always) public mutating func skip(_ size: Int) -> UnsafeMutableRawPointer {
        reserve(size)
        used += size
        return memory + (used - size)
    }

    /// Appends bytes that `write` puts directly into the buffer.
    ///
    /// - Parameters:
    ///   - room: the most bytes that `write` may write.
    ///   - write: returns the number of bytes it wrote.
    @inlinable @inline(__always) public mutating func append(
        upTo room: Int, _ write: (UnsafeMutableRawPointer) throws -> Int
    ) rethrows {
        reserve(room)
        used += try write(memory + used)
    }
}
