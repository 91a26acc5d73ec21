internal import Glibc

/// Bytes that grow at their end, without the uniqueness and bounds checks of an array: a large refresh appends names,
/// texts and commas one by one, in the millions. A copy of the reference shares the bytes.
public final class GrowingBytes {
    private struct State {
        var start: UnsafeMutableRawPointer
        var count = 0
        var capacity: Int
    }

    /// Stored behind a pointer, so that accesses are not checked for exclusivity: each ends before it returns.
    private let state: UnsafeMutablePointer<State>

    public init(capacity: Int = 1_024) {
        state = .allocate(capacity: 1)
        state.initialize(to: State(start: Self.checked(malloc(capacity)), capacity: capacity))
    }

    deinit {
        free(state.pointee.start)
        state.deallocate()
    }

    /// Valid until the buffer grows.
    @inline(__always) public var start: UnsafeMutableRawPointer { state.pointee.start }

    @inline(__always) public private(set) var count: Int {
        get { state.pointee.count }
        set { state.pointee.count = newValue }
    }

    /// Valid as long as this object exists and until it grows.
    @inline(__always) public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    public func removeAll() { count = 0 }

    /// Keeps the first `size` bytes.
    public func cut(to size: Int) { count = min(count, max(0, size)) }

    /// Reserves capacity for `size` more bytes.
    @inline(__always) public func reserve(_ size: Int) {
        if count + size > state.pointee.capacity { grow(to: count + size) }
    }

    /// realloc remaps large blocks instead of copying them.
    @inline(never) private func grow(to size: Int) {
        let capacity = max(state.pointee.capacity * 2, size)
        state.pointee.start = Self.checked(realloc(start, capacity))
        state.pointee.capacity = capacity
    }

    /// Aborts if there is no memory, as Swift's own allocations do.
    private static func checked(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
        guard let memory else { abort() }
        return memory
    }

    // MARK: Appending

    @inline(__always) public func append(_ byte: UInt8) {
        reserve(1)
        start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always) public func append(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        reserve(bytes.count)
        (start + count).copyMemory(from: base, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always) public func append(_ bytes: UnsafeBufferPointer<UInt8>) { append(UnsafeRawBufferPointer(bytes)) }

    public func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes to be overwritten, now or later through `start`. Returns their address, which is valid until the
    /// buffer grows.
    @discardableResult
    @inline(__always) public func skip(_ size: Int) -> UnsafeMutableRawPointer {
        reserve(size)
        count += size
        return start + (count - size)
    }
}
