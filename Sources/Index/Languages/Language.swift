/// A language, by its two-letter ISO 639 code.
struct Language: Hashable, Comparable {
    private let letters: UInt16

    /// The podcast declares no language, and its words do not show one.
    static let undetermined = Language(letters: "zz")
    static let english = Language(letters: "en")
    static let greek = Language(letters: "el")
    static let turkish = Language(letters: "tr")
    static let azerbaijani = Language(letters: "az")

    /// nil if the code does not consist of two letters.
    init?(code: some Collection<UInt8>) {
        guard code.count == 2, code.allSatisfy({ (97...122).contains($0) }) else { return nil }
        letters = code.reduce(0) { $0 << 8 | UInt16($1) }
    }

    init(letters: StaticString) { self.letters = letters.withUTF8Buffer { UInt16($0[0]) << 8 | UInt16($0[1]) } }

    /// Parses the language that a feed declares: `de-AT`, `ENG`, `iw`. nil if it is not a language code.
    init?(declared: String?) {
        guard let tag = declared?.lowercased().utf8.prefix(while: { (97...122).contains($0) }) else { return nil }
        let code = String(Substring(tag))
        self.init(code: (Self.olderCodes[code] ?? code).utf8)
    }

    /// The two letters of the code.
    var bytes: (UInt8, UInt8) { (UInt8(letters >> 8), UInt8(letters & 0xFF)) }

    var code: String { String(decoding: [bytes.0, bytes.1], as: UTF8.self) }

    static func < (a: Language, b: Language) -> Bool { a.letters < b.letters }

    /// Two-letter codes for codes of three letters and for replaced codes. Norwegian counts as one language.
    private static let olderCodes = Dictionary(
        """
        ara ar bul bg cat ca ces cs cze cs chi zh zho zh dan da deu de ger de dut nl nld nl ell el gre el eng en est et fas fa
        per fa fin fi fra fr fre fr heb he hin hi hrv hr hun hu ind id ita it jpn ja kor ko nob no nno no nor no nb no nn no
        pol pl por pt ron ro rum ro rus ru slk sk slo sk slv sl spa es srp sr swe sv tha th tur tr ukr uk vie vi iw he in id
        ji yi mo ro sh sr
        """.utf8.split { $0 <= 32 }.map { String(Substring($0)) }.chunked, uniquingKeysWith: { first, _ in first })

    // MARK: Scripts

    enum Script: Int, CaseIterable {
        case latin, greek, cyrillic, armenian, hebrew, arabic, devanagari, tamil, georgian, other
    }

    /// The scripts that the language is written in.
    var scripts: [Script] {
        switch code {
        case "el": [.greek]
        case "be", "bg", "kk", "ky", "mk", "mn", "ru", "tg", "uk": [.cyrillic]
        case "bs", "hr", "sr": [.latin, .cyrillic]
        case "hy": [.armenian]
        case "he", "yi": [.hebrew]
        case "ar", "fa", "ps", "ur": [.arabic]
        case "hi", "mr", "ne", "sa": [.devanagari]
        case "ta": [.tamil]
        case "ka": [.georgian]
        case "am", "bn", "gu", "ja", "km", "kn", "ko", "lo", "ml", "my", "pa", "si", "te", "th", "ti", "zh", "zz": [.other]
        default: [.latin]
        }
    }

    /// The language whose rules apply to a word in a text of this language: its own, or for a word in another script
    /// the main language of that script. An English name in a Russian text has English forms.
    func rules(for script: Script) -> Language? {
        if scripts.contains(script) { return self }
        return switch script {
        case .latin: .english
        case .greek: .greek
        case .cyrillic: Language(letters: "ru")
        case .armenian: Language(letters: "hy")
        case .hebrew: Language(letters: "he")
        case .arabic: Language(letters: "ar")
        case .devanagari: Language(letters: "hi")
        case .tamil: Language(letters: "ta")
        case .georgian: Language(letters: "ka")
        case .other: nil
        }
    }
}

extension Language.Script {
    /// The script of a word, by its first letter.
    init(_ word: ByteView) {
        guard word.count > 1, word[0] >= 0xC0 else {
            self = .latin
            return
        }
        let code =
            word[0] < 0xE0
            ? UInt32(word[0] & 0x1F) << 6 | UInt32(word[1] & 0x3F)
            : word.count > 2 ? UInt32(word[0] & 0x0F) << 12 | UInt32(word[1] & 0x3F) << 6 | UInt32(word[2] & 0x3F) : 0
        self =
            switch code {
            case 0xC0..<0x250, 0x1E00..<0x1F00: .latin
            case 0x370..<0x400, 0x1F00..<0x2000: .greek
            case 0x400..<0x530: .cyrillic
            case 0x530..<0x590: .armenian
            case 0x590..<0x600: .hebrew
            case 0x600..<0x780: .arabic
            case 0x900..<0x980: .devanagari
            case 0xB80..<0xC00: .tamil
            case 0x10A0..<0x1100, 0x1C90..<0x1CC0: .georgian
            default: .other
            }
    }
}

extension [String] {
    /// The elements in pairs.
    fileprivate var chunked: [(String, String)] { stride(from: 0, to: count - 1, by: 2).map { (self[$0], self[$0 + 1]) } }
}
