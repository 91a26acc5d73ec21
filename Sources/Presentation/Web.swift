public import Domain
public import Searching

/// Parts of the command's views, for pages.
extension Snippet {
    /// HTML for a page: the escaped text with matches in `mark` elements.
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
    /// The text for people, without a limit of width.
    public func text(now: Timestamp) -> String {
        lines(for: Display(isTerminal: true, width: 4_000, now: now)).joined(separator: "\n")
    }

    /// The rows, each a JSON object.
    public var jsonRows: [String] {
        var rows: [String] = []
        jsonLines { rows.append($0) }
        return rows
    }
}
