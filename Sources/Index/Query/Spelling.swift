internal import Domain
internal import Searching

/// Finds the word of the library that is nearest to one that it does not contain.
struct Spelling {
    let vocabulary: Vocabulary

    /// Number of corrections up to which a query is corrected; one with more unknown words is about something else.
    private static let maxCorrections = 4

    /// The user's text with unknown words replaced; nil if there is nothing to replace, or no word is near.
    func correction(of text: String, _ query: SearchQuery) -> String? {
        var bytes = Array(text.utf8)
        var corrections = 0
        for term in query.wantedTerms.reversed() where !term.isPrefix {
            for token in tokens(of: term.text).reversed() where token.isWord {
                guard vocabulary.presentEpisodes(with: TermKey(word: token.text), upTo: 0) == 0 else { continue }
                guard corrections < Self.maxCorrections, let nearest = nearest(to: token.text) else { return nil }
                let word = nearest.split(separator: " ").map { vocabulary.usualSpelling(of: String($0)) }.joined(separator: " ")
                let start = term.range.lowerBound
                bytes.replaceSubrange((start + token.range.lowerBound)..<(start + token.range.upperBound), with: word.utf8)
                corrections += 1
            }
        }
        return corrections > 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// A word that is one mistake away, otherwise two; of several, the one that most episodes contain.
    private func nearest(to word: String) -> String? {
        let letters = Array(word.unicodeScalars)
        guard (3...24).contains(letters.count) else { return nil }
        return mostUsed(of: oneMistakeAway(letters)) ?? runTogether(letters) ?? twoMistakesAway(from: word, letters)?.text
    }

    private func mostUsed(of words: [[UInt8]]) -> String? {
        let usage = vocabulary.usage(of: words)
        guard let best = usage.indices.max(by: { usage[$0] < usage[$1] }), usage[best] > 0 else { return nil }
        return String(decoding: words[best], as: UTF8.self)
    }

    /// Two words with the blank between them missing; of several pairs, the one whose rarer word most episodes contain.
    private func runTogether(_ letters: [Unicode.Scalar]) -> String? {
        guard letters.count >= 6 else { return nil }
        let pairs = (3...letters.count - 3).map { [bytes(of: letters[..<$0]), bytes(of: letters[$0...])] }
        let usage = vocabulary.usage(of: pairs.flatMap(\.self))
        let rarer = pairs.indices.map { min(usage[2 * $0], usage[2 * $0 + 1]) }
        guard let best = rarer.indices.max(by: { rarer[$0] < rarer[$1] }), rarer[best] > 0 else { return nil }
        return pairs[best].map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    private func bytes(of letters: some Sequence<Unicode.Scalar>) -> [UInt8] {
        letters.reduce(into: []) { $0.append(contentsOf: UTF8.encode($1).map(Array.init) ?? []) }
    }

    /// All texts that result from the word by an insertion, deletion, replacement or transposition.
    private func oneMistakeAway(_ scalars: [Unicode.Scalar]) -> [[UInt8]] {
        let letters = scalars.map { bytes(of: [$0]) }
        let alphabet = Set((UInt8(ascii: "a")...UInt8(ascii: "z")).map { [$0] }).union(letters).sorted {
            $0.lexicographicallyPrecedes($1)
        }
        let word = Array(letters.joined())
        var texts: [[UInt8]] = []
        var before: [UInt8] = []
        for index in 0...letters.count {
            let tail = letters[index...].joined()
            for letter in alphabet { texts.append(before + letter + tail) }
            guard index < letters.count else { continue }
            let remainder = Array(letters[(index + 1)...].joined())
            texts.append(before + remainder)
            for letter in alphabet where letter != letters[index] { texts.append(before + letter + remainder) }
            if index + 1 < letters.count, letters[index] != letters[index + 1] {
                texts.append(before + letters[index + 1] + letters[index] + letters[(index + 2)...].joined())
            }
            before += letters[index]
        }
        return texts.filter { $0 != word }
    }

    /// The best word two mistakes away, among those with the same first letter.
    private func twoMistakesAway(from word: String, _ letters: [Unicode.Scalar]) -> Vocabulary.Word? {
        guard letters.count > 4, let first = letters.first else { return nil }
        let wanted = word.utf8.reduce(0, addLetter)
        let size = word.utf8.count
        // Two letters may take six bytes more than two other letters.
        let maxDifference = word.utf8.allSatisfy { $0 < 0x80 } ? 2 : 6
        let near = vocabulary.usualWords(prefix: String(first)) { bytes in
            // Two mistakes change at most four members of the set; this test excludes most words.
            abs(bytes.count - size) <= maxDifference && (bytes.reduce(0, addLetter) ^ wanted).nonzeroBitCount <= 4
        }
        var best: (word: Vocabulary.Word, distance: Int)?
        for candidate in near {
            let distance = distance(letters, Array(candidate.text.unicodeScalars))
            guard distance <= 2, candidate.episodes > 0 || vocabulary.episodes(with: candidate.text) > 0 else { continue }
            let rank = (distance, -candidate.episodes, candidate.text)
            if best.map({ rank < ($0.distance, -$0.word.episodes, $0.word.text) }) ?? true { best = (candidate, distance) }
        }
        return best?.word
    }

    /// Adds a letter to a set, represented by the last six bits of its last byte.
    private func addLetter(_ set: UInt64, _ byte: UInt8) -> UInt64 { byte < 0xC0 ? set | 1 << UInt64(byte & 63) : set }

    /// Optimal string alignment distance: insertions, deletions, replacements and transpositions. If it is above two,
    /// the result is any number above two.
    private func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var before = [Int](repeating: 0, count: b.count + 1)
        var (last, row) = (Array(0...b.count), before)
        for i in 1...a.count {
            row[0] = i
            var least = i
            for j in b.indices {
                var value = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i - 1] == b[j] ? 0 : 1))
                if i > 1, j > 0, a[i - 1] == b[j - 1], a[i - 2] == b[j] { value = min(value, before[j - 1] + 1) }
                row[j + 1] = value
                least = min(least, value)
            }
            if least > 2 { return least }
            (before, last, row) = (last, row, before)
        }
        return last[b.count]
    }
}
