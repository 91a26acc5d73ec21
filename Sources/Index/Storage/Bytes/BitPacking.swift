/// Packs 128 numbers with as many bits each as the largest one needs.
///
/// Four adjacent numbers are the four lanes of a vector, and each lane is a separate stream of bits, so that all four
/// are extracted by the same two shifts. Source: Lemire and Boytsov, "Decoding billions of integers per second through
/// vectorization", 2012.
enum BitPacking {
    static let count = 128

    /// Number of bits for each number, 0...32.
    static func width(_ numbers: UnsafePointer<UInt32>) -> Int {
        var all: UInt32 = 0
        for index in 0..<count { all |= numbers[index] }
        return 32 - all.leadingZeroBitCount
    }

    /// Size in bytes of a block of numbers with this many bits each.
    @inline(__always) static func size(width: Int) -> Int { width * 16 }

    static func pack(_ numbers: UnsafePointer<UInt32>, width: Int, at output: UnsafeMutableRawPointer) {
        guard width > 0 else { return }
        let rows = UnsafeRawPointer(numbers)
        var (word, shift, out) = (SIMD4<UInt32>(), UInt32(0), output)
        for row in 0..<count / 4 {
            let value = rows.loadUnaligned(fromByteOffset: row * 16, as: SIMD4<UInt32>.self)
            word |= value &<< SIMD4(repeating: shift)
            shift += UInt32(width)
            if shift >= 32 {
                out.storeBytes(of: word, as: SIMD4<UInt32>.self)
                out += 16
                shift -= 32
                word = shift > 0 ? value &>> SIMD4(repeating: UInt32(width) - shift) : SIMD4()
            }
        }
    }

    /// Reads `size(width:)` bytes.
    static func unpack(_ input: UnsafeRawPointer, width: Int, into numbers: UnsafeMutablePointer<UInt32>) {
        guard width > 0 else {
            numbers.update(repeating: 0, count: count)
            return
        }
        let out = UnsafeMutableRawPointer(numbers)
        let mask = SIMD4<UInt32>(repeating: width >= 32 ? .max : 1 << UInt32(width) - 1)
        var next = input + 16
        let end = input + width * 16
        var (word, shift) = (input.loadUnaligned(as: SIMD4<UInt32>.self), UInt32(0))
        for row in 0..<count / 4 {
            var value = word &>> SIMD4(repeating: shift)
            shift += UInt32(width)
            if shift >= 32 {
                shift -= 32
                if next < end { word = next.loadUnaligned(as: SIMD4<UInt32>.self) }
                next += 16
                if shift > 0 { value |= word &<< SIMD4(repeating: UInt32(width) - shift) }
            }
            (out + row * 16).storeBytes(of: value & mask, as: SIMD4<UInt32>.self)
        }
    }
}
