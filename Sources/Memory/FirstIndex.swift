internal import Glibc

extension Span<UInt8> {
    /// The index of the first such byte in the range, which must be within the span; faster than a loop.
    public func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let hit = memchr(start + range.lowerBound, Int32(byte), range.count) else {
                return nil
            }
            return UnsafeRawPointer(hit) - start
        }
    }
}
