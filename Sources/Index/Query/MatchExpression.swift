internal import CTokenizer
internal import Domain
internal import Glibc

/// A search query in the terms of the index, and what each of its pieces counts.
///
/// Words are widened here, from the vocabulary: `run` also asks for `running`, `pod*` for the words that begin so, `wi-fi`
/// for `wifi` and back. So phrases stay exact, and the index holds each word once.
struct MatchExpression {
    indirect enum Node {
        /// A number in `leaves`.
        case leaf(Int)
        case all([Node])
        case any([Node])
        case without(Node, Node)
        case every
        case podcast(PodcastID)
        case episodes([EpisodeID])
    }

    /// Words side by side; mostly one.
    struct Leaf {
        enum Word {
            case term(TermKey)
            case prefix(TermKey)
        }

        var words: [Word]
        var column: Column?
        /// The number of the term of the query that it belongs to; nil for what does not count.
        var term: Int?
        /// A word as typed counts more than its other forms.
        var factor = 1.0
    }

    private(set) var node = Node.every
    private(set) var leaves: [Leaf] = []
    /// For each wanted term, how much it tells: its inverse document frequency.
    private(set) var weights: [Double] = []
    /// Hash of the title that is exactly what was asked for; nil where the query is more than words.
    private(set) var titleHash: UInt64?

    private let vocabulary: Vocabulary

    /// nil where nothing is asked for that the index could know.
    init?(_ query: SearchQuery, _ request: SearchRequest, vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
        var wanted: [Node] = []
        var unwanted: [Node] = []
        if let podcast = request.podcast { wanted.append(.podcast(podcast)) }
        for condition in query.conditions {
            guard let node = node(of: condition.kind, request) else { continue }
            if condition.isNegated { unwanted.append(node) } else { wanted.append(node) }
        }
        if let expression = query.expression {
            guard let words = compile(expression, isWanted: true) else { return nil }
            wanted.append(words)
        } else if query.conditions.isEmpty {
            return nil
        }
        node = joined(wanted, without: unwanted)
        titleHash = MatchExpression.titleHash(of: query)
    }

    // MARK: Expressions

    private mutating func compile(_ expression: SearchQuery.Expression, isWanted: Bool) -> Node? {
        switch expression {
        case .term(let term):
            return compile(term, isWanted: isWanted)
        case .not(let part):
            return compile(part, isWanted: false).map { .without(.every, $0) }
        case .any(let parts):
            let parts = parts.compactMap { compile($0, isWanted: isWanted) }
            return parts.isEmpty ? nil : .any(parts)
        case .all(let parts):
            var wanted: [Node] = []
            var unwanted: [Node] = []
            for part in parts {
                if case .not(let excluded) = part {
                    if let node = compile(excluded, isWanted: false) { unwanted.append(node) }
                } else if let node = compile(part, isWanted: isWanted) {
                    wanted.append(node)
                }
            }
            return wanted.isEmpty && unwanted.isEmpty ? nil : joined(wanted, without: unwanted)
        }
    }

    private func joined(_ wanted: [Node], without unwanted: [Node]) -> Node {
        let all: Node = wanted.isEmpty ? .every : wanted.count == 1 ? wanted[0] : .all(wanted)
        return unwanted.isEmpty ? all : .without(all, .any(unwanted))
    }

    /// nil for a term without a letter or digit, such as an emoji.
    private mutating func compile(_ term: SearchQuery.Term, isWanted: Bool) -> Node? {
        let tokens = queryTokens(of: term.text)
        guard let last = tokens.last else { return nil }
        let column = term.field.map(MatchExpression.column)
        // A single character of a text without blanks begins a pair, unless it ends the text.
        let isOpen = last.kind == CTokenizerSingle || term.isPrefix && last.isWord
        let words = tokens.dropLast().map { Leaf.Word.term(TermKey($0)) }
            + [isOpen ? .prefix(last.isWord ? TermKey(last) : TermKey(pair: last.text)) : .term(TermKey(last))]
        let number = isWanted ? weights.count : nil
        var forms = [Leaf(words: words, column: column, term: number)]
        var episodes = words.map(vocabulary.episodes).min() ?? 0
        if !term.isPrefix, !term.isPhrase, let word = tokens.count == 1 && last.isWord ? last.text : joinedWord(of: term.text) {
            let joined = tokens.count > 1 ? [Vocabulary.Word(text: word, episodes: vocabulary.episodes(with: word))] : []
            for other in joined + vocabulary.inflections(of: word) {
                forms.append(Leaf(words: [.term(TermKey(word: other.text))], column: column, term: number, factor: 0.8))
                episodes += other.episodes
            }
            if tokens.count == 1, let apart = wordsApart(of: word) {
                let words = apart.map { Leaf.Word.term(TermKey(word: $0)) }
                forms.append(Leaf(words: words, column: column, term: number, factor: 0.8))
            }
        }
        if isWanted {
            let (all, some) = (Double(vocabulary.allEpisodes), Double(min(episodes, vocabulary.allEpisodes)))
            weights.append(log(1 + (all - some + 0.5) / (some + 0.5)))
        }
        let nodes = forms.indices.map { Node.leaf(leaves.count + $0) }
        leaves += forms
        return nodes.count == 1 ? nodes[0] : .any(nodes)
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

    /// Conditions that are terms or lists; `DocumentFilter` has the others.
    private mutating func node(of kind: SearchQuery.Condition.Kind, _ request: SearchRequest) -> Node? {
        switch kind {
        case .season(let number): fact(Facet.season(number))
        case .type(let type): fact(Facet.type(type))
        case .hasTranscript: fact(Facet.transcript)
        case .hasChapters: fact(Facet.chapters)
        case .inQueue: .episodes(request.queue)
        case .after, .before, .longer, .shorter, .isNew: nil
        }
    }

    private mutating func fact(_ facet: TermKey) -> Node {
        leaves.append(Leaf(words: [.term(facet)], column: .facet, term: nil))
        return .leaf(leaves.count - 1)
    }

    private static func titleHash(of query: SearchQuery) -> UInt64? {
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
