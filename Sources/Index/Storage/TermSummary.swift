internal import Domain

/// The facts about an episode that ranking needs, in a few bytes per term: the frequency of each term, and which terms
/// are adjacent.
///
/// ```
/// code of the text's length │ of the title's │ count of terms, UInt32 │ terms, UInt32 each, sorted │ pairs
/// ```
/// A term consists of 20 bits of its hash above 12 bits with its frequency, rounded up. `pairs` is a Bloom filter of
/// adjacent terms. Numbers are little-endian.
struct TermSummary {
    private let bytes: UnsafeRawBufferPointer
    let count: Int

    private static let headSize = 6
    static let hashBits = 20

    /// nil if the bytes are not a summary.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.headSize else { return nil }
        count = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt32.self)))
        guard bytes.count - Self.headSize >= count * 4 else { return nil }
        self.bytes = bytes
    }

    /// Codes of the lengths of the text (lower byte) and of the title.
    var lengths: UInt16 { UInt16(bytes[0]) | UInt16(bytes[1]) << 8 }

    /// The upper bits of a hash, which identify a term in summaries.
    static func shortHash(of hash: UInt64) -> Int { Int(hash >> (64 - UInt64(hashBits))) }

    /// - Parameter body: called with the short hash of each term, which few others share, and its frequency, possibly
    ///   too high.
    @inline(__always) func eachTerm(_ body: (Int, () -> TermFrequency) -> Void) {
        for index in 0..<count {
            let offset = Self.headSize + index * 4
            let number = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            body(Int(number >> 12)) { FrequencyLevels.frequency(number & 0xFFF) }
        }
    }

    /// False if the second term never directly follows the first.
    func mayHave(_ first: UInt64, before second: UInt64) -> Bool {
        let start = Self.headSize + count * 4
        return PairBits.all(of: first, second, size: bytes.count - start) { bytes[start + $0 >> 3] >> UInt8($0 & 7) & 1 == 1 }
    }
}

/// Collects the terms of one document.
struct TermSummaryBuilder {
    private var terms: [UInt64] = []
    private var hashes: [UInt64] = []
    /// Occurrences of terms: positions above 28 bits, which are the term's index in `hashes`.
    private var occurrences: [UInt64] = []

    private static let indexBits: UInt64 = 28

    mutating func add(_ hash: UInt64, _ frequency: TermFrequency) {
        terms.append(UInt64(TermSummary.shortHash(of: hash)) << 12 | UInt64(FrequencyLevels.code(frequency)))
        hashes.append(hash)
    }

    /// - Parameter occurrence: of the term that was added last.
    mutating func add(_ occurrence: Occurrence) {
        let position = UInt64(occurrence.column) << Self.indexBits | UInt64(occurrence.position)
        occurrences.append(position << Self.indexBits | UInt64(hashes.count - 1))
    }

    mutating func finish(lengths: UInt16) -> [UInt8] {
        var bytes = [UInt8(lengths & 0xFF), UInt8(lengths >> 8)]
        func append(_ number: UInt64) {
            for shift in [0, 8, 16, 24] as [UInt64] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        append(UInt64(terms.count))
        terms.sort()
        for term in terms { append(term) }
        return bytes + pairs()
    }

    /// The Bloom filter, with one byte for each occurrence.
    private mutating func pairs() -> [UInt8] {
        occurrences.sort()
        var bits = [UInt8](repeating: 0, count: occurrences.count)
        let mask = UInt64(1) << Self.indexBits - 1
        var next = 0
        for occurrence in occurrences {
            let position = occurrence >> Self.indexBits
            while next < occurrences.count, occurrences[next] >> Self.indexBits <= position { next += 1 }
            var index = next
            while index < occurrences.count, occurrences[index] >> Self.indexBits == position + 1 {
                let (first, second) = (hashes[Int(occurrence & mask)], hashes[Int(occurrences[index] & mask)])
                _ = PairBits.all(of: first, second, size: bits.count) { bit in
                    bits[bit >> 3] |= 1 << UInt8(bit & 7)
                    return true
                }
                index += 1
            }
        }
        return bits
    }
}

private enum PairBits {
    /// True if the test passes for each bit of a pair in a filter of `size` bytes.
    static func all(of first: UInt64, _ second: UInt64, size: Int, _ test: (Int) -> Bool) -> Bool {
        guard size > 0 else { return false }
        var hash = (first &* 0x9E37_79B9_7F4A_7C15) ^ second
        for _ in 0..<3 {
            hash = (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9
            if !test(Int((hash >> 32) % UInt64(size * 8))) { return false }
        }
        return true
    }
}

/// Encodes frequencies in 12 bits, rounded up.
private enum FrequencyLevels {
    private static let text: [UInt32] = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64, 128, 255]
    private static let title: [UInt32] = [0, 1, 2, 3, 4, 6, 10, 255]
    private static let others: [UInt32] = Array(0...18) + [20, 22, 24, 28, 32, 40, 48, 64, 96, 128, 192, 224, 255]

    static func code(_ frequency: TermFrequency) -> UInt32 {
        func level(_ number: UInt32, _ levels: [UInt32]) -> UInt32 {
            UInt32((0..<levels.count - 1).partitioningIndex { levels[$0] >= number })
        }
        return level(frequency.text, text) | level(frequency.title, title) << 4 | level(frequency.others, others) << 7
    }

    private static let frequencies: [TermFrequency] = (0..<4_096).map { code in
        TermFrequency(number: text[code & 15] | title[code >> 4 & 7] << 8 | others[code >> 7] << 16)
    }

    static func frequency(_ code: UInt32) -> TermFrequency { frequencies[Int(code)] }
}
