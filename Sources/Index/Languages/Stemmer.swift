internal import CStemmer
internal import Memory

/// Stems of words, as folded text: two words are forms of one word if their stems are equal. Stems serve only for
/// comparing and need not be words.
///
/// A stem is made from the written word in lower case. Accents distinguish forms (новый, новая), so they are folded
/// last.
///
/// Accesses to its buffers are not checked for exclusivity: each ends before another begins.
final class Stemmer {
    private let tokenizer = Tokenizer()
    /// Numbers of stems, by the hash of a word and its language.
    private var numbers = HashTable()
    /// The end of each stem in `stems` (4 bytes), where the next one begins; an empty range if the word has no stem.
    @exclusivity(unchecked) private var ends = GrowingBytes()
    @exclusivity(unchecked) private var stems = GrowingBytes()
    /// The language of the last word, and for each script the language whose rules apply in it.
    private var language = Language.undetermined
    private var rules: [Language?] = []
    private var lower = LowerCase()

    /// Number of stems at which the cache is emptied. Real text brings new words for ever, about 200,000 in ten million;
    /// so many take 6 MB.
    private static let maxStems = 200_000

    /// The stem of a word in a text of a language; nil if it has no forms. Valid until the next call.
    ///
    /// - Parameters:
    ///   - word: the word as written in the text, in upper or lower case.
    ///   - isASCII: true if it consists of ASCII characters, which must be lower case then.
    func stem(_ word: ByteView, isASCII: Bool, in language: Language) -> ByteView? {
        if language != self.language || rules.isEmpty {
            self.language = language
            rules = Language.Script.allCases.map { language.rules(for: $0) }
        }
        guard (2...CStemmerMostBytes).contains(word.count), let rules = rules[Language.Script(word).rawValue] else { return nil }
        let (first, second) = rules.bytes
        let key = TermTable.hash(word) ^ (UInt64(first) << 8 | UInt64(second)) &* 0x9E37_79B9_7F4A_7C15
        if ends.count >= Self.maxStems * 4 {
            numbers = HashTable(expecting: Self.maxStems)
            ends.removeAll()
            stems.removeAll()
        }
        let number = numbers.number(of: key)
        if number * 4 == ends.count {
            append(word, isASCII, rules)
            ends.append(fixed: UInt32(truncatingIfNeeded: stems.count))
        }
        let start = number > 0 ? end(number - 1) : 0
        return start < end(number) ? stems.view.part(start, end(number) - start) : nil
    }

    private func end(_ number: Int) -> Int { Int(ends.view.number(number * 4, as: UInt32.self)) }

    /// The stem of a word that a user typed.
    func stem(_ word: String, in language: Language) -> String? {
        let lower = word.lowercased()
        return lower.withBytes { bytes in
            stem(bytes, isASCII: bytes.allSatisfy { $0 < 0x80 }, in: language).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private func append(_ word: ByteView, _ isASCII: Bool, _ rules: Language) {
        if rules == .english {
            if isASCII { EnglishStem.of(word)?.append(to: &stems) }
        } else if isASCII {
            if word.allSatisfy({ (97...122).contains($0) }) { append(word, rules) }
        } else {
            append(lowercased(word, rules), rules)
        }
    }

    private func append(_ word: ByteView, _ rules: Language) {
        guard word.count <= CStemmerMostBytes else { return }
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: CStemmerMostBytes) { stem in
            guard let base = stem.baseAddress, let text = word.baseAddress else { return }
            let (first, second) = rules.bytes
            let length = CStemmerStem(
                CChar(bitPattern: first), CChar(bitPattern: second), text.assumingMemoryBound(to: CChar.self), Int32(word.count),
                base)
            let bytes = ByteView(start: base, count: Int(length))
            if bytes.allSatisfy({ $0 < 0x80 }) {
                stems.append(bytes)
            } else {
                tokenizer.withTokens(of: bytes) { tokens in
                    for token in tokens where token.isWord { stems.append(token.key) }
                }
            }
        }
    }

    private func lowercased(_ word: ByteView, _ language: Language) -> ByteView {
        switch language {
        case .turkish, .azerbaijani: lower.turkish(word)
        case .greek: lower.greek(word)
        default: lower.of(word)
        }
    }

    /// The lower case of a word in a text of any language. Valid until the next call.
    func lowercased(_ word: ByteView) -> ByteView { lower.of(word) }
}
