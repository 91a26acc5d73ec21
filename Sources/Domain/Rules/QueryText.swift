/// A search text as characters, with their meaning in the query language.
struct QueryText {
    private let bytes: [UInt8]
    private let scalars: [Unicode.Scalar]
    /// The UTF-8 offset of each character, and of the end.
    private let offsets: [Int]

    /// In bytes of UTF-8. More than anyone types; what follows, such as a pasted page, is ignored.
    private static let maxLength = 8_192

    init(_ text: String) {
        let scalars = Array(String(decoding: text.utf8.prefix(Self.maxLength), as: UTF8.self).unicodeScalars)
        var offsets = [0]
        for scalar in scalars { offsets.append(offsets[offsets.count - 1] + UTF8.width(scalar)) }
        (self.scalars, self.offsets) = (scalars, offsets)
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        bytes = Array(String(view).utf8)
    }

    var count: Int { scalars.count }

    /// The UTF-8 offsets of some characters.
    func range(_ places: Range<Int>) -> Range<Int> { offsets[places.lowerBound]..<offsets[places.upperBound] }
    func string(_ places: Range<Int>) -> String { String(decoding: bytes[range(places)], as: UTF8.self) }

    func isBlank(_ place: Int) -> Bool {
        scalars[place].value <= 32 || scalars[place].properties.isWhitespace
    }

    func isMinus(_ place: Int) -> Bool { scalars[place] == "-" }
    func isColon(_ place: Int) -> Bool { scalars[place] == ":" || scalars[place] == "：" }
    func isStar(_ place: Int) -> Bool { scalars[place] == "*" || scalars[place] == "＊" }
    func isOpening(_ place: Int) -> Bool { scalars[place] == "(" || scalars[place] == "（" }
    func isClosing(_ place: Int) -> Bool { scalars[place] == ")" || scalars[place] == "）" }

    /// True for characters that end a word.
    func endsWord(_ place: Int) -> Bool { isBlank(place) || isOpening(place) || isClosing(place) || isQuote(place) }

    /// True if a phrase may begin here. Within a Hebrew word `"` marks an abbreviation: צה"ל.
    func isQuote(_ place: Int) -> Bool {
        guard Self.closing(scalars[place]) != nil else { return false }
        let isHebrew =
            place > 0 && place + 1 < count && (0x05D0...0x05EA).contains(scalars[place - 1].value)
            && (0x05D0...0x05EA).contains(scalars[place + 1].value)
        return !isHebrew
    }

    /// The text in the quotes that open at `place`; nil if they are empty or never closed.
    func quoted(from place: Int) -> Range<Int>? {
        guard place < count, isQuote(place), let closing = Self.closing(scalars[place]),
            let end = (place + 1..<count).first(where: { closing.contains(scalars[$0]) }), end > place + 1
        else { return nil }
        return place + 1..<end
    }

    /// The quotes that close what this one opens; nil if it is none. Any double quote closes another, since keyboards mix them.
    private static func closing(_ quote: Unicode.Scalar) -> [Unicode.Scalar]? {
        switch quote {
        case "\"", "“", "”", "„", "‟", "＂": ["\"", "“", "”", "„", "‟", "＂"]
        case "«": ["»"]
        case "»": ["«"]
        case "「": ["」"]
        case "『": ["』"]
        case "《": ["》"]
        default: nil
        }
    }
}
