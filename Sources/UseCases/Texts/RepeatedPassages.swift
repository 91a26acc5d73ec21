import Domain

/// Finds passages that several episodes have nearly word for word, such as advertising.
///
/// Each transcript is cut into shingles of four words, and for each shingle it is known which episodes have it. A window of
/// 24 words is repeated if two other episodes have enough of its shingles, each of them for itself, and one of eight words:
/// a phrase that people often say is in many episodes, but it is shorter, and what is said around it differs. A word that is
/// heard wrongly spoils only the shingles that it is in, and a few such words between two shared shingles belong to the passage. The time is linear in the words.
struct RepeatedPassages: Sendable {
    /// Words of a shingle.
    private static let shingle = 4
    /// Words of a shingle that is longer than phrases of everyday speech.
    private static let longShingle = 8
    /// Shingles of a window.
    private static let window = 21
    /// Shingles of a window that another episode must have.
    private static let minShared = 7
    /// Other episodes that must have them.
    private static let minOthers = 2
    /// Episodes below which nothing can be repeated.
    static let minEpisodes = minOthers + 1
    /// More are not compared: the episodes of a shingle are the bits of a number.
    static let maxEpisodes = 64
    /// Words between two shared shingles that belong to the passage.
    private static let maxGap = 3
    /// Share of a line's words that must be in repeated windows.
    private static let minCovered = 0.6
    /// Words of a passage.
    private static let minWords = 20
    /// Share of an episode above which it is a repetition as a whole, and nothing is marked.
    private static let maxShare = 0.5

    /// The episodes that have a shingle, by its hash.
    private var episodes: [UInt64: UInt64] = [:]
    private var longEpisodes: [UInt64: UInt64] = [:]
    private var count = 0

    init() {}

    /// Adds the next episode; those above `maxEpisodes` are left out.
    mutating func add(_ transcript: [TranscriptSegment]) {
        guard count < Self.maxEpisodes else { return }
        let bit: UInt64 = 1 << UInt64(count)
        count += 1
        let words = Self.words(of: transcript)
        for hash in Self.shingles(of: words, Self.shingle) { episodes[hash, default: 0] |= bit }
        for hash in Self.shingles(of: words, Self.longShingle) { longEpisodes[hash, default: 0] |= bit }
    }

    /// For each line of a transcript, whether it belongs to such a passage.
    ///
    /// - Parameter number: how many were added before it.
    func marks(of transcript: [TranscriptSegment], number: Int) -> [Bool] {
        let words = Self.words(of: transcript)
        let isCovered = covered(words, number)
        var lines = [(words: Int, covered: Int)](repeating: (0, 0), count: transcript.count)
        for (word, covered) in zip(words, isCovered) {
            lines[word.line].words += 1
            if covered { lines[word.line].covered += 1 }
        }
        var marks = lines.map { $0.covered > 0 && Double($0.covered) >= Self.minCovered * Double($0.words) }
        dropShort(&marks, lines)
        let marked = zip(marks, lines).reduce(0) { $0 + ($1.0 ? $1.1.words : 0) }
        return Double(marked) > Self.maxShare * Double(words.count) ? marks.map { _ in false } : marks
    }

    /// For each word, whether it is in a shared shingle of a repeated window, or between two that are close.
    private func covered(_ words: [Word], _ number: Int) -> [Bool] {
        let own: UInt64 = number < Self.maxEpisodes ? 1 << UInt64(number) : 0
        let others = Self.shingles(of: words, Self.shingle).map { (episodes[$0] ?? 0) & ~own }
        let long = Self.shingles(of: words, Self.longShingle).map { (longEpisodes[$0] ?? 0) & ~own }
        // The last long shingle that enough others have.
        var lastLong = -Self.window
        var coveredUpTo = -Self.window
        // How many shingles of the window each episode has.
        var shared = [Int](repeating: 0, count: Self.maxEpisodes)
        func count(_ mask: UInt64, _ step: Int) {
            var mask = mask
            while mask != 0 {
                shared[mask.trailingZeroBitCount] += step
                mask &= mask - 1
            }
        }
        var isCovered = [Bool](repeating: false, count: words.count)
        for last in others.indices {
            count(others[last], 1)
            if last >= Self.window { count(others[last - Self.window], -1) }
            let longStart = last + Self.shingle - Self.longShingle
            if longStart >= 0, long[longStart].nonzeroBitCount >= Self.minOthers { lastLong = longStart }
            // Only a shared shingle can make the window one that is repeated.
            guard others[last] != 0, lastLong > last - Self.window else { continue }
            var having: UInt64 = 0
            for episode in shared.indices where shared[episode] >= Self.minShared { having |= 1 << UInt64(episode) }
            guard having.nonzeroBitCount >= Self.minOthers else { continue }
            let begin = max(last - Self.window + 1, 0)
            for shingle in begin...last where (others[shingle] & having).nonzeroBitCount >= Self.minOthers {
                // Words between two shared shingles are heard wrongly, unless they are many.
                let from = max(coveredUpTo + Self.maxGap >= shingle ? coveredUpTo : shingle, 0)
                for word in min(from, shingle)..<(shingle + Self.shingle) { isCovered[word] = true }
                coveredUpTo = max(coveredUpTo, shingle + Self.shingle)
            }
        }
        return isCovered
    }

    private func dropShort(_ marks: inout [Bool], _ lines: [(words: Int, covered: Int)]) {
        var first = 0
        while first < marks.count {
            guard marks[first] else {
                first += 1
                continue
            }
            let end = marks[first...].firstIndex(of: false) ?? marks.count
            let words = lines[first..<end].reduce(0) { $0 + $1.covered }
            if words < Self.minWords { for line in first..<end { marks[line] = false } }
            first = end
        }
    }

    struct Word {
        var hash: UInt64
        var line: Int
    }

    static func words(of transcript: [TranscriptSegment]) -> [Word] {
        transcript.enumerated().flatMap { line, segment in
            TitleName.foldedWords(of: segment.text).map { Word(hash: XXH64.hash($0.utf8), line: line) }
        }
    }

    /// The hash of the shingle that begins at each word.
    static func shingles(of words: [Word], _ shingle: Int) -> [UInt64] {
        guard words.count >= shingle else { return [] }
        return (0...(words.count - shingle)).map { first in
            words[first..<(first + shingle)].reduce(0x9E37_79B9_7F4A_7C15) { hash, word in
                let mixed = (hash ^ word.hash) &* 0xBF58_476D_1CE4_E5B9
                return mixed ^ (mixed >> 31)
            }
        }
    }
}
