internal import Domain

extension MatchExpression {
    /// - Parameter words: the words of the library that the expression was made with.
    func condition(_ words: LibraryWords) -> TermCondition { condition(of: node, words) }

    private func condition(of node: Node, _ words: LibraryWords) -> TermCondition {
        switch node {
        case .leaf(let number): condition(of: leaves[number], words)
        case .all(let parts): .all(parts.map { condition(of: $0, words) })
        case .any(let parts): .any(parts.map { condition(of: $0, words) })
        case .without(let wanted, _): condition(of: wanted, words)
        case .podcast(let id): .podcast(id)
        case .episodes(let ids): .episodes(ids)
        case .every, .passing: .every
        }
    }

    /// A rough estimate of the number of episodes that satisfy the condition.
    func episodes(_ words: LibraryWords) -> Int { episodes(of: node, words) }

    private func episodes(of node: Node, _ words: LibraryWords) -> Int {
        switch node {
        case .leaf(let number): leaves[number].words.map { vocabulary.episodes(with: $0) }.min() ?? 0
        case .all(let parts): parts.map { episodes(of: $0, words) }.min() ?? 0
        case .any(let parts): parts.map { episodes(of: $0, words) }.max() ?? 0
        case .without(let wanted, _): episodes(of: wanted, words)
        case .podcast, .episodes: 0
        case .every, .passing: words.episodes
        }
    }

    private func condition(of leaf: Leaf, _ words: LibraryWords) -> TermCondition {
        var terms: [UInt64] = leaf.language.map { [$0.hash] } ?? []
        var parts: [TermCondition] = []
        for word in leaf.words {
            switch word {
            case .term(let key): terms.append(key.hash)
            case .prefix(let key): parts.append(.anyTerm(words.terms(prefix: key).map(\.hash)))
            }
        }
        return parts.isEmpty ? .terms(terms) : terms.isEmpty && parts.count == 1 ? parts[0] : .all([.terms(terms)] + parts)
    }
}

extension TermKey {
    /// The term's number in `EpisodeTerms`.
    var hash: UInt64 { XXH64.hash(bytes) }
}
