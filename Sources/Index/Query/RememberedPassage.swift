internal import CTokenizer
internal import Domain
internal import Searching

/// A passage of a transcript of which most words of a query are remembered rightly.
struct RememberedPassage {
    /// A query for any of the words. Words of a phrase may be in any order.
    let query: SearchQuery
    /// True if the query asks for what was said alone.
    let isSpokenOnly: Bool
    let hasPhrase: Bool

    /// With fewer words, most of them are too few to tell a passage.
    private static let minWords = 4

    /// nil if the query is more than words, or has too few.
    init?(_ query: SearchQuery) {
        guard let expression = query.expression else { return nil }
        let parts = if case .all(let parts) = expression { parts } else { [expression] }
        var words: [SearchQuery.Expression] = []
        var others: [SearchQuery.Expression] = []
        var terms: [SearchQuery.Term] = []
        for part in parts {
            switch part {
            case .term(let term) where term.field == nil || term.field == .transcript:
                terms.append(term)
                words += Self.words(of: term).map { .term($0) }
            case .not: others.append(part)
            default: return nil
            }
        }
        guard (Self.minWords...Ranking.maxPassageWords).contains(words.count) else { return nil }
        var passage = query
        passage.expression = others.isEmpty ? .any(words) : .all([.any(words)] + others)
        self.query = passage
        isSpokenOnly = terms.allSatisfy { $0.field == .transcript }
        hasPhrase = terms.contains(where: \.isPhrase)
    }

    /// The words of a phrase, each for itself.
    static func words(of term: SearchQuery.Term) -> [SearchQuery.Term] {
        guard term.isPhrase else { return [term] }
        return tokens(of: term.text).map { token in
            SearchQuery.Term(token.text, field: term.field, range: term.range)
        }
    }
}
