internal import CTokenizer
internal import Domain
internal import Memory

/// Decides which language a podcast is in: the declared one, unless its script or its words clearly belong to another.
///
/// Feeds of hosting services often declare `en`, whatever language they are in.
struct LanguageDecision {
    /// Number of words that are examined; more would not change the decision.
    private static let maxWords = 400
    private static let maxEpisodes = 40
    private static let maxBytesOfBody = 800

    private var words: [String] = []
    private var scripts: [Language: Int] = [:]
    private var latinWords = 0

    /// - Parameter episodes: of the podcast; the first ones are read.
    static func language(declared: String?, _ episodes: some Sequence<Episode>) -> Language {
        var decision = LanguageDecision()
        let tokenizer = Tokenizer()
        var lower = LowerCase()
        var text = GrowingBytes()
        for episode in episodes.prefix(maxEpisodes) where decision.words.count < maxWords {
            text.removeAll()
            let texts = episode.item.texts
            texts.withBytes(of: .title) { text.append($0.bytes) }
            text.append(UInt8(ascii: "\n"))
            texts.withBytes(of: IndexedText.body(of: texts)) { body in
                PlainText.append(body.extracting(first: maxBytesOfBody), to: &text)
            }
            decision.add(text.view, tokenizer, &lower)
        }
        return decision.language(declared: Language(declared: declared))
    }

    private mutating func add(_ text: ByteView, _ tokenizer: Tokenizer, _ lower: inout LowerCase) {
        tokenizer.withTokens(of: text) { tokens in
            for token in tokens {
                let written = text.part(Int(token.start), Int(token.end - token.start))
                if !token.isWord {
                    if let language = Self.language(writtenWithoutBlanks: written) { scripts[language, default: 0] += 1 }
                } else if token.isASCII {
                    let word = token.key
                    guard word.allSatisfy({ $0 >= 97 }) else { continue }
                    latinWords += 1
                    words.append(String(decoding: word, as: UTF8.self))
                } else {
                    switch Language.Script(written) {
                    case .latin: latinWords += 1
                    case .other: continue
                    case let script:
                        if let language = Language.undetermined.rules(for: script) { scripts[language, default: 0] += 1 }
                    }
                    words.append(String(decoding: lower.of(written), as: UTF8.self))
                }
            }
        }
    }

    private func language(declared: Language?) -> Language {
        let usual = scripts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        guard let usual, usual.value > latinWords else {
            return latinWords > 0 ? language(declared, in: .latin) ?? .undetermined : declared ?? .undetermined
        }
        let script = usual.key.scripts[0]
        if script != .other { return language(declared, in: script) ?? usual.key }
        if let declared, declared.scripts.contains(.other), declared != .undetermined { return declared }
        // Japanese texts also contain Chinese characters.
        let japanese = Language(letters: "ja")
        return scripts[japanese, default: 0] * 10 > usual.value ? japanese : usual.key
    }

    /// The declared language, unless the words clearly belong to another; nil if nothing decides.
    private func language(_ declared: Language?, in script: Language.Script) -> Language? {
        let scores = LanguageProfiles.scores(of: words)
        var best: (language: Language, score: Double)?
        for (language, score) in zip(LanguageProfiles.languages, scores) where language.scripts.contains(script) {
            if score > best?.score ?? max(1.5, Double(words.count) * 0.02) { best = (language, score) }
        }
        guard let declared, declared.scripts.contains(script) else { return best?.language }
        guard let best, best.score >= 5 else { return declared }
        guard let number = LanguageProfiles.languages.firstIndex(of: declared) else {
            return best.score > Double(words.count) * 0.12 ? best.language : declared
        }
        return best.score > 2.5 * scores[number] ? best.language : declared
    }

    /// The language of a text without blanks, by its first character.
    private static func language(writtenWithoutBlanks text: ByteView) -> Language? {
        switch String(decoding: text, as: UTF8.self).unicodeScalars.first?.value ?? 0 {
        case 0xE00..<0xE80: Language(letters: "th")
        case 0xE80..<0xF00: Language(letters: "lo")
        case 0x1000..<0x10A0: Language(letters: "my")
        case 0x1100..<0x1200, 0xAC00..<0xD800: Language(letters: "ko")
        case 0x1780..<0x1800: Language(letters: "km")
        case 0x3040..<0x3100, 0xFF66..<0xFFA0: Language(letters: "ja")
        case 0x3400..<0xA000, 0x20000..<0x40000: Language(letters: "zh")
        default: nil
        }
    }
}
