internal import Domain

/// The common parameters of the search in all segments.
final class SearchPlan {
    let expression: MatchExpression
    let ranking: Ranking
    let filter: DocumentFilter
    let vocabulary: Vocabulary
    let best: BestCandidates
    /// The number of scoring terms that a hit contains at least.
    private let minTerms: Int

    init(
        expression: MatchExpression, ranking: Ranking, filter: DocumentFilter, vocabulary: Vocabulary, best: BestCandidates,
        minTerms: Int = 0
    ) {
        (self.expression, self.ranking, self.filter) = (expression, ranking, filter)
        (self.vocabulary, self.best, self.minTerms) = (vocabulary, best, minTerms)
    }

    var snapshot: IndexSnapshot { vocabulary.snapshot }

    /// True if a document contains enough of the scoring terms.
    ///
    /// - Parameter weight: of a term in the document; 0 if the document does not contain it.
    func hasEnoughTerms(_ weight: (Int) -> Float) -> Bool {
        minTerms == 0 || ranking.terms.indices.count { weight($0) > 0 } >= minTerms
    }

    /// Whether the segment contains all words of the leaf; prefixes are not checked.
    func hasWords(of leaf: Int, in segment: Int) -> Bool {
        expression.leaves[leaf].words.allSatisfy { word in
            switch word {
            case .term(let key): vocabulary.postings(of: key)[segment] != nil
            case .prefix: true
            }
        }
    }
}

/// The matches of one segment, newest first.
final class SegmentWalk {
    let matches: SegmentMatches
    private let plan: SearchPlan
    private let number: Int
    private let segment: Segment
    private let deleted: DocumentSet
    private let titled: Set<Int>
    private let weigher: Weigher
    private let end: Int
    /// The publication time of the current match; -1 at the end.
    private(set) var published = -1

    init(_ plan: SearchPlan, in number: Int) {
        (self.plan, self.number) = (plan, number)
        segment = plan.snapshot.segments[number]
        deleted = plan.snapshot.deleted[number]
        matches = SegmentMatches(plan.expression, in: number, of: plan.vocabulary)
        titled = plan.expression.titleHash.map { [segment] in Set(segment.documents(titleHash: $0)) } ?? []
        weigher = Weigher(plan.ranking.weights, segment)
        let range = plan.filter.documents(of: segment)
        end = range.upperBound
        advance(to: range.lowerBound)
    }

    var isAtEnd: Bool { published < 0 }

    /// Advances to the next match.
    func advance() { advance(to: matches.cursor.document + 1) }

    private func advance(to target: Int) {
        matches.cursor.advance(to: target)
        published = matches.cursor.document < end ? Int(segment.published(matches.cursor.document)) : -1
    }

    /// Advances to the end, and returns the number of wanted matches from here on.
    func count() -> Int {
        var wanted = 0
        while !isAtEnd {
            if isWanted { wanted += 1 }
            advance()
        }
        return wanted
    }

    /// False if the current match is deleted or does not pass the filter.
    var isWanted: Bool {
        let document = matches.cursor.document
        return !deleted.contains(document) && plan.filter.passes(segment.facts(document))
    }

    var location: (segment: Int, document: Int) { (number, matches.cursor.document) }

    /// The id of the current match.
    var id: EpisodeID? { segment.id(of: matches.cursor.document) }

    /// The current match, if it is wanted.
    var candidate: Candidate? {
        guard isWanted else { return nil }
        let document = matches.cursor.document
        var weights = [Float](repeating: 0, count: plan.ranking.terms.count)
        matches.weigh(weigher, into: &weights)
        let score = weights.indices.reduce(0) { $0 + plan.ranking.score(weights[$1], term: $1) }
        return Candidate(
            segment: number, document: document, published: UInt32(published), isExactTitle: titled.contains(document),
            score: score * plan.ranking.freshness(UInt32(published)))
    }
}
