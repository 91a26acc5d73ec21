/// A short word by which the owner marks an episode, in folded letter case.
///
/// Letters, numbers, `.`, `_` and `-`, at most 64 characters.
public struct Tag: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    public static let maxLength = 64
    /// Combining marks make one character as long as anybody likes.
    private static let maxBytes = 4 * maxLength

    /// nil if `text` is not a tag.
    public init?(_ text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.count <= Self.maxBytes, text.count <= Self.maxLength else { return nil }
        var folded = ""
        for character in text {
            let scalars = character.unicodeScalars
            guard let first = scalars.first, Self.canStand(first), scalars.dropFirst().allSatisfy(Self.canFollow) else {
                return nil
            }
            for scalar in scalars { folded += scalar.folded }
        }
        self.text = folded
    }

    private init(known text: String) { self.text = text }

    /// Not dealt with since a refresh first saw it.
    public static let new = Tag(known: "new")
    public static let played = Tag(known: "played")
    public static let starred = Tag(known: "starred")
    /// Left out of lists and searches unless asked for.
    public static let archived = Tag(known: "archived")
    /// Set and removed by jimmy alone.
    public static let downloaded = Tag(known: "downloaded")

    /// Those to which jimmy gives a meaning.
    public static let meaningful: Set<Tag> = [.new, .played, .starred, .archived, .downloaded]

    public var description: String { text }
    public static func < (a: Tag, b: Tag) -> Bool { a.text < b.text }

    private static func canStand(_ scalar: Unicode.Scalar) -> Bool {
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

    /// Letters of many scripts are written with marks of their own.
    private static func canFollow(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: canStand(scalar)
        }
    }
}

extension Unicode.Scalar {
    /// Simple case folding: by way of the capital, so that `σ` and `ς` fold to one letter.
    fileprivate var folded: String {
        let upper = properties.uppercaseMapping.unicodeScalars
        guard upper.count == 1, let capital = upper.first else { return properties.lowercaseMapping }
        return capital.properties.lowercaseMapping
    }
}
