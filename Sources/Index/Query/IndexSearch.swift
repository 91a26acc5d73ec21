internal import Domain
internal import Memory
internal import Searching

/// One search in the index: the best of all matches, by `Ranking` or by date.
struct IndexSearch {
    private let snapshot: IndexSnapshot
    private let vocabulary: Vocabulary
    private let keepsMemory: Bool

    /// Bytes of a segment for which giving back memory costs more than it takes: the system maps up to 64 kB around each.
    private static let maxKept = 64 << 10

    /// - Parameter keepsMemory: whether the pages read for the search stay in memory.
    init(_ snapshot: IndexSnapshot, keepsMemory: Bool = true) {
        (self.snapshot, self.keepsMemory) = (snapshot, keepsMemory)
        vocabulary = Vocabulary(snapshot)
    }

    func search(_ request: SearchRequest) -> SearchResults {
        let query = SearchQuery(text: request.text, now: request.now)
        let ranked = results(query, request)
        var results = ranked.results
        guard request.limit > 0 else { return results }
        let passage = request.sort == .relevance && !ranked.isClose ? RememberedPassage(query) : nil
        if let passage, passage.isSpokenOnly, results.hits.isEmpty || !passage.hasPhrase {
            addPassages(passage, to: &results, request)
        }
        if results.hits.isEmpty, let soundsAlike = resultsBySound(query, request) { return soundsAlike }
        if results.hits.isEmpty {
            results.suggestion = Spelling(vocabulary: vocabulary).correction(of: request.text, query)
                .flatMap { isOneWord(query, request) || helps($0, request) ? $0 : nil }
        }
        if results.hits.isEmpty, results.suggestion == nil, let passage, !passage.isSpokenOnly {
            addPassages(passage, to: &results, request)
        }
        return results
    }

    /// Adds transcripts in which most of the words are close together.
    private func addPassages(_ passage: RememberedPassage, to results: inout SearchResults, _ request: SearchRequest) {
        guard let expression = MatchExpression(passage.query, request, vocabulary: vocabulary) else { return }
        let plan = plan(expression, passage.query, request, BestCandidates(snapshot, limit: request.limit, sort: .relevance))
        for number in snapshot.segments.indices { SegmentSearch(plan, in: number).addSpoken() }
        var added = 0
        for var hit in hits(plan, explains: request.explains) {
            hit.hasMostWords = true
            if let index = results.hits.firstIndex(where: { $0.episodeID == hit.episodeID }) {
                if hit.score > results.hits[index].score { results.hits[index] = hit }
            } else {
                results.hits.append(hit)
                added += 1
            }
        }
        results.hits.sort { $0.score > $1.score }
        results.hits.removeLast(max(0, results.hits.count - request.limit))
        results.total = MatchCount(results.total.count + added, isExact: results.total.isExact && !plan.best.isFull)
    }

    /// What sounds like the query in transcripts; nil if nothing does.
    private func resultsBySound(_ query: SearchQuery, _ request: SearchRequest) -> SearchResults? {
        guard let (expanded, forms) = SoundForms(vocabulary: vocabulary).expanded(query) else { return nil }
        var results = results(expanded, request).results
        guard !results.hits.isEmpty else { return nil }
        for index in results.hits.indices {
            results.hits[index].forms.merge(forms) { $0.union($1) }
        }
        results.isBySound = true
        return results
    }

    func episodes(matching request: SearchRequest) -> [EpisodeID] {
        let walks = walks(over: request)
        var ids: [EpisodeID] = []
        var passed = 0
        while ids.count < request.limit, let newest = newest(of: walks) {
            if newest.isWanted {
                if passed >= request.offset, let id = newest.id { ids.append(id) }
                passed += 1
            }
            newest.advance()
        }
        return ids
    }

    func count(matching request: SearchRequest) -> Int { walks(over: request).reduce(0) { $0 + $1.count() } }

    func publications(from first: Timestamp, to last: Timestamp) -> [PodcastID: [Publication]] {
        var request = SearchRequest(text: SearchRequest.everyEpisode)
        (request.since, request.until) = (first, last)
        var publications: [PodcastID: [Publication]] = [:]
        for (segment, walk) in zip(snapshot.segments, walks(over: request)) {
            var rows: [Int: [Publication]] = [:]
            while !walk.isAtEnd {
                if walk.isWanted {
                    let facts = segment.facts(walk.matches.cursor.document)
                    let published = Timestamp(seconds: facts.publishedAt)
                    rows[Int(facts.podcast), default: []].append(
                        Publication(at: published, duration: facts.duration.isNaN ? 0 : Double(facts.duration)))
                }
                walk.advance()
            }
            for (row, added) in rows { publications[segment.podcastID(row), default: []] += added }
        }
        return publications
    }

    /// All matches, segment by segment.
    private func walks(over request: SearchRequest) -> [SegmentWalk] {
        let query = SearchQuery(text: request.text, now: request.now)
        guard let expression = MatchExpression(query, request, vocabulary: vocabulary) else { return [] }
        let plan = plan(expression, query, request, BestCandidates(snapshot, limit: 0, sort: .date))
        return snapshot.segments.indices.map { SegmentWalk(plan, in: $0) }
    }

    private func plan(
        _ expression: MatchExpression, _ query: SearchQuery, _ request: SearchRequest, _ best: BestCandidates
    ) -> SearchPlan {
        SearchPlan(
            expression: expression, ranking: Ranking(expression, snapshot, now: request.now),
            filter: DocumentFilter(query.conditions, request), vocabulary: vocabulary, best: best)
    }

    /// Whether every episode with the word matches. A suggestion need not be tried then, because some episode contains
    /// it.
    private func isOneWord(_ query: SearchQuery, _ request: SearchRequest) -> Bool {
        guard case .term(let term) = query.expression, term.field == nil, query.conditions.isEmpty,
            snapshot.deleted.allSatisfy({ $0.count == 0 })
        else { return false }
        return request.podcast == nil && request.since == nil && request.until == nil && request.hidden.isEmpty
    }

    private func helps(_ suggestion: String, _ request: SearchRequest) -> Bool {
        var second = request
        (second.text, second.limit, second.facets) = (suggestion, 1, [])
        return !results(SearchQuery(text: suggestion, now: request.now), second).results.hits.isEmpty
    }

    /// - Returns: the best matches, and whether words of the query are said close together in any of them.
    private func results(_ query: SearchQuery, _ request: SearchRequest) -> (results: SearchResults, isClose: Bool) {
        guard let expression = MatchExpression(query, request, vocabulary: vocabulary) else {
            return (SearchResults(hits: []), false)
        }
        let best = BestCandidates(snapshot, limit: max(0, request.limit), sort: request.sort)
        let plan = plan(expression, query, request, best)
        find(plan, request.sort)
        var results = SearchResults(hits: hits(plan, explains: request.explains), total: count(plan))
        let isTitle = query.conditions.isEmpty && query.wantedTerms.allSatisfy { $0.field == nil }
        if isTitle, request.podcast == nil, let title = expression.titleHash {
            results.podcasts = snapshot.podcasts(titled: title)
        }
        if !request.facets.isEmpty { results.facets = FacetCounts(plan, of: request.facets).counts(of: request.facets) }
        return (results, best.sorted.contains { $0.closeness > 0 })
    }

    private func find(_ plan: SearchPlan, _ sort: SearchRequest.Sort) {
        switch sort {
        case .relevance:
            // The largest segments most likely contain the best matches, and a high threshold lets the others skip
            // most.
            let order = snapshot.segments.indices.sorted { snapshot.segments[$0].documents > snapshot.segments[$1].documents }
            let searches = order.map { SegmentSearch(plan, in: $0) }
            for search in searches { search.addTitled() }
            for search in searches { search.addSpoken() }
            for search in searches {
                search.addAll()
                // The hits themselves need only a small part of the pages that were read.
                let file = search.segment.file
                if !keepsMemory, file.checkedSize > Self.maxKept { file.forget() }
            }
        case .date: addNewest(plan)
        case .oldest: addOldest(plan)
        }
    }

    // MARK: By date

    /// Adds the newest matches of all segments.
    private func addNewest(_ plan: SearchPlan) {
        let best = plan.best
        let walks = snapshot.segments.indices.map { SegmentWalk(plan, in: $0) }
        while let newest = newest(of: walks) {
            // Matches of the same second may be in several segments.
            if !best.mayTake(published: newest.published) { return }
            if let candidate = newest.candidate { best.add(candidate) }
            newest.advance()
        }
    }

    /// The walk with the newest current match; nil if all are at their end.
    private func newest(of walks: [SegmentWalk]) -> SegmentWalk? {
        var newest: SegmentWalk?
        for walk in walks where !walk.isAtEnd {
            if let newest, walk.published < newest.published { continue }
            if let newest, walk.published == newest.published, snapshot.isNewer(newest.location, than: walk.location) { continue }
            newest = walk
        }
        return newest
    }

    /// Walks all matches, because the oldest come last in each segment.
    private func addOldest(_ plan: SearchPlan) {
        for number in snapshot.segments.indices {
            let walk = SegmentWalk(plan, in: number)
            while !walk.isAtEnd {
                if plan.best.mayTake(published: walk.published), let candidate = walk.candidate { plan.best.add(candidate) }
                walk.advance()
            }
        }
    }

    // MARK: Counting

    /// The most documents to look at for counting matches. Counting must not cost more than finding the best.
    private static let maxCounted = 2_000

    /// Counts also the matches that the search skipped, if that is little work.
    private func count(_ plan: SearchPlan) -> MatchCount {
        let best = plan.best
        guard best.isFull else { return MatchCount(best.added) }
        var minCount = best.added
        if plan.filter.isEmpty, let words = plan.expression.anyWords {
            let counts = words.map { vocabulary.minEpisodes(with: $0) }
            let deleted = snapshot.deleted.reduce(0) { $0 + $1.count }
            if counts.count == 1, deleted == 0, case .term = words[0] { return MatchCount(counts[0]) }
            minCount = max(minCount, counts.reduce(0, max) - deleted)
        }
        if minCount > Self.maxCounted { return MatchCount(minCount, isExact: false) }
        let walks = snapshot.segments.indices.map { SegmentWalk(plan, in: $0) }
        guard walks.reduce(0, { $0 + $1.matches.cursor.cost }) <= Self.maxCounted else {
            return MatchCount(minCount, isExact: false)
        }
        return MatchCount(walks.reduce(0) { $0 + $1.count() })
    }

    // MARK: Hits

    /// Makes hits of the best matches, each with the place in the episode that matches most.
    private func hits(_ plan: SearchPlan, explains: Bool) -> [SearchHit] {
        let candidates = plan.best.sorted
        var hits = [SearchHit?](repeating: nil, count: candidates.count)
        for (number, segment) in snapshot.segments.enumerated() {
            let indices = candidates.indices.filter { candidates[$0].segment == number }
            if indices.isEmpty { continue }
            let matches = SegmentMatches(plan.expression, in: number, of: vocabulary)
            let occurrences = OccurrenceList()
            for index in indices.sorted(by: { candidates[$0].document < candidates[$1].document }) {
                let candidate = candidates[index]
                matches.cursor.advance(to: candidate.document)
                guard matches.cursor.document == candidate.document, let id = segment.id(of: candidate.document) else { continue }
                let match = BestColumn(matches, segment.lengths(candidate.document), plan.ranking, occurrences)
                hits[index] = SearchHit(
                    episodeID: id, score: candidate.score + (candidate.isExactTitle ? 100 : 0), field: match.column.field,
                    start: match.column == .transcript
                        ? match.transcriptPosition.flatMap { segment.start(of: candidate.document, at: $0) } : nil,
                    forms: plan.expression.otherForms)
                if explains { hits[index]?.explanation = HitExplanation(candidate, matches, plan) }
            }
        }
        return hits.compactMap(\.self)
    }
}
