internal import Domain
internal import Searching

extension HitExplanation {
    /// - Parameter matches: the matches, positioned at the document.
    init(_ candidate: Candidate, _ matches: SegmentMatches, _ plan: SearchPlan) {
        let segment = plan.snapshot.segments[candidate.segment]
        let lengths = segment.lengths(candidate.document)
        var weights = [Float](repeating: 0, count: plan.ranking.terms.count)
        var matchesOfTerm = [[Match]](repeating: [], count: weights.count)
        let occurrences = OccurrenceList()
        matches.eachScoringLeaf { leaf, cursor in
            guard let term = leaf.term else { return }
            occurrences.removeAll()
            cursor.read(into: occurrences)
            var fields: [(name: String, count: Int)] = []
            for name in (0..<occurrences.count).compactMap({ occurrences[$0].origin?.field }) {
                if let index = fields.firstIndex(where: { $0.name == name }) {
                    fields[index].count += 1
                } else {
                    fields.append((name, 1))
                }
            }
            weights[term] += leaf.factor * plan.ranking.weights.weigh(cursor.frequency, lengths: lengths)
            matchesOfTerm[term].append(
                Match(
                    words: leaf.text, factor: Double(leaf.factor),
                    fields: fields.map { Match.Field(name: $0.name, count: $0.count) }))
        }
        self.init(
            terms: matchesOfTerm.indices.filter { !matchesOfTerm[$0].isEmpty }.map { term in
                Term(
                    matches: matchesOfTerm[term], rarity: plan.ranking.terms[term],
                    score: plan.ranking.score(weights[term], term: term))
            },
            closeness: candidate.closeness, freshness: plan.ranking.freshness(candidate.published),
            isExactTitle: candidate.isExactTitle)
    }
}

extension MatchExpression.Leaf {
    /// The words as the index has them.
    fileprivate var text: String {
        words.map { word in
            switch word {
            case .term(let key): key.word
            case .prefix(let key): key.word + "*"
            }
        }.joined(separator: " ")
    }
}
