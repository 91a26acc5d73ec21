/// Tests eight bytes at once. Source: "Bit Twiddling Hacks" by Sean Eron Anderson, hasless and hasvalue.
enum WordScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// True if some byte ends a plain run of a JSON string: a control character, a quote or a backslash.
    @inline(__always)
    static func hasSpecial(_ word: UInt64) -> Bool {
        (below(word, 0x20) | equal(word, 0x22) | equal(word, 0x5C)) & highs != 0
    }

    /// Nonzero if some byte is less than `limit`, which is at most 128.
    @inline(__always)
    private static func below(_ word: UInt64, _ limit: UInt64) -> UInt64 { (word &- ones &* limit) & ~word }

    @inline(__always)
    private static func equal(_ word: UInt64, _ byte: UInt64) -> UInt64 {
        let difference = word ^ (ones &* byte)
        return (difference &- ones) & ~difference
    }
}
