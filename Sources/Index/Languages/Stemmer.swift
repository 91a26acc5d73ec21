internal import CStemmer

/// What the inflected forms of a word have in common, as folded text: two words of a text are forms of one word if their
/// stems are equal. Stems are for comparing, and may be no words.
///
/// Each stem is made from the word as it is written, in lower case: accents tell forms apart (новый, новая), and are folded
/// at the end.
final class Stemmer {
    private let tokenizer = Tokenizer()
    /// By the hash of a word and its language.
    private var numbers = HashTable()
    /// Where in `stems` each stem ends (4 bytes), the next begins there; empty if the word has none.
    private let ends = ByteBuffer()
    private let stems = ByteBuffer()
    /// The language of the last word, and whose rules hold for its words in each script.
    private var language = Language.undetermined
    private var rules: [Language?] = []

    /// Stems of more words are made anew: those of a text that come again are few.
    private static let mostStems = 64_000

    /// The stem of a word in a text of a language; nil if it has no forms. Valid until the next call.
    ///
    /// - Parameters:
    ///   - word: as it is written in the text, in upper or lower case.
    ///   - isASCII: true if it has ASCII characters only, which must be lower case then.
    func stem(_ word: UnsafeRawBufferPointer, isASCII: Bool, in language: Language) -> UnsafeRawBufferPointer? {
        if language != self.language || rules.isEmpty {
            self.language = language
            rules = Language.Script.allCases.map { language.rules(for: $0) }
        }
        guard (2...CStemmerMostBytes).contains(word.count), let rules = rules[Language.Script(word).rawValue] else { return nil }
        let (first, second) = rules.bytes
        let key = TermTable.hash(word) ^ (UInt64(first) << 8 | UInt64(second)) &* 0x9E37_79B9_7F4A_7C15
        if ends.count >= Self.mostStems * 4 {
            numbers.removeAll()
            for buffer in [ends, stems] { buffer.removeAll() }
        }
        let number = numbers.number(of: key)
        if number * 4 == ends.count {
            append(word, isASCII, rules)
            ends.append(fixed: UInt32(truncatingIfNeeded: stems.count))
        }
        let start = number > 0 ? end(number - 1) : 0
        return start < end(number) ? stems.bytes.part(start, end(number) - start) : nil
    }

    private func end(_ number: Int) -> Int { Int(ends.bytes.number(number * 4, as: UInt32.self)) }

    /// The stem of a word that a user typed.
    func stem(_ word: String, in language: Language) -> String? {
        let lower = word.lowercased()
        return lower.withBytes { bytes in
            stem(bytes, isASCII: bytes.allSatisfy { $0 < 0x80 }, in: language).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private func append(_ word: UnsafeRawBufferPointer, _ isASCII: Bool, _ rules: Language) {
        if rules == Language(letters: "en") {
            guard let stem = isASCII ? EnglishStem.of(String(decoding: word, as: UTF8.self)) : nil else { return }
            stem.withBytes { stems.append($0) }
        } else if isASCII {
            guard word.allSatisfy({ (97...122).contains($0) }) else { return }
            append(word, rules)
        } else {
            lowercased(word, rules) { append($0, rules) }
        }
    }

    private func append(_ word: UnsafeRawBufferPointer, _ rules: Language) {
        guard word.count <= CStemmerMostBytes else { return }
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: CStemmerMostBytes) { stem in
            guard let base = stem.baseAddress, let text = word.baseAddress else { return }
            let (first, second) = rules.bytes
            let length = CStemmerStem(
                CChar(bitPattern: first), CChar(bitPattern: second), text.assumingMemoryBound(to: CChar.self), Int32(word.count),
                base)
            let bytes = UnsafeRawBufferPointer(start: base, count: Int(length))
            if bytes.allSatisfy({ $0 < 0x80 }) {
                stems.append(bytes)
            } else {
                tokenizer.withTokens(of: bytes) { tokens in
                    for token in tokens where token.isWord { stems.append(token.key) }
                }
            }
        }
    }

    private func lowercased(_ bytes: UnsafeRawBufferPointer, _ language: Language, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard bytes.mayHaveCapitals else { return body(bytes) }
        let word = String(decoding: bytes, as: UTF8.self)
        let lower =
            switch language.code {
            case "tr", "az":
                // Here i and ı are two letters.
                String(String.UnicodeScalarView(word.unicodeScalars.map { $0 == "I" ? "ı" : $0 == "İ" ? "i" : $0 })).lowercased()
            case "el":
                // The s at the end of a word has a form of its own, but not in capitals.
                word.hasSuffix("Σ") || word.hasSuffix("σ") ? word.lowercased().dropLast() + "ς" : word.lowercased()
            default: word.lowercased()
            }
        lower.withBytes(body)
    }
}
