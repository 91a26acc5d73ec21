internal import Domain

/// Finds the best matches of one segment, without looking at those that cannot be among them.
///
/// Documents are searched window by window, newest first. For each window, the postings' tables of blocks limit the
/// score of any document in it. A window, block, word or document that cannot reach the score of the worst of the best
/// matches is skipped. The result is exactly that of ranking every match. Sources: Ding and Suel, "Faster top-k
/// document retrieval using block-max indexes", 2011; Turtle and Flood, "Query evaluation: strategies and
/// optimizations", 1995 (MaxScore).
final class SegmentSearch {
    let plan: SearchPlan
    let number: Int
    let segment: Segment
    private let deleted: DocumentSet
    let range: Range<Int>
    let weigher: Weigher
    /// Documents whose title is exactly the query.
    private let titled: Set<Int>
    /// Documents in which words of the query are said close together.
    private var spoken: Set<Int> = []

    /// Makes up for the different order in which scores and their limits are computed.
    static let slack = 1 - 1e-5

    init(_ plan: SearchPlan, in number: Int) {
        (self.plan, self.number) = (plan, number)
        segment = plan.snapshot.segments[number]
        deleted = plan.snapshot.deleted[number]
        range = plan.filter.documents(of: segment)
        weigher = Weigher(plan.ranking.weights, segment)
        titled = plan.expression.titleHash.map { [segment] in Set(segment.documents(titleHash: $0)) } ?? []
    }

    // MARK: Exact titles

    /// Adds the documents whose title is exactly the query: they come first whatever they score.
    func addTitled() {
        guard !titled.isEmpty else { return }
        let matches = SegmentMatches(plan.expression, in: number, of: plan.vocabulary)
        var weights = [Float](repeating: 0, count: plan.ranking.terms.count)
        for document in titled.sorted() where range.contains(document) {
            matches.cursor.advance(to: document)
            guard matches.cursor.document == document, isWanted(document) else { continue }
            matches.weigh(weigher, into: &weights)
            add(document, score(weights), isExactTitle: true)
        }
    }

    // MARK: Spoken passages

    /// Adds the documents in which words of the query are said close together. Their score is more than the limits of the
    /// other documents' allow for.
    func addSpoken() {
        guard plan.best.threshold < .infinity, !range.isEmpty, let passages = SpokenPassages(plan, in: number) else { return }
        let matches = SegmentMatches(plan.expression, in: number, of: plan.vocabulary)
        var weights = [Float](repeating: 0, count: plan.ranking.terms.count)
        passages.each(in: range) { document, closeness in
            guard !titled.contains(document), isWanted(document) else { return }
            matches.cursor.advance(to: document)
            guard matches.cursor.document == document else { return }
            matches.weigh(weigher, into: &weights)
            spoken.insert(document)
            add(document, score(weights), closeness: closeness)
        }
    }

    // MARK: Documents

    /// True if the document is among the candidates already.
    func isAdded(_ document: Int) -> Bool { titled.contains(document) || spoken.contains(document) }

    func isWanted(_ document: Int) -> Bool { !deleted.contains(document) && plan.filter.passes(segment.facts(document)) }

    private func score(_ weights: [Float]) -> Double {
        var sum = 0.0
        for term in weights.indices { sum += plan.ranking.score(weights[term], term: term) }
        return sum
    }

    func add(_ document: Int, _ score: Double, isExactTitle: Bool = false, closeness: Double = 0) {
        let published = segment.published(document)
        plan.best.add(
            Candidate(
                segment: number, document: document, published: published, isExactTitle: isExactTitle,
                closeness: closeness, score: (score + closeness) * plan.ranking.freshness(published)))
    }

    // MARK: All others

    func addAll() {
        guard plan.best.threshold < .infinity, !range.isEmpty else { return }
        guard let clauses = plan.expression.clauses else { return addMatches() }
        // Most segments do not contain a rare word.
        guard clauses.words.allSatisfy({ $0.contains { plan.hasWords(of: $0, in: number) } }) else { return }
        if let search = ClauseSearch(self, clauses) { search.run() } else { addMatches() }
    }

    /// Searches document by document: for expressions that are no plain list of clauses, or if a condition is rarer
    /// than any word.
    private func addMatches() {
        let matches = SegmentMatches(plan.expression, in: number, of: plan.vocabulary)
        var weights = [Float](repeating: 0, count: plan.ranking.terms.count)
        matches.cursor.advance(to: range.lowerBound)
        // Documents up to this one may be among the best.
        var promising = -1
        while matches.cursor.document < range.upperBound {
            let document = matches.cursor.document
            if document > promising, plan.best.threshold > 0 {
                let window = document...windowEnd(from: document, matches.leaves)
                if maxScore(in: window, matches.leaves) < plan.best.threshold * Self.slack {
                    matches.cursor.advance(to: window.upperBound + 1)
                    continue
                }
                promising = window.upperBound
            }
            if isWanted(document), !isAdded(document) {
                matches.weigh(weigher, into: &weights)
                if plan.hasEnoughTerms({ weights[$0] }) { add(document, score(weights)) }
                if plan.best.threshold == .infinity { return }
            }
            matches.cursor.advance(to: document + 1)
        }
    }

    private func windowEnd(from document: Int, _ leaves: [TextCursor?]) -> Int {
        var end = range.upperBound - 1
        for (leaf, cursor) in zip(plan.expression.leaves, leaves) where leaf.term != nil {
            if let cursor { end = min(end, cursor.windowEnd(from: document)) }
        }
        return max(end, document)
    }

    private func maxScore(in window: ClosedRange<Int>, _ leaves: [TextCursor?]) -> Double {
        var maxWeights = [Float](repeating: 0, count: plan.ranking.terms.count)
        for (leaf, cursor) in zip(plan.expression.leaves, leaves) {
            guard let term = leaf.term, let cursor else { continue }
            maxWeights[term] += leaf.factor * cursor.maxWeight(in: window, weigher)
        }
        return score(maxWeights) * plan.ranking.freshness(segment.published(window.lowerBound))
    }
}
