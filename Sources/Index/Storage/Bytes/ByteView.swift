internal import Glibc
internal import Memory

/// Bytes that something else holds: a mapped file, a buffer or a text. They are valid as long as that, and until it grows.
///
/// A `RawSpan` would let the compiler check that, but no function may return one yet, and cursors and segments store what
/// they read. Reading outside of the bytes ends the program; `number` and `part` take any offset, since a file may be
/// damaged.
struct ByteView: RandomAccessCollection {
    /// For calls of C and loops that follow addresses.
    let raw: UnsafeRawBufferPointer

    init(_ raw: UnsafeRawBufferPointer) { self.raw = raw }

    @inline(__always) init(start: UnsafeRawPointer?, count: Int) { raw = UnsafeRawBufferPointer(start: start, count: count) }

    init(_ slice: Slice<ByteView>) { raw = UnsafeRawBufferPointer(rebasing: slice.base.raw[slice.indices]) }

    static var none: ByteView { ByteView(start: nil, count: 0) }

    @inline(__always) var baseAddress: UnsafeRawPointer? { raw.baseAddress }
    @inline(__always) var count: Int { raw.count }
    @inline(__always) var startIndex: Int { 0 }
    @inline(__always) var endIndex: Int { raw.count }

    @inline(__always) subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < raw.count)
        return raw[index]
    }

    @inline(__always) func makeIterator() -> UnsafeRawBufferPointer.Iterator { raw.makeIterator() }

    @inline(__always) func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? { try raw.withContiguousStorageIfAvailable(body) }

    /// The number at any offset; 0 past the end.
    @inline(__always) func number<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
        guard offset >= 0, offset <= count - MemoryLayout<T>.size else { return 0 }
        return raw.loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// A part of the bytes; empty if it would exceed them.
    func part(_ offset: Int, _ size: Int) -> ByteView {
        guard offset >= 0, size >= 0, offset <= count, size <= count - offset else { return .none }
        return ByteView(start: raw.baseAddress.map { $0 + offset }, count: size)
    }

    /// The first eight bytes as a number that sorts the same way; missing bytes count as 0.
    var beginning: UInt64 {
        if count >= 8 { return raw.loadUnaligned(as: UInt64.self).bigEndian }
        return raw.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - count))
    }

    /// Lexicographic order of bytes.
    static func precedes(_ a: ByteView, _ b: ByteView) -> Bool { order(a, b) < 0 }

    static func order(_ a: ByteView, _ b: ByteView) -> Int {
        if let first = a.baseAddress, let second = b.baseAddress {
            let order = memcmp(first, second, Swift.min(a.count, b.count))
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }
}

// Passing on the bytes of other types.

extension String {
    /// Does not retain the string.
    @inline(__always) func withBytes<T>(_ body: (ByteView) throws -> T) rethrows -> T {
        if let result = try utf8.withContiguousStorageIfAvailable({ try body(ByteView(UnsafeRawBufferPointer($0))) }) {
            return result
        }
        var contiguous = self
        return try contiguous.withUTF8 { try body(ByteView(UnsafeRawBufferPointer($0))) }
    }
}

extension Array where Element: BitwiseCopyable {
    @inline(__always) func withBytes<T>(_ body: (ByteView) throws -> T) rethrows -> T {
        try withUnsafeBytes { try body(ByteView($0)) }
    }
}

extension Span<UInt8> {
    @inline(__always) func withBytes<T>(_ body: (ByteView) throws -> T) rethrows -> T {
        try withUnsafeBytes { try body(ByteView($0)) }
    }
}

extension GrowingBytes {
    /// Valid until the buffer grows.
    @inline(__always) var view: ByteView { ByteView(bytes) }

    mutating func append(_ bytes: ByteView) { append(bytes.raw) }

    /// Appends bytes of which most are one or two: for these a call would take longer than the copy.
    @inline(__always) mutating func append(short bytes: ByteView) {
        guard (1...2).contains(bytes.count) else { return append(bytes) }
        append(upTo: 2) { end in
            end.storeBytes(of: bytes[0], as: UInt8.self)
            end.storeBytes(of: bytes[bytes.count - 1], toByteOffset: bytes.count - 1, as: UInt8.self)
            return bytes.count
        }
    }
}
