internal import Domain

/// One search in the index: the best of all matches, by `Ranking` or by date.
struct IndexSearch {
    private let snapshot: IndexSnapshot
    private let vocabulary: Vocabulary

    init(_ snapshot: IndexSnapshot) {
        self.snapshot = snapshot
        vocabulary = Vocabulary(snapshot)
    }

    func search(_ request: SearchRequest) -> SearchResults {
        let query = SearchQuery(text: request.text, now: request.now)
        let (found, total) = hits(query, request)
        guard found.isEmpty, request.limit > 0,
            let corrected = Spelling(vocabulary: vocabulary).correction(of: request.text, query)
        else { return SearchResults(hits: found, total: total) }
        var second = request
        second.text = corrected
        second.limit = 1
        let helps = !hits(SearchQuery(text: corrected, now: request.now), second).0.isEmpty
        return SearchResults(hits: [], suggestion: helps ? corrected : nil)
    }

    func episodes(matching request: SearchRequest) -> [EpisodeID] {
        let query = SearchQuery(text: request.text, now: request.now)
        guard let expression = MatchExpression(query, request, vocabulary: vocabulary) else { return [] }
        let plan = plan(expression, query, request, BestCandidates(limit: 0, sort: .date))
        var walks = snapshot.segments.indices.map { SegmentWalk(plan, in: $0) }
        var ids: [EpisodeID] = []
        while ids.count < request.limit, let newest = Self.newest(of: walks) {
            if walks[newest].isWanted, let id = walks[newest].id { ids.append(id) }
            walks[newest].advance()
        }
        return ids
    }

    private func plan(
        _ expression: MatchExpression, _ query: SearchQuery, _ request: SearchRequest, _ best: BestCandidates
    ) -> SearchPlan {
        SearchPlan(
            expression: expression, ranking: Ranking(expression, snapshot, now: request.now),
            filter: DocumentFilter(query.conditions, request), vocabulary: vocabulary, best: best)
    }

    private func hits(_ query: SearchQuery, _ request: SearchRequest) -> ([SearchHit], MatchCount) {
        guard let expression = MatchExpression(query, request, vocabulary: vocabulary) else { return ([], MatchCount(0)) }
        let plan = plan(expression, query, request, BestCandidates(limit: max(0, request.limit), sort: request.sort))
        switch request.sort {
        case .relevance:
            // The largest segments most likely have the best, which says most about what the others need not look at.
            let order = snapshot.segments.indices.sorted { snapshot.segments[$0].documents > snapshot.segments[$1].documents }
            let searches = order.map { SegmentSearch(plan, in: $0) }
            for search in searches { search.addTitled() }
            for search in searches { search.addAll() }
        case .date: addNewest(plan)
        case .oldest: addOldest(plan)
        }
        return (hits(plan), count(plan))
    }

    // MARK: By date

    /// Adds the newest matches, whatever segment they are in.
    private func addNewest(_ plan: SearchPlan) {
        let best = plan.best
        var walks = snapshot.segments.indices.map { SegmentWalk(plan, in: $0) }
        while let newest = Self.newest(of: walks) {
            // Those of the same second are told apart by their scores.
            if !best.mayTake(published: walks[newest].published) { return }
            if let candidate = walks[newest].candidate { best.add(candidate) }
            walks[newest].advance()
        }
    }

    /// The one whose match is the newest; nil if all are at their end.
    private static func newest(of walks: [SegmentWalk]) -> Int? {
        walks.indices.max { walks[$0].published < walks[$1].published }.flatMap { walks[$0].isAtEnd ? nil : $0 }
    }

    /// The oldest come last in each segment, so all matches are walked over.
    private func addOldest(_ plan: SearchPlan) {
        for number in snapshot.segments.indices {
            var walk = SegmentWalk(plan, in: number)
            while !walk.isAtEnd {
                if plan.best.mayTake(published: walk.published), let candidate = walk.candidate { plan.best.add(candidate) }
                walk.advance()
            }
        }
    }

    // MARK: Counting

    /// Matches are counted up to here; of words that must meet, fewer than so many documents are looked at.
    private static let mostCounted = 20_000

    /// What was passed over while the best were looked for is counted here, if that is little work.
    private func count(_ plan: SearchPlan) -> MatchCount {
        guard plan.best.isFull else { return MatchCount(plan.best.added) }
        let walks = snapshot.segments.indices.lazy.map { SegmentWalk(plan, in: $0) }
        let isCheap = plan.expression.isAnyWord || walks.reduce(0) { $0 + $1.matches.cursor.cost } <= Self.mostCounted
        guard isCheap else { return MatchCount(plan.best.added, isExact: false) }
        var (matches, visited) = (0, 0)
        for var walk in walks {
            while !walk.isAtEnd {
                if visited == Self.mostCounted { return MatchCount(max(matches, plan.best.added), isExact: false) }
                if walk.isWanted { matches += 1 }
                visited += 1
                walk.advance()
            }
        }
        return MatchCount(matches)
    }

    // MARK: Hits

    /// What is said of the best: where in the episode it matches most.
    private func hits(_ plan: SearchPlan) -> [SearchHit] {
        let candidates = plan.best.sorted
        var hits = [SearchHit?](repeating: nil, count: candidates.count)
        let places = Dictionary(grouping: candidates.indices) { candidates[$0].segment }
        for (number, places) in places {
            let segment = snapshot.segments[number]
            let matches = SegmentMatches(plan.expression, in: number, of: vocabulary)
            let occurrences = OccurrenceList()
            for place in places.sorted(by: { candidates[$0].document < candidates[$1].document }) {
                let candidate = candidates[place]
                matches.cursor.advance(to: candidate.document)
                guard matches.cursor.document == candidate.document, let id = segment.id(of: candidate.document) else { continue }
                let match = BestColumn(matches, segment.lengths(candidate.document), plan.ranking, occurrences)
                hits[place] = SearchHit(
                    episodeID: id, score: candidate.score + (candidate.isExactTitle ? 100 : 0), field: match.column.field,
                    start: match.column == .transcript
                        ? match.transcriptPosition.flatMap { segment.start(of: candidate.document, at: $0) } : nil,
                    forms: plan.expression.otherForms)
            }
        }
        return hits.compactMap(\.self)
    }
}
