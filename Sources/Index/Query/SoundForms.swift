internal import CTokenizer
internal import Domain
internal import Searching

/// Words that sound like a query's: recognisers of speech err, and so do people who remember what they heard.
struct SoundForms {
    let vocabulary: Vocabulary

    /// Words that stand for one of the query.
    private static let maxForms = 6

    /// The query with such words besides its own, which match in transcripts alone, and these words by folded word of the
    /// query; nil if there are none.
    func expanded(_ query: SearchQuery) -> (query: SearchQuery, forms: [String: Set<String>])? {
        guard let expression = query.expression, hasTranscripts else { return nil }
        var forms: [String: Set<String>] = [:]
        var expanded = query
        expanded.expression = self.expanded(expression, &forms)
        return forms.isEmpty ? nil : (expanded, forms)
    }

    private var hasTranscripts: Bool {
        [Facet.published, Facet.homemade].contains { vocabulary.episodes(with: .term($0)) > 0 }
    }

    private func expanded(_ expression: SearchQuery.Expression, _ forms: inout [String: Set<String>]) -> SearchQuery.Expression {
        switch expression {
        case .term(let term):
            let others = terms(like: term, &forms)
            return others.isEmpty ? expression : .any([expression] + others.map { .term($0) })
        case .all(let parts): return .all(parts.map { expanded($0, &forms) })
        case .any(let parts): return .any(parts.map { expanded($0, &forms) })
        case .not, .condition: return expression
        }
    }

    /// The term with one of its words replaced.
    private func terms(like term: SearchQuery.Term, _ forms: inout [String: Set<String>]) -> [SearchQuery.Term] {
        guard !term.isPrefix, term.field == nil || term.field == .transcript else { return [] }
        var terms: [SearchQuery.Term] = []
        let bytes = Array(term.text.utf8)
        for token in tokens(of: term.text) where token.isWord {
            for word in words(like: token.text) {
                forms[token.text, default: []].insert(word)
                var text = bytes
                text.replaceSubrange(token.range, with: word.utf8)
                terms.append(
                    SearchQuery.Term(
                        String(decoding: text, as: UTF8.self), isPhrase: true, field: .transcript, range: term.range))
            }
        }
        return terms
    }

    /// The ones that most episodes contain.
    private func words(like word: String) -> [String] {
        guard let key = SoundKey(word), let first = word.utf8.first else { return [] }
        let starts = Self.starts(soundingLike: Character(UnicodeScalar(first)))
        var episodes: [String: Int] = [:]
        for start in starts {
            let near = vocabulary.usualWords(prefix: String(start)) { bytes in
                abs(bytes.count - word.utf8.count) <= 3 && key.matches(bytes)
            }
            // A word may be in several segments.
            for found in near where found.text != word { episodes[found.text, default: 0] += found.episodes }
        }
        return episodes.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(Self.maxForms).map(\.key)
    }

    /// The letters with which a word may begin that sounds alike.
    private static func starts(soundingLike letter: Character) -> [Character] {
        let groups = ["bp", "ckqgjs", "dt", "fvp", "mnkg", "szcp", "aeiouhwy", "rw", "jgcst", "l", "x"]
        return Array(Set(groups.filter { $0.contains(letter) }.joined() + String(letter))).sorted()
    }
}
