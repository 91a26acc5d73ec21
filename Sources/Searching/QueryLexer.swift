import Domain

/// A part of a search text.
enum QueryLexeme {
    case term(SearchQuery.Term, isNegated: Bool)
    case condition(SearchQuery.Condition)
    case open(isNegated: Bool)
    case close
    /// Carries the term that it stands for if it joins nothing.
    case `operator`(QueryOperator, SearchQuery.Term)

    /// True if it may follow `NOT`.
    var canBeExcluded: Bool {
        switch self {
        case .term, .condition, .open: true
        case .close, .operator: false
        }
    }
}

enum QueryOperator: String {
    case and = "AND", or = "OR", not = "NOT"
}

/// Splits a search text into lexemes. Parentheses are balanced: each `close` has an `open`.
struct QueryLexer {
    private(set) var lexemes: [QueryLexeme] = []
    private(set) var unknown: [UnknownCondition] = []

    private let text: QueryText
    private let now: Timestamp?
    private var position = 0
    /// The name before each open parenthesis.
    private var open: [Scope?] = []
    /// Number of open parentheses ignored because they are nested too deeply.
    private var ignoredDepth = 0
    private var termCount = 0

    /// A name before a word, phrase or parenthesis.
    private enum Scope {
        case field(SearchQuery.Field)
        /// The owner's tags.
        case tag
        /// The notes of the owner's bookmarks.
        case mark

        var field: SearchQuery.Field? { if case .field(let field) = self { field } else { nil } }
    }

    /// More words than anyone types; the remainder is ignored.
    private static let maxTerms = 64
    /// Most levels of nested parentheses.
    private static let maxDepth = 16

    init(_ text: String, now: Timestamp?) {
        self.text = QueryText(text)
        self.now = now
        while termCount < Self.maxTerms, position < self.text.count { readNext() }
    }

    private mutating func readNext() {
        if text.isBlank(position) {
            position += 1
        } else if text.isClosing(position) {
            closeParenthesis()
        } else {
            let isNegated = text.isMinus(position) && position + 1 < text.count && !text.isBlank(position + 1)
            if isNegated { position += 1 }
            readOperand(scope: open.last ?? nil, isNegated: isNegated)
        }
    }

    /// A word with its field, a phrase, or an opening parenthesis.
    private mutating func readOperand(scope: Scope?, isNegated: Bool) {
        if readPhraseOrParenthesis(scope: scope, isNegated: isNegated) { return }
        let start = position
        while position < text.count, !text.endsWord(position) {
            position += 1
            guard text.isColon(position - 1), let named = named(start..<(position - 1)) else { continue }
            if readPhraseOrParenthesis(scope: named, isNegated: isNegated) { return }
        }
        guard position > start else {
            // Skips an unclosed quote. A closing parenthesis is read next.
            if position < text.count, !text.isClosing(position) { position += 1 }
            return
        }
        let word = start..<position
        if !isNegated, let joint = QueryOperator(rawValue: text.string(word)) {
            lexemes.append(.operator(joint, term(word, scope: scope)))
            termCount += 1
        } else {
            readWord(word, scope: scope, isNegated: isNegated)
        }
    }

    private mutating func readPhraseOrParenthesis(scope: Scope?, isNegated: Bool) -> Bool {
        guard position < text.count else { return false }
        if let phrase = text.quoted(from: position) {
            position = phrase.upperBound + 1
            add(phrase, scope: scope, isPhrase: true, isNegated: isNegated)
            return true
        }
        guard text.isOpening(position) else { return false }
        position += 1
        if open.count == Self.maxDepth {
            ignoredDepth += 1
        } else {
            open.append(scope)
            lexemes.append(.open(isNegated: isNegated))
        }
        return true
    }

    private mutating func closeParenthesis() {
        position += 1
        if ignoredDepth > 0 {
            ignoredDepth -= 1
        } else if open.popLast() != nil {
            lexemes.append(.close)
        }
    }

    /// Reads a word with its field, or as a condition if it is one.
    private mutating func readWord(_ word: Range<Int>, scope: Scope?, isNegated: Bool) {
        guard let colon = word.first(where: text.isColon) else {
            return add(word, scope: scope, isNegated: isNegated)
        }
        let (name, value) = (word.lowerBound..<colon, colon + 1..<word.upperBound)
        let (key, content) = (text.string(name).lowercased(), text.string(value).lowercased())
        if let kind = SearchQuery.Condition.Kind(name: key, value: content, now: now) {
            lexemes.append(.condition(SearchQuery.Condition(kind, isNegated: isNegated)))
            termCount += 1
            return
        }
        if let named = named(name), !value.isEmpty { return add(value, scope: named, isNegated: isNegated) }
        if let part = UnknownCondition(name: text.string(name), value: text.string(value)) { unknown.append(part) }
        add(name, scope: scope, isNegated: isNegated)
        add(value, scope: scope, isNegated: isNegated)
    }

    private mutating func add(_ range: Range<Int>, scope: Scope?, isPhrase: Bool = false, isNegated: Bool) {
        if case .tag? = scope {
            guard let tag = Tag(text.string(range)) else {
                if let part = UnknownCondition(name: "tag", value: text.string(range)) { unknown.append(part) }
                return add(range, scope: nil, isPhrase: isPhrase, isNegated: isNegated)
            }
            lexemes.append(.condition(SearchQuery.Condition(.tagged(tag), isNegated: isNegated)))
            termCount += 1
            return
        }
        if case .mark? = scope {
            let isPrefix = !isPhrase && range.last.map(text.isStar) ?? false
            lexemes.append(
                .condition(
                    SearchQuery.Condition(.marked(NoteWords(text.string(range), isPrefix: isPrefix)), isNegated: isNegated)))
            termCount += 1
            return
        }
        var range = range
        while !isPhrase, let last = range.last, text.isStar(last) { range = range.lowerBound..<last }
        guard !range.isEmpty else { return }
        var term = term(range, scope: scope)
        term.isPhrase = isPhrase
        term.isPrefix = !isPhrase && range.upperBound < text.count && text.isStar(range.upperBound)
        lexemes.append(.term(term, isNegated: isNegated))
        termCount += 1
    }

    private func named(_ range: Range<Int>) -> Scope? {
        guard range.count < 20 else { return nil }
        let name = text.string(range).lowercased()
        switch name {
        case "tag": return .tag
        case "mark": return .mark
        default: return SearchQuery.Field(name: name).map { .field($0) }
        }
    }

    private func term(_ range: Range<Int>, scope: Scope?) -> SearchQuery.Term {
        SearchQuery.Term(text.string(range), field: scope?.field, range: text.range(range))
    }

    // MARK: Looking ahead

    func following(_ index: Int) -> QueryLexeme? { index + 1 < lexemes.count ? lexemes[index + 1] : nil }

    /// True if a word, phrase, condition or parenthesis comes next, possibly after a `NOT`.
    func operandFollows(_ index: Int) -> Bool {
        switch following(index) {
        case .term, .condition, .open: true
        case .operator(.not, _): following(index + 1)?.canBeExcluded ?? false
        default: false
        }
    }
}
