/// What a search text consists of.
enum QueryLexeme {
    case term(SearchQuery.Term, isNegated: Bool)
    case condition(SearchQuery.Condition)
    case open(isNegated: Bool)
    case close
    /// A word after all, where it joins nothing.
    case `operator`(QueryOperator, SearchQuery.Term)

    /// Whether this can stand behind `NOT`.
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

/// Takes a search text apart. Parentheses come out in order: each `close` has its `open`.
struct QueryLexer {
    private(set) var lexemes: [QueryLexeme] = []
    private(set) var unknown: [UnknownCondition] = []

    private let text: QueryText
    private let now: Timestamp?
    private var position = 0
    /// For each parenthesis that is open, the field before it.
    private var open: [SearchQuery.Field?] = []
    /// Parentheses that were too deep to be kept.
    private var ignoredDepth = 0
    private var termCount = 0

    /// More words than anyone types.
    private static let maxTerms = 64
    /// Parentheses within parentheses.
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
            readOperand(field: open.last ?? nil, isNegated: isNegated)
        }
    }

    /// A word with what stands before it, a phrase, or an opening parenthesis.
    private mutating func readOperand(field: SearchQuery.Field?, isNegated: Bool) {
        if readPhraseOrParenthesis(field: field, isNegated: isNegated) { return }
        let start = position
        while position < text.count, !text.endsWord(position) {
            position += 1
            guard text.isColon(position - 1), let named = named(start..<(position - 1)) else { continue }
            if readPhraseOrParenthesis(field: named, isNegated: isNegated) { return }
        }
        guard position > start else {
            // A quote without its fellow. A closing parenthesis is read next.
            if position < text.count, !text.isClosing(position) { position += 1 }
            return
        }
        let word = start..<position
        if !isNegated, let joint = QueryOperator(rawValue: text.string(word)) {
            lexemes.append(.operator(joint, term(word, field: field)))
            termCount += 1
        } else {
            readWord(word, field: field, isNegated: isNegated)
        }
    }

    private mutating func readPhraseOrParenthesis(field: SearchQuery.Field?, isNegated: Bool) -> Bool {
        guard position < text.count else { return false }
        if let phrase = text.quoted(from: position) {
            position = phrase.upperBound + 1
            add(phrase, field: field, isPhrase: true, isNegated: isNegated)
            return true
        }
        guard text.isOpening(position) else { return false }
        position += 1
        if open.count == Self.maxDepth {
            ignoredDepth += 1
        } else {
            open.append(field)
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

    /// A word with its field or as a condition, where it begins with one.
    private mutating func readWord(_ word: Range<Int>, field: SearchQuery.Field?, isNegated: Bool) {
        guard let colon = word.first(where: text.isColon) else {
            return add(word, field: field, isNegated: isNegated)
        }
        let (name, value) = (word.lowerBound..<colon, colon + 1..<word.upperBound)
        if let named = named(name), !value.isEmpty { return add(value, field: named, isNegated: isNegated) }
        let (key, content) = (text.string(name).lowercased(), text.string(value).lowercased())
        if let kind = SearchQuery.Condition.Kind(name: key, value: content, now: now) {
            lexemes.append(.condition(SearchQuery.Condition(kind, isNegated: isNegated)))
            termCount += 1
            return
        }
        if let part = UnknownCondition(name: text.string(name), value: text.string(value)) { unknown.append(part) }
        add(name, field: field, isNegated: isNegated)
        add(value, field: field, isNegated: isNegated)
    }

    private mutating func add(_ range: Range<Int>, field: SearchQuery.Field?, isPhrase: Bool = false, isNegated: Bool) {
        var range = range
        while !isPhrase, let last = range.last, text.isStar(last) { range = range.lowerBound..<last }
        guard !range.isEmpty else { return }
        var term = term(range, field: field)
        term.isPhrase = isPhrase
        term.isPrefix = !isPhrase && range.upperBound < text.count && text.isStar(range.upperBound)
        lexemes.append(.term(term, isNegated: isNegated))
        termCount += 1
    }

    private func named(_ range: Range<Int>) -> SearchQuery.Field? {
        guard range.count < 20 else { return nil }
        return SearchQuery.Field(rawValue: text.string(range).lowercased())
    }

    private func term(_ range: Range<Int>, field: SearchQuery.Field?) -> SearchQuery.Term {
        SearchQuery.Term(text.string(range), field: field, range: text.range(range))
    }

    // MARK: Looking ahead

    func following(_ place: Int) -> QueryLexeme? { place + 1 < lexemes.count ? lexemes[place + 1] : nil }

    /// Whether a word, phrase, condition or parenthesis comes next, maybe behind a `NOT`.
    func operandFollows(_ place: Int) -> Bool {
        switch following(place) {
        case .term, .condition, .open: true
        case .operator(.not, _): following(place + 1)?.canBeExcluded ?? false
        default: false
        }
    }
}
