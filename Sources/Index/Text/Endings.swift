/// Inflected forms in languages other than English, by what they put behind a word or before it. This is coarse (it takes
/// a bank for a kind of bench), so such forms count least, and those in Latin letters only in podcasts of the language.
enum Endings {
    /// The forms a folded word may have in a language, or by its script where that is nil. Not all exist.
    static func forms(of word: String, in language: String?) -> Set<String> {
        guard let rule = language.map({ languages[$0] }) ?? rule(of: word) else { return [] }
        let letters = Array(word.utf8)
        var stems: Set<[UInt8]> = [letters]
        for ending in rule.endings where letters.ends(with: ending) { stems.insert(letters.dropLast(ending.count)) }
        for beginning in rule.beginnings {
            for stem in stems where stem.starts(with: beginning) { stems.insert(Array(stem.dropFirst(beginning.count))) }
        }
        var forms: Set<[UInt8]> = []
        for stem in stems where stem.count(where: { $0 & 0xC0 != 0x80 }) >= 3 {
            for ending in rule.endings { forms.insert(stem + ending) }
            for beginning in rule.beginnings { forms.insert(beginning + stem) }
            forms.insert(stem)
        }
        forms.remove(letters)
        return Set(forms.map { String(decoding: $0, as: UTF8.self) })
    }

    /// In any language that the word may be of.
    static func allForms(of word: String) -> Set<String> {
        guard word.utf8.contains(where: { $0 < 0x80 }) else { return forms(of: word, in: nil) }
        return languages.keys.reduce(into: []) { $0.formUnion(forms(of: word, in: $1)) }
    }

    private struct Rule {
        var endings: [[UInt8]]
        var beginnings: [[UInt8]]

        init(_ endings: String, before beginnings: String = "") {
            // As bytes: a blank and a sign that goes above a letter are one character to a String.
            self.endings = endings.utf8.split(separator: 32).map(Array.init)
            self.beginnings = beginnings.utf8.split(separator: 32).map(Array.init)
        }
    }

    private static func rule(of word: String) -> Rule? {
        switch word.unicodeScalars.first?.value ?? 0 {
        case 0x370...0x3FF: greek
        case 0x400...0x52F: cyrillic
        case 0x590...0x5FF: hebrew
        case 0x600...0x6FF: arabic
        case 0x900...0x97F: hindi
        default: nil
        }
    }

    private static let cyrillic = Rule(
        """
        а я ы и у ю е о ой ей ою ею ом ем ам ям ами ями ах ях ов ев ь ью ий ия ие ию ии ией иям иями иях ый ая яя ое ее ые \
        ого его ому ему ым им ую юю ых их ыми ими ть л ла ло ли ет ют ут ит ят ат і ї є ів їв єю
        """)
    private static let greek = Rule("α ασ αν εσ η ησ ην ο οσ ου ον οι ουσ ων ε ι ια ιου ιων εισ εων")
    private static let hebrew = Rule("ים ות", before: "ה ו ב ל מ ש כ וה שה")
    private static let arabic = Rule("ات ين ون", before: "ال و وال ب بال ل لل ف")
    private static let hindi = Rule("ा े ों ें ो ं")

    /// By the language's code, with folded letters.
    private static let languages: [String: Rule] = [
        "cs": Rule("a y u e i o ou em um am ech ach ami ich ove ovi"),
        "da": Rule("e er en et ene erne s n r ne"),
        "de": Rule("e en er ern es em n s"),
        "es": Rule("s es"),
        "fr": Rule("s x e es al aux"),
        "it": Rule("o a e i he hi"),
        "nb": Rule("e er en et ene a r ne"),
        "nl": Rule("e en s"),
        "no": Rule("e er en et ene a r ne"),
        "pl": Rule("a y i e u o ow ami ach om em ie owi ego ej ym ych"),
        "pt": Rule("s es ao oes aes"),
        "sv": Rule("ar or er en et n t a na arna erna orna s"),
        "tr": Rule("lar ler i u a e in un da de ta te dan den tan ten lari leri larin lerin"),
    ]
}

extension [UInt8] {
    fileprivate func ends(with ending: [UInt8]) -> Bool { count > ending.count && suffix(ending.count).elementsEqual(ending) }
}
