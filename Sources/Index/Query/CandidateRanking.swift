internal import Domain

/// The most that an episode may score, by its summary alone.
///
/// For plain words that is its score, but for rounding. Phrases and words in one field may score less, or not occur at
/// all.
final class CandidateRanking {
    private let expression: MatchExpression
    private let ranking: Ranking
    /// The word numbers of each leaf, and the word number of its language.
    private var leafWords: [[Int]] = []
    private var languages: [Int?] = []
    /// For each short hash, an index in `wordsAt` plus one; 0 if no word has the hash.
    private var groups = [UInt16](repeating: 0, count: 1 << TermSummary.hashBits)
    /// The numbers of the words that have the hash.
    private var wordsAt: [[Int]] = []
    /// The frequency of each word in the current episode; nil if the word does not occur.
    private var frequencies: [TermFrequency?] = []
    private var weights: [Float]

    /// Makes up for the different order in which the search adds up scores.
    private static let slack = 1 + 1e-5

    init(_ expression: MatchExpression, _ ranking: Ranking, _ words: LibraryWords) {
        (self.expression, self.ranking) = (expression, ranking)
        weights = [Float](repeating: 0, count: ranking.terms.count)
        for leaf in expression.leaves {
            leafWords.append(
                leaf.words.map { word in
                    switch word {
                    case .term(let key): add([key])
                    case .prefix(let key): add(words.terms(prefix: key))
                    }
                })
            languages.append(leaf.language.map { add([$0]) })
        }
    }

    /// - Returns: the number of a word that stands for any of the terms.
    private func add(_ terms: [TermKey]) -> Int {
        for term in terms {
            let shortHash = TermSummary.shortHash(of: term.hash)
            if groups[shortHash] == 0 {
                guard wordsAt.count < Int(UInt16.max) else { continue }
                wordsAt.append([])
                groups[shortHash] = UInt16(wordsAt.count)
            }
            wordsAt[Int(groups[shortHash]) - 1].append(frequencies.count)
        }
        frequencies.append(nil)
        return frequencies.count - 1
    }

    /// - Returns: nil if the episode does not match; infinity if its summary is unreadable.
    func maxScore(of candidate: SearchCandidate) -> Double? {
        candidate.summary.withUnsafeBytes { bytes in
            guard let summary = TermSummary(bytes) else { return .infinity }
            read(summary)
            guard mayMatch(expression.node, summary) else { return nil }
            for term in weights.indices { weights[term] = 0 }
            for (number, leaf) in expression.leaves.enumerated() {
                guard let term = leaf.term, let frequency = frequency(ofLeaf: number, summary) else { continue }
                weights[term] += leaf.factor * ranking.weights.weigh(frequency, lengths: summary.lengths)
            }
            var score = 0.0
            for term in weights.indices { score += ranking.score(weights[term], term: term) }
            return score * ranking.freshness(UInt32(clamping: candidate.published)) * Self.slack
        }
    }

    private func read(_ summary: TermSummary) {
        for word in frequencies.indices { frequencies[word] = nil }
        groups.withUnsafeBufferPointer { groups in
            summary.eachTerm { shortHash, frequency in
                let group = groups[shortHash]
                guard group != 0 else { return }
                for word in wordsAt[Int(group) - 1] {
                    frequencies[word] = frequencies[word]?.adding(frequency()) ?? frequency()
                }
            }
        }
    }

    /// nil if the leaf does not occur in the episode.
    private func frequency(ofLeaf number: Int, _ summary: TermSummary) -> TermFrequency? {
        if let language = languages[number], frequencies[language] == nil { return nil }
        let leaf = expression.leaves[number]
        var least: TermFrequency?
        for word in leafWords[number] {
            guard let frequency = frequencies[word] else { return nil }
            least = least?.least(frequency) ?? frequency
        }
        for (first, second) in zip(leaf.words, leaf.words.dropFirst()) {
            guard case .term(let first) = first, case .term(let second) = second else { continue }
            if !summary.mayHave(first.hash, before: second.hash) { return nil }
        }
        guard let least, let column = leaf.column, column != .facet else { return least }
        let mask: UInt32 = column == .title ? 0xFF00 : column == .text ? 0xFF : 0xFF_0000
        let part = TermFrequency(number: least.number & mask)
        return part.number == 0 ? nil : part
    }

    private func mayMatch(_ node: MatchExpression.Node, _ summary: TermSummary) -> Bool {
        switch node {
        case .leaf(let number): frequency(ofLeaf: number, summary) != nil
        case .all(let parts): parts.allSatisfy { mayMatch($0, summary) }
        case .any(let parts): parts.contains { mayMatch($0, summary) }
        case .without(let wanted, _): mayMatch(wanted, summary)
        case .every, .podcast, .episodes, .passing: true
        }
    }
}

extension MatchExpression {
    var hasPrefix: Bool {
        leaves.contains { $0.words.contains { if case .prefix = $0 { true } else { false } } }
    }

    /// Whether every episode that has the required terms matches, whatever else it contains.
    var isOnlyWords: Bool {
        leaves.allSatisfy { $0.words.count == 1 && $0.column == nil } && isOnlyWords(node)
    }

    private func isOnlyWords(_ node: Node) -> Bool {
        switch node {
        case .leaf: true
        case .all(let parts), .any(let parts): parts.allSatisfy(isOnlyWords)
        case .without, .every, .podcast, .episodes, .passing: false
        }
    }
}
