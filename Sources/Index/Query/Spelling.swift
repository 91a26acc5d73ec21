internal import Domain

/// Finds the nearest word that the library holds to one that it does not.
struct Spelling {
    let vocabulary: Vocabulary

    /// A query with more unknown words is about something else.
    private static let mostCorrections = 4

    /// The user's text with its unknown words replaced; nil where there is nothing to replace, or nothing near.
    func correction(of text: String, _ query: SearchQuery) -> String? {
        var bytes = Array(text.utf8)
        var corrections = 0
        for term in query.wantedTerms.reversed() where !term.isPrefix {
            for token in tokens(of: term.text).reversed() where token.isWord {
                guard vocabulary.episodes(with: token.text) == 0 else { continue }
                guard corrections < Self.mostCorrections, let word = nearest(to: token.text) else { return nil }
                let start = term.range.lowerBound
                bytes.replaceSubrange((start + token.range.lowerBound)..<(start + token.range.upperBound), with: word.utf8)
                corrections += 1
            }
        }
        return corrections > 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// One mistake away, else two; of several the word that most episodes hold.
    private func nearest(to word: String) -> String? {
        let letters = Array(word.unicodeScalars)
        guard (3...24).contains(letters.count) else { return nil }
        var best: Vocabulary.Word?
        for candidate in oneMistakeAway(letters) {
            let episodes = vocabulary.episodes(with: candidate)
            if episodes > best?.episodes ?? 0 { best = Vocabulary.Word(text: candidate, episodes: episodes) }
        }
        if let best { return best.text }
        return runTogether(letters) ?? twoMistakesAway(from: word, letters)?.text
    }

    /// Two known words without the blank between them; of several pairs the one whose rarer word most episodes hold.
    private func runTogether(_ letters: [Unicode.Scalar]) -> String? {
        var best: (words: String, episodes: Int)?
        for index in stride(from: 3, through: letters.count - 3, by: 1) {
            let words = [letters[..<index], letters[index...]].map { String(String.UnicodeScalarView($0)) }
            let episodes = words.map { vocabulary.episodes(with: $0) }.min() ?? 0
            if episodes > best?.episodes ?? 0 { best = (words.joined(separator: " "), episodes) }
        }
        return best?.words
    }

    /// Every text that one insertion, deletion, replacement or exchange of neighbours makes of the word.
    private func oneMistakeAway(_ letters: [Unicode.Scalar]) -> Set<String> {
        func text(_ letters: some Sequence<Unicode.Scalar>) -> String {
            var view = String.UnicodeScalarView()
            view.append(contentsOf: letters)
            return String(view)
        }
        let alphabet = Set("abcdefghijklmnopqrstuvwxyz".unicodeScalars).union(letters)
        var found: Set<String> = []
        for index in 0...letters.count {
            for letter in alphabet { found.insert(text(letters[..<index] + [letter] + letters[index...])) }
            guard index < letters.count else { continue }
            found.insert(text(letters[..<index] + letters[(index + 1)...]))
            for letter in alphabet { found.insert(text(letters[..<index] + [letter] + letters[(index + 1)...])) }
            guard index + 1 < letters.count else { continue }
            found.insert(text(letters[..<index] + [letters[index + 1], letters[index]] + letters[(index + 2)...]))
        }
        found.remove(text(letters))
        return found
    }

    /// Among the words with the same first letter.
    private func twoMistakesAway(from word: String, _ letters: [Unicode.Scalar]) -> Vocabulary.Word? {
        guard letters.count > 4, let first = letters.first else { return nil }
        let wanted = word.utf8.reduce(0, addLetter)
        let near = vocabulary.words(prefix: String(first)) { bytes in
            // A mistake changes two members of the set at most; most words are out by that.
            abs(bytes.count - word.utf8.count) <= 8 && (bytes.reduce(0, addLetter) ^ wanted).nonzeroBitCount <= 4
        }
        var best: (word: Vocabulary.Word, distance: Int)?
        for candidate in near {
            let distance = distance(letters, Array(candidate.text.unicodeScalars))
            guard distance <= 2 else { continue }
            let rank = (distance, -candidate.episodes, candidate.text)
            if best.map({ rank < ($0.distance, -$0.word.episodes, $0.word.text) }) ?? true { best = (candidate, distance) }
        }
        return best?.word
    }

    /// Adds a letter to a set, by the last six bits of its last byte.
    private func addLetter(_ set: UInt64, _ byte: UInt8) -> UInt64 { byte < 0xC0 ? set | 1 << UInt64(byte & 63) : set }

    /// Optimal string alignment: insertions, deletions, replacements and exchanged neighbours.
    private func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i]
            for j in b.indices.map({ $0 + 1 }) {
                var value = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { value = min(value, before[j - 2] + 1) }
                row.append(value)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
