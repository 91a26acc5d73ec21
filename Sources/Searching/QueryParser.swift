public import Domain

extension SearchQuery {
    /// Parses the query language of `jimmy search`.
    ///
    /// Words side by side mean AND; `OR` binds more tightly (`tea OR coffee cake` means cake with tea or coffee), and
    /// parentheses group. `"…"` is a phrase, `-` or `NOT` excludes, `*` at the end of a word matches any ending, names
    /// such as `title:` choose a field, and names such as `after:2024-01-01` are conditions. Letter case matters only
    /// for `AND`, `OR` and `NOT`.
    ///
    /// Nothing is an error: an unknown field, an unreadable date, an unclosed quote or a dangling `OR` are words.
    /// Unknown fields and conditions are also in `unknown`.
    ///
    /// - Parameter now: the time that dates such as `after:7d` are relative to; without it they are words.
    public init(text: String, now: Timestamp? = nil) {
        let lexer = QueryLexer(text, now: now)
        var parser = QueryParser(lexer)
        (expression, conditions) = Self.separated(parser.group())
        unknown = lexer.unknown
    }

    /// Separates the conditions that every match must satisfy.
    private static func separated(_ expression: Expression?) -> (Expression?, [Condition]) {
        switch expression {
        case .condition(let condition):
            return (nil, [condition])
        case .all(let parts):
            let separated = parts.map(self.separated)
            let matched = separated.compactMap(\.0)
            return (matched.count > 1 ? .all(matched) : matched.first, separated.flatMap(\.1))
        default:
            return (expression, [])
        }
    }
}

private struct QueryParser {
    /// A lexeme. Operators that join nothing have become words.
    private enum Piece {
        case operand(SearchQuery.Expression, isNegated: Bool)
        case open(isNegated: Bool)
        case close
        case or
    }

    private var pieces: [Piece] = []
    private var position = 0

    /// Drops the operators that take effect, and turns the others into words.
    init(_ lexer: QueryLexer) {
        var isBehindOperand = false
        var isExcluded = false  // by a NOT just before
        for (index, lexeme) in lexer.lexemes.enumerated() {
            let next = lexer.following(index)
            switch lexeme {
            case .operator(.or, _) where isBehindOperand && lexer.operandFollows(index):
                pieces.append(.or)
                isBehindOperand = false
            case .operator(.and, _) where isBehindOperand && next != nil:
                break
            case .operator(.not, _) where next?.canBeExcluded == true:
                isExcluded = true
                continue
            case .operator(_, let word):
                pieces.append(.operand(.term(word), isNegated: false))
                isBehindOperand = true
            case .term(let term, let isNegated):
                pieces.append(.operand(.term(term), isNegated: isNegated != isExcluded))
                isBehindOperand = true
            case .condition(let condition):
                pieces.append(.operand(.condition(condition), isNegated: isExcluded))
                isBehindOperand = true
            case .open(let isNegated):
                pieces.append(.open(isNegated: isNegated != isExcluded))
                isBehindOperand = false
            case .close:
                pieces.append(.close)
                isBehindOperand = true
            }
            isExcluded = false
        }
    }

    /// Everything up to the closing parenthesis, or to the end.
    mutating func group() -> SearchQuery.Expression? {
        var groups: [[SearchQuery.Expression]] = []
        var joinsNext = false
        func add(_ operand: SearchQuery.Expression, _ isNegated: Bool) {
            let operand = isNegated ? negated(operand) : operand
            if joinsNext, !groups.isEmpty {
                groups[groups.count - 1].append(operand)
            } else {
                groups.append([operand])
            }
            joinsNext = false
        }
        reading: while position < pieces.count {
            position += 1
            switch pieces[position - 1] {
            case .operand(let operand, let isNegated): add(operand, isNegated)
            case .open(let isNegated): if let inner = group() { add(inner, isNegated) }
            case .close: break reading
            case .or: joinsNext = true
            }
        }
        let parts = groups.map { $0.count == 1 ? $0[0] : SearchQuery.Expression.any($0) }
        return parts.count > 1 ? .all(parts) : parts.first
    }

    private func negated(_ operand: SearchQuery.Expression) -> SearchQuery.Expression {
        guard case .condition(var condition) = operand else { return .not(operand) }
        condition.isNegated.toggle()
        return .condition(condition)
    }
}
