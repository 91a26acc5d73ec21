import Domain

/// A search text as characters, with their meaning in the query language.
struct QueryText {
    private let bytes: [UInt8]
    private let scalars: [Unicode.Scalar]
    /// The UTF-8 offset of each character, and of the end.
    private let offsets: [Int]

    /// Bytes of UTF-8: more than anyone types. The remainder, such as a pasted page, is ignored.
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
    func range(_ indices: Range<Int>) -> Range<Int> { offsets[indices.lowerBound]..<offsets[indices.upperBound] }
    func string(_ indices: Range<Int>) -> String { String(decoding: bytes[range(indices)], as: UTF8.self) }

    func isBlank(_ index: Int) -> Bool {
        scalars[index].value <= 32 || scalars[index].properties.isWhitespace
    }

    func isMinus(_ index: Int) -> Bool { scalars[index] == "-" }
    func isColon(_ index: Int) -> Bool { scalars[index] == ":" || scalars[index] == "：" }
    func isStar(_ index: Int) -> Bool { scalars[index] == "*" || scalars[index] == "＊" }
    func isOpening(_ index: Int) -> Bool { scalars[index] == "(" || scalars[index] == "（" }
    func isClosing(_ index: Int) -> Bool { scalars[index] == ")" || scalars[index] == "）" }

    /// True for characters that end a word.
    func endsWord(_ index: Int) -> Bool { isBlank(index) || isOpening(index) || isClosing(index) || isQuote(index) }

    /// True if a phrase may begin here. Within a Hebrew word `"` marks an abbreviation: צה"ל.
    func isQuote(_ index: Int) -> Bool {
        guard Self.closing(scalars[index]) != nil else { return false }
        let isHebrew =
            index > 0 && index + 1 < count && (0x05D0...0x05EA).contains(scalars[index - 1].value)
            && (0x05D0...0x05EA).contains(scalars[index + 1].value)
        return !isHebrew
    }

    /// The text in the quotes that open at `index`; nil if they are empty or unclosed.
    func quoted(from index: Int) -> Range<Int>? {
        guard index < count, isQuote(index), let closing = Self.closing(scalars[index]),
            let end = (index + 1..<count).first(where: { closing.contains(scalars[$0]) }), end > index + 1
        else { return nil }
        return index + 1..<end
    }

    /// The quotes that can close this one; nil if it is not a quote. Any double quote closes another, since keyboards
    /// mix them.
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
