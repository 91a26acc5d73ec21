internal import Memory

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

extension GrowingBytes {
    @inline(__always) mutating func append(varint value: UInt64) { append(upTo: 10) { Varint.write(value, at: $0) } }
}
