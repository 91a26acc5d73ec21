extension SearchQuery {
    /// Reads the query language of `jimmy search`.
    ///
    /// Words are joined by AND; `OR` between two of them joins just these (`tea OR coffee cake` is cake with one of
    /// the two). `"…"` is a phrase, `-` excludes, `*` at the end of a word leaves it open, `title:` and its like
    /// choose a field, `after:2024-01-01` and its like are conditions. Letter case matters for `OR` alone.
    ///
    /// Nothing is an error: an unknown field, an unreadable date, a lone quote or a dangling `OR` are words.
    public init(text: String) {
        var parser = QueryParser(text)
        self = parser.parse()
    }
}

private struct QueryParser {
    private let bytes: [UInt8]
    private var position = 0
    private var conditions: [SearchQuery.Condition] = []

    /// More words than anyone types; the rest of a pasted page is left out.
    private static let maxTerms = 64

    init(_ text: String) { bytes = Array(text.utf8.prefix(8_192)) }

    mutating func parse() -> SearchQuery {
        var groups: [[SearchQuery.Expression]] = []
        var joinsNext = false
        var count = 0
        while count < Self.maxTerms, let piece = nextPiece() {
            count += 1
            switch piece {
            case .or(let range):
                if !groups.isEmpty, !joinsNext, operandFollows {
                    joinsNext = true
                } else {
                    groups.append([.term(term(range))])
                }
            case .expressions(let expressions):
                guard let first = expressions.first else { continue }
                if joinsNext {
                    groups[groups.count - 1].append(first)
                    joinsNext = false
                } else {
                    groups.append([first])
                }
                groups.append(contentsOf: expressions.dropFirst().map { [$0] })
            }
        }
        let parts = groups.map { $0.count == 1 ? $0[0] : SearchQuery.Expression.any($0) }
        return SearchQuery(expression: parts.count > 1 ? .all(parts) : parts.first, conditions: conditions)
    }

    private enum Piece {
        case or(Range<Int>)
        /// One as a rule; several where something invalid falls apart into words; none for a condition.
        case expressions([SearchQuery.Expression])
    }

    /// Whether a word or phrase comes next, so that an `OR` before it is one.
    private var operandFollows: Bool {
        var ahead = self
        guard case .expressions(let expressions)? = ahead.nextPiece() else { return false }
        return !expressions.isEmpty
    }

    private mutating func nextPiece() -> Piece? {
        while position < bytes.count, isBlank(bytes[position]) { position += 1 }
        guard position < bytes.count else { return nil }
        let start = position
        var isNegated = false
        if bytes[position] == UInt8(ascii: "-"), position + 1 < bytes.count, !isBlank(bytes[position + 1]) {
            isNegated = true
            position += 1
        }
        if let phrase = phrase() {
            return .expressions(expression(phrase, field: nil, isPhrase: true, isNegated: isNegated))
        }
        let wordStart = position
        while position < bytes.count, !isBlank(bytes[position]), bytes[position] != UInt8(ascii: "\"") {
            position += 1
            if bytes[position - 1] == UInt8(ascii: ":"), let field = field(wordStart..<(position - 1)),
                let phrase = phrase()
            {
                return .expressions(expression(phrase, field: field, isPhrase: true, isNegated: isNegated))
            }
        }
        if position == wordStart {  // a quote that is never closed
            position += 1
            return .expressions([])
        }
        let word = wordStart..<position
        if start == wordStart, string(word) == "OR" { return .or(word) }
        return .expressions(read(word, isNegated: isNegated))
    }

    /// A word with its field or as a condition, where it begins with one.
    private mutating func read(_ word: Range<Int>, isNegated: Bool) -> [SearchQuery.Expression] {
        guard let colon = word.first(where: { bytes[$0] == UInt8(ascii: ":") }) else {
            return expression(word, field: nil, isPhrase: false, isNegated: isNegated)
        }
        let name = word.lowerBound..<colon
        let value = (colon + 1)..<word.upperBound
        if let field = field(name), !value.isEmpty {
            return expression(value, field: field, isPhrase: false, isNegated: isNegated)
        }
        if let kind = SearchQuery.Condition.Kind(name: string(name).lowercased(), value: string(value).lowercased()) {
            conditions.append(SearchQuery.Condition(kind, isNegated: isNegated))
            return []
        }
        return expression(name, field: nil, isPhrase: false, isNegated: isNegated)
            + expression(value, field: nil, isPhrase: false, isNegated: isNegated)
    }

    private func expression(
        _ range: Range<Int>, field: SearchQuery.Field?, isPhrase: Bool, isNegated: Bool
    ) -> [SearchQuery.Expression] {
        var range = range
        var isPrefix = false
        while !isPhrase, let last = range.last, bytes[last] == UInt8(ascii: "*") {
            range = range.lowerBound..<last
            isPrefix = true
        }
        guard !range.isEmpty else { return [] }
        let term = SearchQuery.Expression.term(
            term(range, field: field, isPhrase: isPhrase, isPrefix: isPrefix))
        return [isNegated ? .not(term) : term]
    }

    /// What stands between quotes from here on; nil where there are none, or they are not closed or empty.
    private mutating func phrase() -> Range<Int>? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\""),
            let end = bytes[(position + 1)...].firstIndex(of: UInt8(ascii: "\"")), end > position + 1
        else { return nil }
        defer { position = end + 1 }
        return (position + 1)..<end
    }

    private func field(_ range: Range<Int>) -> SearchQuery.Field? {
        SearchQuery.Field(rawValue: string(range).lowercased())
    }

    private func term(
        _ range: Range<Int>, field: SearchQuery.Field? = nil, isPhrase: Bool = false, isPrefix: Bool = false
    ) -> SearchQuery.Term {
        SearchQuery.Term(string(range), isPhrase: isPhrase, isPrefix: isPrefix, field: field, range: range)
    }

    private func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func isBlank(_ byte: UInt8) -> Bool { byte <= 32 || byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") }
}
