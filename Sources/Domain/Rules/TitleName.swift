/// A name on the command line that may stand for a title: case, accents and the order of the words do not matter.
public struct TitleName: Sendable {
    /// How well a title fits; the first is best.
    public enum Fit: Int, Comparable, Sendable {
        /// The same title.
        case exact
        /// Every word of the name is a word of the title.
        case words
        /// Every word of the name begins a word of the title.
        case beginnings

        public static func < (a: Fit, b: Fit) -> Bool { a.rawValue < b.rawValue }
    }

    private let words: [String]

    public init(_ name: String) { words = Self.words(of: name) }

    /// nil if the title does not have all the words.
    public func fit(_ title: String) -> Fit? {
        guard !words.isEmpty else { return nil }
        let title = Self.words(of: title)
        if title == words { return .exact }
        if words.allSatisfy(title.contains) { return .words }
        return words.allSatisfy { word in title.contains { $0.hasPrefix(word) } } ? .beginnings : nil
    }

    /// Those that fit best, in their order. Empty if none fits.
    public func best<Item>(among items: some Sequence<Item>, title: (Item) -> String?) -> [Item] {
        var best: [Item] = []
        var bestFit = Fit.beginnings
        for item in items {
            guard let fit = title(item).flatMap(fit), fit <= bestFit else { continue }
            if fit < bestFit { best = [] }
            bestFit = fit
            best.append(item)
        }
        return best
    }

    /// Letters and digits, folded; everything else separates words.
    static func words(of text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                if (0x30...0x39).contains(scalar.value) || (0x61...0x7A).contains(scalar.value | 0x20) && scalar.value > 0x40 {
                    word.unicodeScalars.append(
                        (0x41...0x5A).contains(scalar.value) ? Unicode.Scalar(UInt8(scalar.value | 0x20)) : scalar)
                    continue
                }
                // An apostrophe joins: don't is one word, with or without it.
                if scalar == "'" { continue }
            } else {
                switch scalar.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                    .letterNumber, .otherNumber:
                    word += folded(scalar)
                    continue
                case .nonspacingMark, .enclosingMark: continue
                case .spacingMark:
                    word.unicodeScalars.append(scalar)
                    continue
                default: if scalar == "’" { continue }
                }
            }
            if !word.isEmpty { words.append(word) }
            word = ""
        }
        return word.isEmpty ? words : words + [word]
    }

    /// Without case and accents. A letter's name tells what it is made of: "LATIN SMALL LETTER E WITH ACUTE".
    private static func folded(_ scalar: Unicode.Scalar) -> String {
        let small = scalar.properties.lowercaseMapping
        guard small.unicodeScalars.count == 1, let letter = small.unicodeScalars.first,
            let name = letter.properties.name
        else { return small }
        if let letters = ["ß": "ss", "æ": "ae", "œ": "oe", "ﬁ": "fi", "ﬂ": "fl"][small] { return letters }
        let base = name.firstRange(of: " WITH ").map { name[..<$0.lowerBound] } ?? name[...]
        let latin = "LATIN SMALL LETTER "
        if base.hasPrefix(latin), base.utf8.count == latin.utf8.count + 1 { return base.suffix(1).lowercased() }
        // Greek and Cyrillic letters are known by their base's name: both sides are folded alike.
        let hasAccents = (0x370...0x52F).contains(letter.value) || (0x1F00...0x1FFF).contains(letter.value)
        return hasAccents ? base.filter { $0 != " " }.lowercased() + "." : small
    }
}
