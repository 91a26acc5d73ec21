/// A name on the command line, compared with titles. Case, accents and word order do not matter.
public struct TitleName: Sendable {
    /// How well a title fits, best first.
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
        return words.allSatisfy { word in title.contains { $0.hasPrefix(word) || word.isUnspaced && $0.contains(word) } }
            ? .beginnings : nil
    }

    /// A word that is in `searchText(of:)` of every fitting title; nil if no title can fit.
    public var longestWord: String? { words.max { $0.utf8.count < $1.utf8.count } }

    /// The folded words of titles, for preselecting among many.
    public static func searchText(of titles: [String]) -> String {
        titles.map { words(of: $0).joined(separator: " ") }.joined(separator: " ")
    }

    /// False if the title certainly does not fit. Much cheaper than `fit`, for preselecting among many titles.
    ///
    /// - Parameter title: UTF-8.
    public func mayFit(_ title: Span<UInt8>) -> Bool {
        // Non-ASCII letters may be folded to ASCII, and apostrophes are dropped.
        for index in title.indices where title[index] >= 0x80 || title[index] == UInt8(ascii: "'") { return !words.isEmpty }
        return !words.isEmpty && words.allSatisfy { Self.begins($0.utf8, in: title) }
    }

    /// True if a word of this ASCII title begins with the folded word.
    private static func begins(_ word: String.UTF8View, in title: Span<UInt8>) -> Bool {
        var isInWord = false
        for index in title.indices {
            if !isInWord, title.count - index >= word.count,
                zip(index..., word).allSatisfy({ title[$0] | 0x20 == $1 })
            {
                return true
            }
            let byte = title[index]
            isInWord = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        }
        return false
    }

    /// The items that fit best, in their order; empty if none fits.
    public func best<Item>(among items: some Sequence<Item>, title: (Item) -> String?) -> [Item] {
        Self.best(among: items) { title($0).flatMap(fit) }
    }

    /// - Parameter fit: how well an item fits; nil if it does not.
    public static func best<Item>(among items: some Sequence<Item>, fit: (Item) -> Fit?) -> [Item] {
        var best: [Item] = []
        var bestFit = Fit.beginnings
        for item in items {
            guard let fit = fit(item), fit <= bestFit else { continue }
            if fit < bestFit { best = [] }
            bestFit = fit
            best.append(item)
        }
        return best
    }

    /// The words as typed, for a search.
    package static func typedWords(of text: String) -> [String] { words(of: text, isFolding: false) }

    package static func foldedWords(of text: String) -> [String] { words(of: text) }

    /// Letters and digits, folded; everything else separates words.
    private static func words(of text: String, isFolding: Bool = true) -> [String] {
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                if (0x30...0x39).contains(scalar.value) || (0x61...0x7A).contains(scalar.value | 0x20) && scalar.value > 0x40 {
                    word.unicodeScalars.append(
                        (0x41...0x5A).contains(scalar.value) ? Unicode.Scalar(UInt8(scalar.value | 0x20)) : scalar)
                    continue
                }
                // An apostrophe joins: `don't` is one word and equals `dont`.
                if scalar == "'" { continue }
            } else {
                switch scalar.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                    .letterNumber, .otherNumber:
                    if isFolding { word += folded(scalar) } else { word.unicodeScalars.append(scalar) }
                    continue
                case .nonspacingMark, .enclosingMark:
                    if !isFolding { word.unicodeScalars.append(scalar) }
                    continue
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

    /// The letter without case and accents, from its Unicode name: "LATIN SMALL LETTER E WITH ACUTE".
    private static func folded(_ scalar: Unicode.Scalar) -> String {
        let small = scalar.properties.lowercaseMapping
        guard small.unicodeScalars.count == 1, let letter = small.unicodeScalars.first,
            let name = letter.properties.name
        else { return small }
        if let letters = ["ß": "ss", "æ": "ae", "œ": "oe", "ﬁ": "fi", "ﬂ": "fl"][small] { return letters }
        let base = name.firstRange(of: " WITH ").map { name[..<$0.lowerBound] } ?? name[...]
        let latin = "LATIN SMALL LETTER "
        if base.hasPrefix(latin), base.utf8.count == latin.utf8.count + 1 { return base.suffix(1).lowercased() }
        // Greek and Cyrillic letters are represented by their base letter's name, on both sides of a comparison.
        let hasAccents = (0x370...0x52F).contains(letter.value) || (0x1F00...0x1FFF).contains(letter.value)
        return hasAccents ? base.filter { $0 != " " }.lowercased() + "." : small
    }
}

extension String {
    /// True in a script without blanks between words, where a word may occur anywhere in another.
    fileprivate var isUnspaced: Bool {
        unicodeScalars.allSatisfy {
            (0x2E80...0xD7FF).contains($0.value) || (0x0E00...0x0EFF).contains($0.value) || $0.value > 0x1_FFFF
        }
    }
}

extension TitleName {
    /// How well the user's or the channel's title fits.
    public func fit(_ podcast: Podcast) -> Fit? { [podcast.displayTitle, podcast.title].compactMap { $0.flatMap(fit) }.min() }
}
