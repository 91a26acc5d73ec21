/// A short word by which the owner marks an episode, in folded letter case.
///
/// Letters, numbers, `.`, `_` and `-`, at most 64 characters.
public struct Tag: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    public static let maxLength = 64
    /// Bounds the bytes too, because combining marks make a single character arbitrarily long.
    private static let maxBytes = 4 * maxLength

    /// nil if `text` is not a tag.
    public init?(_ text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.count <= Self.maxBytes, text.count <= Self.maxLength else { return nil }
        var folded = ""
        for character in text {
            let scalars = character.unicodeScalars
            guard let first = scalars.first, Self.isBase(first), scalars.dropFirst().allSatisfy(Self.canFollow) else {
                return nil
            }
            for scalar in scalars { folded += scalar.folded }
        }
        self.text = folded
    }

    private init(folded text: String) { self.text = text }

    /// First seen by a refresh, and not dealt with since.
    public static let new = Tag(folded: "new")
    public static let played = Tag(folded: "played")
    public static let starred = Tag(folded: "starred")
    /// Left out of lists and searches unless asked for.
    public static let archived = Tag(folded: "archived")
    /// Set and removed by jimmy alone.
    public static let downloaded = Tag(folded: "downloaded")

    /// The tags that jimmy gives a meaning.
    public static let meaningful: Set<Tag> = [.new, .played, .starred, .archived, .downloaded]

    public var description: String { text }
    public static func < (a: Tag, b: Tag) -> Bool { a.text < b.text }

    private static func isBase(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "._-".unicodeScalars.contains(scalar)
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
            .otherNumber:
            return true
        default: return false
        }
    }

    /// Letters of many scripts need combining marks.
    private static func canFollow(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: isBase(scalar)
        }
    }
}

extension Unicode.Scalar {
    /// Simple case folding, by way of the capital letter, so that `σ` and `ς` fold to the same letter.
    fileprivate var folded: String {
        let upper = properties.uppercaseMapping.unicodeScalars
        guard upper.count == 1, let capital = upper.first else { return properties.lowercaseMapping }
        return capital.properties.lowercaseMapping
    }
}
