internal import Memory

/// The common stem of an English word's inflected forms: `run`, `running` and `ran`, `story` and `stories`.
///
/// It covers inflection only (plural, past, -ing), so that `organ` does not match `organization`: steps 1 and 5 of the
/// algorithm, with later corrections by its author, and a list of irregular words. Sources: M. F. Porter, "An algorithm
/// for suffix stripping", 1980; "The English (Porter2) stemming algorithm", 2002.
struct EnglishStem {
    private static let maxLetters = 32
    private var letters = InlineArray<32, UInt8>(repeating: 0)
    private var count = 0

    /// nil for words that have no inflection: short words, and those with characters other than a to z.
    static func of(_ word: String) -> String? {
        word.withBytes { of($0).map { stem in String(decoding: (0..<stem.count).map { stem.letters[$0] }, as: UTF8.self) } }
    }

    /// nil for words that have no inflection.
    static func of(_ word: ByteView) -> EnglishStem? {
        // Most words are none of the listed ones, and comparing strings takes longer than all the rest.
        guard IrregularEnglish.hashes.contains(TermTable.hash(word)) else { return EnglishStem(regular: word) }
        let word = String(decoding: word, as: UTF8.self)
        let base = IrregularEnglish.bases[word] ?? word
        return base.withBytes { bytes in
            if IrregularEnglish.unchanged.contains(base) { return EnglishStem(bytes) }
            return EnglishStem(regular: bytes, minLetters: IrregularEnglish.shortBases.contains(base) ? 1 : 3)
        }
    }

    private init?(_ word: ByteView) {
        guard word.count <= Self.maxLetters, word.allSatisfy({ (97...122).contains($0) }) else { return nil }
        for letter in word { append(letter) }
    }

    private init?(regular word: ByteView, minLetters: Int = 3) {
        guard word.count >= minLetters else { return nil }
        self.init(word)
        dropPlural()
        dropPastAndProgressive()
        changeY()
        dropFinalE()
    }

    func append(to stems: inout GrowingBytes) { for index in 0..<count { stems.append(letters[index]) } }

    /// The beginning of all regular forms with this stem.
    static func sharedPrefix(of stem: String) -> String {
        stem.utf8.count > 2 && (stem.hasSuffix("i") || stem.hasSuffix("e")) ? String(stem.dropLast()) : stem
    }

    /// The irregular forms of a stem: `ran` for `run`.
    static func irregularForms(of stem: String) -> [String] {
        let beginning = sharedPrefix(of: stem)
        return IrregularEnglish.families.filter { $0[0].hasPrefix(beginning) && of($0[0]) == stem }.flatMap { $0.dropFirst() }
    }

    /// Recognizes forms with a given stem, fast enough for every word of a text.
    struct Forms {
        private let stem: String
        private let beginning: [UInt8]
        private let irregular: [[UInt8]]

        init(of stem: String) {
            self.stem = stem
            beginning = Array(sharedPrefix(of: stem).utf8)
            irregular = irregularForms(of: stem).map { Array($0.utf8) }
        }

        func contains(_ words: borrowing TextTokens, at index: Int) -> Bool {
            words.has(prefix: beginning, at: index)
                ? EnglishStem.of(String(decoding: words.bytes(index), as: UTF8.self)) == stem
                : irregular.contains { words.has($0, at: index) }
        }
    }

    private mutating func dropPlural() {
        if ends("sses") {
            count -= 2
        } else if ends("ies") || ends("ied") {
            count -= count > 4 ? 2 : 1
        } else if ends("s"), !ends("ss"), !ends("us"), !ends("is"), hasVowel(count - 2) {
            count -= 1
        }
    }

    private mutating func dropPastAndProgressive() {
        if ends("eed") {
            if measure(count - 3) > 0 { count -= 1 }
            return
        }
        if ends("ed"), hasVowel(count - 2) {
            count -= 2
        } else if ends("ing"), hasVowel(count - 3) {
            count -= 3
        } else {
            return
        }
        if ends("at") || ends("bl") || ends("iz") {
            append(UInt8(ascii: "e"))
        } else if endsInDouble, !ends("l"), !ends("s"), !ends("z") {
            count -= 1
        } else if measure(count) == 1, endsInShortSyllable(count) {
            append(UInt8(ascii: "e"))
        }
    }

    private mutating func changeY() {
        if ends("y"), count > 2, isConsonant(count - 2) { letters[count - 1] = UInt8(ascii: "i") }
    }

    private mutating func dropFinalE() {
        if ends("e") {
            let measure = measure(count - 1)
            if measure > 1 || (measure == 1 && !endsInShortSyllable(count - 1)) { count -= 1 }
        }
        if ends("ll"), measure(count - 1) > 1 { count -= 1 }
    }

    private mutating func append(_ letter: UInt8) {
        letters[count] = letter
        count += 1
    }

    private func ends(_ suffix: StaticString) -> Bool {
        let start = count - suffix.utf8CodeUnitCount
        guard start > 0 else { return false }
        return suffix.withUTF8Buffer { suffix in suffix.indices.allSatisfy { letters[start + $0] == suffix[$0] } }
    }

    private func isConsonant(_ index: Int) -> Bool {
        switch letters[index] {
        case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "o"), UInt8(ascii: "u"): false
        case UInt8(ascii: "y"): index == 0 || !isConsonant(index - 1)
        default: true
        }
    }

    /// Porter's m for the first `count` letters: the number of consonants that follow a vowel.
    private func measure(_ count: Int) -> Int {
        (1..<max(1, count)).count { isConsonant($0) && !isConsonant($0 - 1) }
    }

    private func hasVowel(_ count: Int) -> Bool { (0..<max(0, count)).contains { !isConsonant($0) } }

    private var endsInDouble: Bool {
        let last = count - 1
        return last > 0 && letters[last] == letters[last - 1] && isConsonant(last)
    }

    /// Porter's *o: consonant, vowel, consonant, the last one not w, x or y.
    private func endsInShortSyllable(_ count: Int) -> Bool {
        guard count >= 3, isConsonant(count - 1), !isConsonant(count - 2), isConsonant(count - 3) else { return false }
        return !"wxy".utf8.contains(letters[count - 1])
    }
}
