import Domain

extension PassageFingerprint {
    private static let shingle = 6
    private static let sampled: UInt64 = 4
    /// Bounds the fingerprint of one transcript: about twelve hours of speech.
    static let maxHashes = 30_000

    init(of transcript: [TranscriptSegment]) {
        let shingles = RepeatedPassages.shingles(of: RepeatedPassages.words(of: transcript), Self.shingle)
        let sample = shingles.lazy.filter { $0 % Self.sampled == 0 }.prefix(Self.maxHashes)
        self.init(hashes: Set(sample.map { UInt32(truncatingIfNeeded: $0 >> 16) }).sorted())
    }
}

/// Several transcripts, and how much others share with each.
struct SharedPassages {
    private let counts: [Int]
    /// For each hash the transcripts that have it, as bits.
    private var having: [UInt32: UInt64] = [:]

    /// Hashes that two transcripts have in common by chance.
    private static let maxByChance = 1
    /// Share of a transcript above which another one is a copy of it.
    private static let maxShare = 0.5

    /// - Parameter fingerprints: at most 64; others are left out.
    init(_ fingerprints: [PassageFingerprint]) {
        let fingerprints = fingerprints.prefix(UInt64.bitWidth)
        counts = fingerprints.map(\.hashes.count)
        for (number, fingerprint) in fingerprints.enumerated() {
            for hash in fingerprint.hashes { having[hash, default: 0] |= 1 << UInt64(number) }
        }
    }

    /// How many hashes another transcript shares with any of them; nil if these are too few, or if it is a copy of one.
    func shared(with other: PassageFingerprint) -> Int? {
        var shared = [Int](repeating: 0, count: counts.count)
        for hash in other.hashes {
            guard var bits = having[hash] else { continue }
            while bits != 0 {
                shared[bits.trailingZeroBitCount] += 1
                bits &= bits - 1
            }
        }
        guard let most = shared.max(), most > Self.maxByChance else { return nil }
        let isCopy = zip(shared, counts).contains { shared, count in
            Double(shared) > Self.maxShare * Double(min(count, other.hashes.count))
        }
        return isCopy ? nil : most
    }
}
