public import Domain

/// Pieces of the command's views that a page shows in its own way.
extension Snippet {
    /// For a page: the text escaped, what matched in `mark` elements.
    public var html: String {
        let bytes = Array(text.utf8)
        var result = ""
        var end = 0
        for match in matches where match.lowerBound >= end && match.upperBound <= bytes.count {
            result += SafeHTML.escaped(String(decoding: bytes[end..<match.lowerBound], as: UTF8.self))
            result += "<mark>" + SafeHTML.escaped(String(decoding: bytes[match], as: UTF8.self)) + "</mark>"
            end = match.upperBound
        }
        return result + SafeHTML.escaped(String(decoding: bytes[end...], as: UTF8.self))
    }
}

extension View {
    /// Its text as a person reads it, however wide.
    public func text(now: Timestamp) -> String {
        lines(for: Display(isTerminal: true, width: 4_000, now: now)).joined(separator: "\n")
    }

    /// Its rows, each an object of JSON.
    public var jsonRows: [String] {
        var rows: [String] = []
        jsonLines { rows.append($0) }
        return rows
    }
}

/// A feed's HTML as plain text.
public enum HTMLPlain {
    /// Tags gone, references decoded.
    public static func text(_ html: String) -> String { HTMLText.text(html) }
}
