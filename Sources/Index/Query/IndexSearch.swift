internal import Domain

/// One search in the index.
///
/// What is ranked: of each segment the newest 50,000 matches, and every episode whose title is exactly what was asked
/// for. So all but the commonest words are ranked in full; of those, older matches take part only by their title.
struct IndexSearch {
    private static let rankedMatches = 50_000

    private let snapshot: IndexSnapshot
    private let vocabulary: Vocabulary

    init(_ snapshot: IndexSnapshot) {
        self.snapshot = snapshot
        vocabulary = Vocabulary(snapshot)
    }

    func search(_ request: SearchRequest) -> SearchResults {
        let query = SearchQuery(text: request.text, now: request.now)
        let found = hits(query, request)
        guard found.isEmpty, request.limit > 0,
            let corrected = Spelling(vocabulary: vocabulary).correction(of: request.text, query)
        else { return SearchResults(hits: found) }
        var second = request
        second.text = corrected
        second.limit = 1
        let helps = !hits(SearchQuery(text: corrected, now: request.now), second).isEmpty
        return SearchResults(hits: [], suggestion: helps ? corrected : nil)
    }

    // MARK: Candidates

    private struct Candidate {
        var segment: Int
        var document: Int
        var published: UInt32
        var isExactTitle: Bool
        var score: Ranking.Score
    }

    private func hits(_ query: SearchQuery, _ request: SearchRequest) -> [SearchHit] {
        guard let expression = MatchExpression(query, request, vocabulary: vocabulary) else { return [] }
        let filter = DocumentFilter(query.conditions, request)
        var ranking = Ranking(expression, snapshot, now: request.now)
        var best = BestCandidates(limit: max(0, request.limit), comesFirst: order(request.sort))
        for segment in snapshot.segments.indices {
            find(expression, filter, request, in: segment, &ranking, &best)
        }
        return best.sorted.compactMap(hit)
    }

    /// Ties are settled by the place in the index, which is the same at each search.
    private func order(_ sort: SearchRequest.Sort) -> (Candidate, Candidate) -> Bool {
        switch sort {
        case .relevance:
            { a, b in
                if a.isExactTitle != b.isExactTitle { return a.isExactTitle }
                if a.score.value != b.score.value { return a.score.value > b.score.value }
                return (a.published, b.segment, b.document) > (b.published, a.segment, a.document)
            }
        case .date:
            { a, b in
                if a.published != b.published { return a.published > b.published }
                if a.score.value != b.score.value { return a.score.value > b.score.value }
                return (a.segment, a.document) < (b.segment, b.document)
            }
        }
    }

    private func find(
        _ expression: MatchExpression, _ filter: DocumentFilter, _ request: SearchRequest, in index: Int,
        _ ranking: inout Ranking, _ best: inout BestCandidates<Candidate>
    ) {
        let segment = snapshot.segments[index]
        let range = filter.documents(of: segment)
        let matches = SegmentMatches(expression, in: segment)
        let titled = expression.titleHash.map { Set(segment.documents(titleHash: $0)) } ?? []
        var left = max(Self.rankedMatches, request.limit)
        /// Looks at the match the cursor stands at.
        func take(_ matches: SegmentMatches) {
            let document = matches.cursor.document
            guard !snapshot.dead[index].contains(document), filter.passes(segment.facts(document)) else { return }
            left -= 1
            best.add(
                Candidate(
                    segment: index, document: document, published: segment.published(document),
                    isExactTitle: titled.contains(document), score: ranking.score(matches, in: segment)))
        }
        matches.cursor.advance(to: range.lowerBound)
        while matches.cursor.document < range.upperBound, left > 0 {
            take(matches)
            matches.cursor.advance(to: matches.cursor.document + 1)
        }
        let seen = matches.cursor.document
        for document in titled.sorted() where document >= seen && document < range.upperBound {
            matches.cursor.advance(to: document)
            if matches.cursor.document == document { take(matches) }
        }
    }

    private func hit(_ candidate: Candidate) -> SearchHit? {
        let segment = snapshot.segments[candidate.segment]
        guard let id = segment.id(of: candidate.document) else { return nil }
        let score = candidate.score
        return SearchHit(
            episodeID: id, score: score.value + (candidate.isExactTitle ? 100 : 0), field: score.column.field,
            start: score.column == .transcript
                ? score.transcriptPosition.flatMap { segment.start(of: candidate.document, at: $0) } : nil)
    }
}

/// Keeps the first few of many candidates.
private struct BestCandidates<Candidate> {
    private let limit: Int
    private let comesFirst: (Candidate, Candidate) -> Bool
    /// Unordered above twice the limit's beginning: sorted and cut whenever it is full.
    private var kept: [Candidate] = []
    /// The last of those kept at the last cut: whoever comes behind it is out.
    private var bar: Candidate?

    init(limit: Int, comesFirst: @escaping (Candidate, Candidate) -> Bool) {
        self.limit = limit
        self.comesFirst = comesFirst
    }

    mutating func add(_ candidate: Candidate) {
        if let bar, !comesFirst(candidate, bar) { return }
        kept.append(candidate)
        if kept.count >= 2 * limit + 64 {
            kept = sorted
            bar = kept.last
        }
    }

    var sorted: [Candidate] { Array(kept.sorted(by: comesFirst).prefix(limit)) }
}
