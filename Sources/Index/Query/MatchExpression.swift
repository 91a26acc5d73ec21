internal import CTokenizer
internal import Domain
internal import Searching

/// A search query in terms of the index, with the weight of each of its parts.
///
/// Words are expanded here, from the vocabulary: `run` also matches `running`, `pod*` all words starting with `pod`,
/// and `wi-fi` matches `wifi` and vice versa. This way phrases stay exact, and the index contains each word once.
final class MatchExpression {
    indirect enum Node {
        /// An index in `leaves`.
        case leaf(Int)
        case all([Node])
        case any([Node])
        case without(Node, Node)
        case every
        case podcast(PodcastID)
        /// In id order.
        case episodes([EpisodeID])
        case passing(DocumentFilter)
    }

    /// Adjacent words; mostly a single one.
    struct Leaf {
        enum Word {
            case term(TermKey)
            case prefix(TermKey)
        }

        var words: [Word]
        var column: Column?
        /// The number of the query's term that it belongs to; nil if it does not count for ranking.
        var term: Int?
        /// A word as typed has the factor 1, its other forms less.
        var factor: Float = 1
        /// If set, only podcasts in this language match.
        var language: TermKey?
    }

    private(set) var node = Node.every
    private(set) var leaves: [Leaf] = []
    /// For each wanted term its weight: the inverse document frequency.
    private(set) var weights: [Double] = []
    /// Hash of the title that equals the query; nil if the query is more than words.
    private(set) var titleHash: UInt64?

    /// The other forms of each word, both folded.
    private(set) var otherForms: [String: Set<String>] = [:]

    let vocabulary: Vocabulary
    private let forms: WordForms

    /// nil if the query asks for nothing that the index could contain.
    init?(_ query: SearchQuery, _ request: SearchRequest, vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
        forms = WordForms(vocabulary)
        var wanted: [Node] = []
        var unwanted: [Node] = []
        if !request.hidden.isEmpty { unwanted.append(.episodes(request.hidden)) }
        if let podcast = request.podcast { wanted.append(.podcast(podcast)) }
        for condition in query.conditions {
            guard let node = node(of: condition.kind, request) else { continue }
            if condition.isNegated { unwanted.append(node) } else { wanted.append(node) }
        }
        if let expression = query.expression {
            guard let words = compile(expression, request, isWanted: true) else { return nil }
            wanted.append(words)
        } else if query.conditions.isEmpty, request.podcast == nil {
            return nil
        }
        node = joined(wanted, without: unwanted)
        titleHash = MatchExpression.titleHash(of: query)
        clauses = clauses(of: node)
    }

    /// Matches documents that contain any of the terms, within a podcast or outside it.
    init(anyOf terms: [TermKey], _ podcast: PodcastID, isWithin: Bool, vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
        forms = WordForms(vocabulary)
        let words = Node.any(
            terms.enumerated().flatMap { number, term in
                weigh(vocabulary.presentEpisodes(with: term, upTo: .max))
                return add(Leaf(words: [.term(term)], term: number))
            })
        node = isWithin ? .all([.podcast(podcast), words]) : .without(words, .podcast(podcast))
        clauses = clauses(of: node)
    }

    /// The words of an expression that matches every document with any of them, apart from the filter; nil for other
    /// expressions.
    var anyWords: [Leaf.Word]? {
        let parts = if case .any(let parts) = node { parts } else { [node] }
        let words = parts.map { part -> Leaf.Word? in
            guard case .leaf(let number) = part, case let leaf = leaves[number], leaf.column == nil, leaf.language == nil
            else { return nil }
            return leaf.words.count == 1 ? leaf.words[0] : nil
        }
        return words.contains { $0 == nil } ? nil : words.compactMap(\.self)
    }

    /// nil for expressions that are not a simple list of clauses, which are rare: words apart or as one, words or
    /// conditions.
    private(set) var clauses: Clauses?

    // MARK: Expressions

    private func compile(_ expression: SearchQuery.Expression, _ request: SearchRequest, isWanted: Bool) -> Node? {
        switch expression {
        case .term(let term):
            return compile(term, isWanted: isWanted)
        case .condition(let condition):
            guard let node = node(of: condition.kind, request) else { return .passing(DocumentFilter([condition], request)) }
            return condition.isNegated ? .without(.every, node) : node
        case .not(let part):
            return compile(part, request, isWanted: false).map { .without(.every, $0) }
        case .any(let parts):
            let parts = parts.compactMap { compile($0, request, isWanted: isWanted) }
            return parts.isEmpty ? nil : .any(parts)
        case .all(let parts):
            var wanted: [(part: Int, node: Node)] = []
            var unwanted: [Node] = []
            // For each part, the words that others write for it and its neighbours together.
            var joints = [[Node]](repeating: [], count: parts.count)
            for (index, part) in parts.enumerated() {
                if case .not(let excluded) = part {
                    if let node = compile(excluded, request, isWanted: false) { unwanted.append(node) }
                } else if let node = compile(part, request, isWanted: isWanted) {
                    wanted.append((index, node))
                    for first in max(0, index - 2)..<index {
                        guard let joint = compileJoined(parts[first...index], isWanted: isWanted) else { continue }
                        for joined in first...index { joints[joined].append(joint) }
                    }
                }
            }
            if wanted.isEmpty, unwanted.isEmpty { return nil }
            return joined(wanted.map { joints[$0.part].isEmpty ? $0.node : .any([$0.node] + joints[$0.part]) }, without: unwanted)
        }
    }

    private func joined(_ wanted: [Node], without unwanted: [Node]) -> Node {
        let all: Node = wanted.isEmpty ? .every : wanted.count == 1 ? wanted[0] : .all(wanted)
        return unwanted.isEmpty ? all : .without(all, .any(unwanted))
    }

    /// nil if the term contains no letter, digit or emoji.
    private func compile(_ term: SearchQuery.Term, isWanted: Bool) -> Node? {
        let tokens = queryTokens(of: term.text)
        guard let last = tokens.last else { return nil }
        let column = term.field.map(MatchExpression.column)
        // A single character of a text without blanks is the beginning of a pair, unless it ends the text.
        let isOpen = last.kind == CTokenizerSingle || term.isPrefix && last.isWord
        let words =
            tokens.dropLast().map { Leaf.Word.term(TermKey($0)) }
            + [isOpen ? .prefix(last.isWord ? TermKey(last) : TermKey(pair: last.text)) : .term(TermKey(last))]
        let number = isWanted ? weights.count : nil
        var episodes = words.map(vocabulary.episodes).min() ?? 0
        var nodes = add(Leaf(words: words, column: column, term: number))
        if !term.isPrefix, !term.isPhrase {
            for form in forms.forms(of: term, tokens) {
                // If all podcasts are in one language, a condition on it is not needed.
                let language = vocabulary.languages.count > 1 ? form.language.map(Facet.language) : nil
                let leaf = Leaf(words: form.words, column: column, term: number, factor: form.factor, language: language)
                nodes += add(leaf)
                episodes += form.episodes
                if tokens.count == 1, let word = form.text { otherForms[last.text, default: []].insert(word) }
            }
        }
        if isWanted { weigh(episodes) }
        return nodes.count == 1 ? nodes[0] : .any(nodes)
    }

    /// Words typed apart that others write as one, such as `livestream` for `live stream`, or around an `and` with an
    /// ampersand. nil if the library has no such word.
    private func compileJoined(_ parts: ArraySlice<SearchQuery.Expression>, isWanted: Bool) -> Node? {
        let terms = parts.compactMap { part in if case .term(let term) = part { term } else { nil } }
        guard terms.count == parts.count, let first = terms.first, let last = terms.last,
            terms.allSatisfy({ $0.field == first.field && !$0.isPhrase && !$0.isPrefix }),
            terms.count == 2 || terms[1].text.lowercased() == "and",
            let word = terms.count == 2 ? forms.joined(first, last) : forms.aroundAnd(first, last)
        else { return nil }
        let number = isWanted ? weights.count : nil
        if isWanted { weigh(word.episodes) }
        let column = first.field.map(MatchExpression.column)
        let nodes = add(Leaf(words: [.term(TermKey(word: word.text))], column: column, term: number, factor: 0.8))
        return nodes.count == 1 ? nodes[0] : .any(nodes)
    }

    /// What is said in advertising is found, too.
    private func add(_ leaf: Leaf) -> [Node] {
        var leaf = leaf
        leaves.append(leaf)
        guard leaf.column == .transcript else { return [.leaf(leaves.count - 1)] }
        leaf.column = .ad
        leaves.append(leaf)
        return [.leaf(leaves.count - 2), .leaf(leaves.count - 1)]
    }

    /// Adds the weight of a wanted term that occurs in this many episodes.
    private func weigh(_ episodes: Int) {
        weights.append(Ranking.rarity(episodes, of: vocabulary.allEpisodes))
    }

    private static func column(of field: SearchQuery.Field) -> Column {
        switch field {
        case .title: .title
        case .podcast: .podcast
        case .author: .author
        case .person: .person
        case .keyword: .keyword
        case .chapter: .chapter
        case .transcript: .transcript
        }
    }

    /// The node for a condition that the index has as terms or lists; `DocumentFilter` handles the others.
    private func node(of kind: SearchQuery.Condition.Kind, _ request: SearchRequest) -> Node? {
        switch kind {
        case .season(let number): fact(Facet.season(number))
        case .type(let type): fact(Facet.type(type))
        case .hasTranscript: fact(Facet.transcript)
        case .hasSource(let isHome): fact(isHome ? Facet.homemade : Facet.published)
        case .hasChapters: fact(Facet.chapters)
        case .inQueue: .episodes(request.queue.sorted())
        case .marked(let words): .episodes(request.marked[words] ?? [])
        case .tagged(let tag): tagged(tag, request)
        case .isWithdrawn: fact(Facet.withdrawn)
        case .after, .before, .added, .longer, .shorter: nil
        }
    }

    private func tagged(_ tag: Tag, _ request: SearchRequest) -> Node {
        let episodes = Node.episodes(request.tagged[tag] ?? [])
        let podcasts = request.taggedPodcasts[tag] ?? []
        return podcasts.isEmpty ? episodes : .any([episodes] + podcasts.map { .podcast($0) })
    }

    private func fact(_ facet: TermKey) -> Node {
        leaves.append(Leaf(words: [.term(facet)], column: nil, term: nil))
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
        return words.count == terms.count ? TitleHash(words.joined(separator: " ")).value : nil
    }
}
