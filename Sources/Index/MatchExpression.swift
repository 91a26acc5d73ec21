internal import CSQLite
internal import Domain
internal import Glibc

/// A search query in the words of FTS5, and what each of its phrases stands for.
///
/// FTS5 is given nothing but tokens of ours in quotes: nothing a user types reaches its own query language. Words are
/// widened here, from the vocabulary: `run` also asks for `running`, `pod*` for the words that begin with it. So
/// phrases stay exact, and the index holds each word once.
struct MatchExpression {
    /// FTS5's phrases in order. Those behind a `-` have no term.
    struct Phrase {
        var term: Int?
        /// A word as typed counts more than its other forms.
        var factor: Double
    }

    private(set) var text = ""
    private(set) var phrases: [Phrase] = []
    /// For each wanted term, how much it tells: its inverse document frequency.
    private(set) var weights: [Double] = []
    /// Whether there is a phrase whose words stand in more than 5% of the episodes each: to find where they stand side
    /// by side, FTS5 goes through most of the library.
    private(set) var hasCommonPhrase = false
    /// Hash of the title that is exactly what was asked for; nil where the query is more than words.
    private(set) var titleHash: Int?

    private let vocabulary: Vocabulary
    private let episodeCount: Int
    /// How many words a `prefix*` may stand for.
    private var prefixLimit = 256

    /// nil where nothing is asked for that the index could know.
    init?(_ query: SearchQuery, podcast: PodcastID?, vocabulary: Vocabulary, episodeCount: Int) throws {
        self.vocabulary = vocabulary
        self.episodeCount = episodeCount
        let prefixes = query.wantedTerms.count { $0.isPrefix }
        prefixLimit /= max(1, prefixes)
        var wanted: [String] = []
        var unwanted: [String] = []
        if let podcast { wanted.append(fact(Facet.podcast(podcast))) }
        for condition in query.conditions {
            guard let facet = MatchExpression.facet(of: condition.kind), !condition.isNegated else { continue }
            wanted.append(fact(facet))
        }
        if let expression = query.expression {
            guard let words = try compile(expression) else { return nil }
            wanted.append(words)
        } else if query.conditions.isEmpty {
            return nil
        }
        for condition in query.conditions where condition.isNegated {
            if let facet = MatchExpression.facet(of: condition.kind) { unwanted.append(fact(facet)) }
        }
        if wanted.isEmpty { wanted.append(fact(Facet.any)) }
        text = joined(wanted, without: unwanted)
        titleHash = MatchExpression.titleHash(of: query)
    }

    // MARK: Expressions

    private mutating func compile(_ expression: SearchQuery.Expression, isWanted: Bool = true) throws -> String? {
        switch expression {
        case .term(let term):
            return try compile(term, isWanted: isWanted)
        case .not(let part):
            let all = fact(Facet.any)
            return try compile(part, isWanted: false).map { "(\(all) NOT \($0))" }
        case .any(let parts):
            let parts = try parts.compactMap { try compile($0, isWanted: isWanted) }
            return parts.isEmpty ? nil : "(" + parts.joined(separator: " OR ") + ")"
        case .all(let parts):
            var wanted: [String] = []
            var excluded: [SearchQuery.Expression] = []
            for part in parts {
                if case .not(let unwanted) = part {
                    excluded.append(unwanted)
                } else if let text = try compile(part, isWanted: isWanted) {
                    wanted.append(text)
                }
            }
            if wanted.isEmpty {
                if excluded.isEmpty { return nil }
                wanted.append(fact(Facet.any))
            }
            return joined(wanted, without: try excluded.compactMap { try compile($0, isWanted: false) })
        }
    }

    private func joined(_ wanted: [String], without unwanted: [String]) -> String {
        let all = "(" + wanted.joined(separator: " AND ") + ")"
        return unwanted.isEmpty ? all : "(\(all) NOT (\(unwanted.joined(separator: " OR "))))"
    }

    /// nil for a term without a letter or digit, such as an emoji.
    private mutating func compile(_ term: SearchQuery.Term, isWanted: Bool) throws -> String? {
        let words = queryTokens(of: term.text)
        guard let last = words.last else { return nil }
        let number = isWanted ? weights.count : nil
        var forms: [String] = []
        var episodes = 0
        func add(_ form: String, _ factor: Double) {
            forms.append(form)
            phrases.append(Phrase(term: number, factor: factor))
        }
        if words.count == 1, last.kind == CSQLiteWord {
            add(quoted([last.text]), 1)
            episodes = try vocabulary.episodes(with: last.text)
            var others: [Vocabulary.Word] = []
            if term.isPrefix {
                others = try vocabulary.words(prefix: last.text, limit: prefixLimit).filter { $0.text != last.text }
            } else if !term.isPhrase {
                others = try vocabulary.inflections(of: last.text)
            }
            for other in others {
                add(quoted([other.text]), term.isPrefix ? 1 : 0.8)
                episodes += other.episodes
            }
        } else {
            // A single character of a text without blanks begins a pair, unless it ends the text.
            let isOpen = last.kind == CSQLiteSingle || term.isPrefix && last.kind == CSQLiteWord
            add(quoted(words.map(\.text)) + (isOpen ? "*" : ""), 1)
            let counts = try words.filter { $0.kind == CSQLiteWord }.map { try vocabulary.episodes(with: $0.text) }
            episodes = counts.min() ?? episodeCount / 100
            if isWanted, episodes > episodeCount / 20 { hasCommonPhrase = true }
        }
        if isWanted {
            let (all, some) = (Double(episodeCount), Double(min(episodes, episodeCount)))
            weights.append(log(1 + (all - some + 0.5) / (some + 0.5)))
        }
        let either = forms.count == 1 ? forms[0] : "(" + forms.joined(separator: " OR ") + ")"
        guard let field = term.field else { return either }
        return "({\(MatchExpression.column(of: field))} : \(either))"
    }

    private func quoted(_ words: [String]) -> String { "\"" + words.joined(separator: " ") + "\"" }

    private mutating func fact(_ facet: String) -> String {
        phrases.append(Phrase(term: nil, factor: 0))
        return quoted([facet])
    }

    private static func column(of field: SearchQuery.Field) -> Column {
        switch field {
        case .title: .title
        case .podcast: .podcast
        case .author: .author
        case .person: .person
        case .tag: .tag
        case .transcript: .transcript
        }
    }

    /// Conditions that are words of the `facet` column; the others are columns of `episodes`.
    private static func facet(of kind: SearchQuery.Condition.Kind) -> String? {
        switch kind {
        case .season(let number): Facet.season(number)
        case .type(let type): Facet.type(type)
        case .hasTranscript: Facet.transcript
        case .hasChapters: Facet.chapters
        case .after, .before, .longer, .shorter, .inQueue, .isNew: nil
        }
    }

    private static func titleHash(of query: SearchQuery) -> Int? {
        let terms: [SearchQuery.Expression]
        switch query.expression {
        case .all(let parts): terms = parts
        case .term(let term): terms = [.term(term)]
        default: return nil
        }
        var words: [String] = []
        for case .term(let term) in terms where !term.isPrefix && (term.field ?? .title) == .title {
            words.append(term.text)
        }
        return words.count == terms.count ? Index.titleHash(words.joined(separator: " ")) : nil
    }
}
