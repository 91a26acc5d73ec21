internal import Glibc

/// Bytes that grow at their end, without the checks that an array makes at each step.
///
/// Positions and terms are written one by one, tens of millions in a large refresh. `GrowingBytes` would make that slower by
/// a twentieth: across modules the compiler cannot tell that its accesses never overlap.
final class ByteBuffer {
    private(set) var start: UnsafeMutableRawPointer
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int = 4_096) {
        self.capacity = capacity
        start = Self.checked(malloc(capacity))
    }

    deinit { free(start) }

    /// Valid as long as this object, and until it grows.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    func removeAll() { count = 0 }

    /// Keeps the first `size` bytes.
    func cut(to size: Int) { count = min(count, max(0, size)) }

    /// Makes room for `size` bytes more.
    @inline(__always) func reserve(_ size: Int) {
        if count + size > capacity { grow(to: count + size) }
    }

    /// The system moves large buffers without copying them.
    @inline(never) private func grow(to size: Int) {
        capacity = max(capacity * 2, size)
        start = Self.checked(realloc(start, capacity))
    }

    /// Swift's own allocations end the process too where there is no memory.
    private static func checked(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
        guard let memory else { abort() }
        return memory
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        reserve(bytes.count)
        (start + count).copyMemory(from: base, byteCount: bytes.count)
        count += bytes.count
    }

    /// Where most are of one byte or two: a call would take longer than the copy.
    @inline(__always) func append(short bytes: UnsafeRawBufferPointer) {
        guard (1...2).contains(bytes.count) else { return append(bytes) }
        reserve(2)
        (start + count).storeBytes(of: bytes[0], as: UInt8.self)
        (start + count + bytes.count - 1).storeBytes(of: bytes[bytes.count - 1], as: UInt8.self)
        count += bytes.count
    }

    /// A number of fixed size, in the machine's byte order.
    func append<T: BitwiseCopyable>(fixed value: T) {
        reserve(MemoryLayout<T>.size)
        (start + count).storeBytes(of: value, as: T.self)
        count += MemoryLayout<T>.size
    }

    @inline(__always) func append(varint value: UInt64) {
        reserve(10)
        count += Varint.write(value, at: start + count)
    }

    /// Bytes to be overwritten, now or later through `start`. Returns where they are until the buffer grows again.
    @discardableResult
    @inline(__always) func skip(_ size: Int) -> UnsafeMutableRawPointer {
        reserve(size)
        count += size
        return start + (count - size)
    }
}

/// Numbers in as many bytes as they need: seven bits each, the lowest first; the high bit says that more follow.
enum Varint {
    /// Returns how many bytes were written, ten at most.
    @inline(__always) static func write(_ value: UInt64, at place: UnsafeMutableRawPointer) -> Int {
        var rest = value
        var size = 0
        while rest >= 0x80 {
            place.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: size, as: UInt8.self)
            rest >>= 7
            size += 1
        }
        place.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: size, as: UInt8.self)
        return size + 1
    }

    /// How many bytes `write` writes.
    @inline(__always) static func size(_ value: UInt64) -> Int { ((64 - (value | 1).leadingZeroBitCount) * 9 + 64) >> 6 }

    /// Reads at `place` and moves it behind the number; never past `end`, where it gives 0.
    @inline(__always) static func read(_ place: inout UnsafeRawPointer, _ end: UnsafeRawPointer) -> UInt64 {
        guard place < end else { return 0 }
        let first = place.load(as: UInt8.self)
        place += 1
        return first < 0x80 ? UInt64(first) : readRest(UInt64(first & 0x7F), &place, end)
    }

    /// Moves `place` behind so many numbers, and not past `end`.
    @inline(__always) static func skip(_ count: Int, _ place: inout UnsafeRawPointer, _ end: UnsafeRawPointer) {
        var remaining = count
        while remaining > 0, place < end {
            // The bytes that end a number, of eight at once.
            if remaining >= 8, end - place >= 8 {
                let ends = ~place.loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080
                remaining -= ends.nonzeroBitCount
                place += 8
            } else {
                if place.load(as: UInt8.self) < 0x80 { remaining -= 1 }
                place += 1
            }
        }
    }

    private static func readRest(_ first: UInt64, _ place: inout UnsafeRawPointer, _ end: UnsafeRawPointer) -> UInt64 {
        var value = first
        var shift: UInt64 = 7
        while place < end, shift < 64 {
            let byte = place.load(as: UInt8.self)
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return value
    }
}

extension UnsafeRawBufferPointer {
    /// The number at this place, which may be anywhere; zeros past the end, so that a damaged file harms nothing.
    @inline(__always) func number<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
        guard offset >= 0, offset <= count - MemoryLayout<T>.size else { return 0 }
        return loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// A part of the bytes; empty where it would leave them.
    func part(_ offset: Int, _ size: Int) -> UnsafeRawBufferPointer {
        guard offset >= 0, size >= 0, offset <= count, size <= count - offset else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(rebasing: self[offset..<offset + size])
    }

    /// The order of their bytes, as in a dictionary.
    static func precedes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool { order(a, b) < 0 }

    /// The first eight bytes as a number of the same order; zeros for those that are missing.
    var beginning: UInt64 {
        if count >= 8 { return loadUnaligned(as: UInt64.self).bigEndian }
        return reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - count))
    }

    static func order(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        if let first = a.baseAddress, let second = b.baseAddress {
            let order = memcmp(first, second, Swift.min(a.count, b.count))
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }
}

/// Numbers in the order of what they stand for.
func sorted(_ numbers: some Sequence<Int>, by bytes: (Int) -> UnsafeRawBufferPointer) -> [Int] {
    // Comparing eight bytes at once settles nearly all.
    var keys = numbers.map { (beginning: bytes($0).beginning, number: $0) }
    keys.sort { a, b in
        a.beginning != b.beginning ? a.beginning < b.beginning : UnsafeRawBufferPointer.precedes(bytes(a.number), bytes(b.number))
    }
    return keys.map(\.number)
}

extension String {
    /// Its bytes, without a copy of its reference.
    @inline(__always) func withBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        if let result = try utf8.withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) }) { return result }
        var contiguous = self
        return try contiguous.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }
}
