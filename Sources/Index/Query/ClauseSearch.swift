internal import Domain

/// A search for documents that contain a word of each clause.
final class ClauseSearch {
    private final class Leaf {
        let cursor: TextCursor
        /// Weighs the documents that `cursor` has gathered and passed.
        var weighing: TextCursor
        let term: Int
        let factor: Float
        /// The leaf's number in `MatchExpression.leaves`.
        let number: Int
        /// The most that it weighs in the window.
        var maxWeight: Float = 0

        init(_ cursor: TextCursor, term: Int, factor: Float, number: Int) {
            (self.cursor, weighing, self.term, self.factor, self.number) = (cursor, cursor, term, factor, number)
        }
    }

    private let search: SegmentSearch
    private let ranking: Ranking
    private let best: BestCandidates
    private let weigher: Weigher
    /// The rarest clause first: it leads.
    private let clauses: [[Leaf]]
    private let conditions: [Cursor]
    private let unwanted: Cursor?
    private let list: WindowCandidates
    /// The most that each term weighs in the window, and its score at that weight.
    private let maxWeights: UnsafeMutableBufferPointer<Float>
    private let scores: UnsafeMutableBufferPointer<Double>
    /// The freshness that no document from the last window on exceeds, and the document at which it is computed again.
    private var freshness = 0.0
    private var freshnessEnd = 0

    /// nil if the segment is better searched document by document.
    init?(_ search: SegmentSearch, _ parts: MatchExpression.Clauses) {
        let (expression, segment) = (search.plan.expression, search.segment)
        let leaves = expression.leaves.map { $0.cursor(in: search.number, of: search.plan.vocabulary) }
        var clauses = parts.words.map { numbers -> [Leaf] in
            numbers.compactMap { number -> Leaf? in
                guard let cursor = leaves[number], let term = expression.leaves[number].term else { return nil }
                return Leaf(cursor, term: term, factor: expression.leaves[number].factor, number: number)
            }
        }
        func cost(_ clause: [Leaf]) -> Int { clause.reduce(0) { $0 + $1.cursor.cost } }
        clauses.sort { cost($0) < cost($1) }
        // The words of the first clause are gathered, and then weighed in the documents that others of them gathered.
        if clauses[0].count > 1 {
            for leaf in clauses[0] where !leaf.cursor.repeatsWindows {
                let second = expression.leaves[leaf.number].cursor(in: search.number, of: search.plan.vocabulary)
                if let second { leaf.weighing = second }
            }
        }
        self.clauses = clauses
        conditions = parts.conditions.map { $0.cursor(leaves, in: segment) }
        unwanted = parts.unwanted.map { $0.cursor(leaves, in: segment) }
        if let rarest = conditions.map(\.cost).min(), rarest < cost(clauses[0]) / 8 { return nil }
        self.search = search
        (ranking, best, weigher) = (search.plan.ranking, search.plan.best, search.weigher)
        let terms = ranking.terms.count
        list = WindowCandidates(terms: terms)
        maxWeights = .allocate(capacity: terms)
        scores = .allocate(capacity: terms)
    }

    deinit {
        maxWeights.deallocate()
        scores.deallocate()
    }

    func run() {
        if clauses.contains(where: \.isEmpty) { return }
        var start = search.range.lowerBound
        while start < search.range.upperBound, best.threshold < .infinity {
            var end = Int.max
            for leaf in clauses[0] { end = min(end, leaf.cursor.windowEnd(from: start)) }
            if end == .max { return }
            // Windows of several words may be too short.
            end = min(max(end, clauses[0].count > 1 ? start + 255 : start), search.range.upperBound - 1)
            searchWindow(start...end)
            start = end + 1
        }
    }

    private func searchWindow(_ window: ClosedRange<Int>) {
        // 1. The score that a document of the window needs, and the most that it can have.
        if window.lowerBound >= freshnessEnd {
            freshness = ranking.freshness(search.segment.published(window.lowerBound))
            freshnessEnd = window.lowerBound + max(1_024, window.lowerBound / 16)
        }
        let needed = best.threshold / freshness * SegmentSearch.slack
        maxWeights.initialize(repeating: 0)
        for clause in clauses {
            var maxOfClause: Float = 0
            for leaf in clause {
                leaf.maxWeight = leaf.factor * leaf.cursor.maxWeight(in: window, weigher)
                maxWeights[leaf.term] += leaf.maxWeight
                maxOfClause += leaf.maxWeight
            }
            if maxOfClause == 0 { return }
        }
        var total = 0.0
        for term in maxWeights.indices {
            scores[term] = ranking.score(maxWeights[term], term: term)
            total += scores[term]
        }
        if total < needed { return }

        // 2. Documents that contain a word of the first clause.
        gather(window, total, needed)
        if list.count == 0 { return }

        // 3. Of these, documents that contain a word of each other clause.
        for clause in clauses.indices {
            if clause > 0 {
                for leaf in clauses[clause] { leaf.cursor.weigh(list, term: leaf.term, factor: leaf.factor, weigher) }
            }
            keepPromising(clause, needed)
            if list.count == 0 { return }
        }
        addCandidates()
    }

    private func gather(_ window: ClosedRange<Int>, _ total: Double, _ needed: Double) {
        list.removeAll()
        let lead = clauses[0]
        var gathered = 0
        let wanted = lead.count > 1 ? promisingLeaves(total, needed) : [0]
        for index in wanted {
            let leaf = lead[index]
            let neededOfTerm = ranking.weight(
                scoring: needed - (total - scores[leaf.term]) * (2 - SegmentSearch.slack), term: leaf.term)
            let others = maxWeights[leaf.term] - leaf.maxWeight
            var minWeight = (neededOfTerm - others) / leaf.factor * Float(SegmentSearch.slack) - 1e-5
            if minWeight.isNaN { minWeight = -.infinity }
            if leaf.maxWeight / leaf.factor < minWeight { continue }
            leaf.cursor.gather(window, minWeight: minWeight, weigher, into: list)
            gathered += 1
        }
        if lead.count == 1 {
            list.assignWeights(to: lead[0].term, factor: lead[0].factor)
        } else if gathered > 0 {
            list.mergeAll()
            if list.count == 0 { return }
            for leaf in lead { leaf.weighing.weigh(list, term: leaf.term, factor: leaf.factor, weigher) }
        }
    }

    /// The leaves of the first clause of which a document needs at least one: without these it scores too little.
    private func promisingLeaves(_ total: Double, _ needed: Double) -> ArraySlice<Int> {
        let lead = clauses[0]
        let order = lead.indices.sorted { lead[$0].maxWeight < lead[$1].maxWeight }
        var weights = [Float](repeating: 0, count: maxWeights.count)
        let others = lead.reduce(into: Set<Int>()) { $0.insert($1.term) }.reduce(total) { $0 - scores[$1] }
        for (position, index) in order.enumerated() {
            weights[lead[index].term] += lead[index].maxWeight
            var score = others
            for term in weights.indices where weights[term] > 0 { score += ranking.score(weights[term], term: term) }
            if score * (2 - SegmentSearch.slack) >= needed { return order[position...] }
        }
        return []
    }

    /// Keeps documents that contain a word of the clause, and may still score enough if those of the later clauses
    /// score most.
    private func keepPromising(_ clause: Int, _ needed: Double) {
        var others = 0.0
        for next in clauses[(clause + 1)...] {
            for term in Set(next.map(\.term)) { others += scores[term] }
        }
        let terms = Array(Set(clauses[...clause].joined().map(\.term)))
        let own = Array(Set(clauses[clause].map(\.term)))
        let isLast = clause + 1 == clauses.count
        list.keep { index in
            if clause > 0, !own.contains(where: { list.weights(of: $0)[index] > 0 }) { return false }
            if isLast { return true }
            var score = others
            for term in terms { score += ranking.score(list.weights(of: term)[index], term: term) }
            return score >= needed
        }
    }

    private func addCandidates() {
        let terms = ranking.terms.count
        for index in 0..<list.count {
            let document = Int(list.documents[index])
            var score = 0.0
            for term in 0..<terms { score += ranking.score(list.weights(of: term)[index], term: term) }
            guard score * freshness >= best.threshold, search.isWanted(document), !search.isAdded(document),
                search.plan.hasEnoughTerms({ list.weights(of: $0)[index] }),
                conditions.allSatisfy({ matches($0, document) }), !(unwanted.map { matches($0, document) } ?? false)
            else { continue }
            search.add(document, score)
        }
    }

    private func matches(_ cursor: Cursor, _ document: Int) -> Bool {
        cursor.advance(to: document)
        return cursor.document == document
    }
}
