/// The common stem of an English word's inflected forms: `run`, `running` and `ran`, `story` and `stories`.
///
/// It covers inflection only (plural, past, -ing), so that `organ` does not match `organization`: steps 1 and 5 of the
/// algorithm, with later corrections by its author, and a list of irregular words. Sources: M. F. Porter, "An algorithm
/// for suffix stripping", 1980; "The English (Porter2) stemming algorithm", 2002.
struct EnglishStem {
    private var word: [UInt8]

    /// nil for words that have no inflection: short words, and those with characters other than a to z.
    static func of(_ word: String) -> String? {
        let base = IrregularEnglish.bases[word] ?? word
        let bytes = Array(base.utf8)
        guard (3...32).contains(bytes.count) || IrregularEnglish.shortBases.contains(base),
            bytes.allSatisfy({ (97...122).contains($0) })
        else { return nil }
        if IrregularEnglish.unchanged.contains(base) { return base }
        var stem = EnglishStem(word: bytes)
        stem.dropPlural()
        stem.dropPastAndProgressive()
        stem.changeY()
        stem.dropFinalE()
        return String(decoding: stem.word, as: UTF8.self)
    }

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
            word.removeLast(2)
        } else if ends("ies") || ends("ied") {
            word.removeLast(word.count > 4 ? 2 : 1)
        } else if ends("s"), !ends("ss"), !ends("us"), !ends("is"), hasVowel(word.count - 2) {
            word.removeLast()
        }
    }

    private mutating func dropPastAndProgressive() {
        if ends("eed") {
            if measure(word.count - 3) > 0 { word.removeLast() }
            return
        }
        if ends("ed"), hasVowel(word.count - 2) {
            word.removeLast(2)
        } else if ends("ing"), hasVowel(word.count - 3) {
            word.removeLast(3)
        } else {
            return
        }
        if ends("at") || ends("bl") || ends("iz") {
            word.append(UInt8(ascii: "e"))
        } else if endsInDouble, !ends("l"), !ends("s"), !ends("z") {
            word.removeLast()
        } else if measure(word.count) == 1, endsInShortSyllable(word.count) {
            word.append(UInt8(ascii: "e"))
        }
    }

    private mutating func changeY() {
        if ends("y"), word.count > 2, isConsonant(word.count - 2) { word[word.count - 1] = UInt8(ascii: "i") }
    }

    private mutating func dropFinalE() {
        if ends("e") {
            let measure = measure(word.count - 1)
            if measure > 1 || (measure == 1 && !endsInShortSyllable(word.count - 1)) { word.removeLast() }
        }
        if ends("ll"), measure(word.count - 1) > 1 { word.removeLast() }
    }

    private func ends(_ suffix: StaticString) -> Bool {
        let count = suffix.utf8CodeUnitCount
        guard word.count > count else { return false }
        return suffix.withUTF8Buffer { word[(word.count - count)...].elementsEqual($0) }
    }

    private func isConsonant(_ index: Int) -> Bool {
        switch word[index] {
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
        let last = word.count - 1
        return last > 0 && word[last] == word[last - 1] && isConsonant(last)
    }

    /// Porter's *o: consonant, vowel, consonant, the last one not w, x or y.
    private func endsInShortSyllable(_ count: Int) -> Bool {
        guard count >= 3, isConsonant(count - 1), !isConsonant(count - 2), isConsonant(count - 3) else { return false }
        return !"wxy".utf8.contains(word[count - 1])
    }
}
