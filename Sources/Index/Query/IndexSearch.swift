internal import Domain

/// One search in the index.
///
/// What is ranked: the newest 10,000 matches, and every episode whose title is exactly what was asked for. So all but
/// the commonest words are ranked in full; of those, older matches take part only by their title. A phrase is looked
/// for in the newest 200,000 episodes that hold its words, and that is all if it stands there 50 times.
struct IndexSearch {
    private static let rankedMatches = 10_000
    private static let phrasePlaces = 200_000
    private static let enoughPhrases = 50

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

    // MARK: Candidates

    private struct Candidate {
        var segment: Int
        var document: Int
        var published: UInt32
        var isExactTitle: Bool
        var score: Ranking.Score
    }

    private func hits(_ query: SearchQuery, _ request: SearchRequest) -> ([SearchHit], MatchCount) {
        guard let expression = MatchExpression(query, request, vocabulary: vocabulary) else { return ([], MatchCount(0)) }
        let filter = DocumentFilter(query.conditions, request)
        var ranking = Ranking(expression, snapshot, now: request.now)
        var best = BestCandidates(limit: max(0, request.limit), comesFirst: order(request.sort))
        let effort = Effort()
        var walks = snapshot.segments.indices.map {
            SegmentWalk(expression, filter, in: snapshot.segments[$0], dead: snapshot.dead[$0], effort)
        }
        func take(_ index: Int) -> Bool {
            guard walks[index].isWanted(filter) else { return false }
            let walk = walks[index]
            best.add(
                Candidate(
                    segment: index, document: walk.document, published: walk.published, isExactTitle: walk.isExactTitle,
                    score: ranking.score(walk.matches, in: walk.segment)))
            return true
        }
        // Newest first, whatever segment it is in.
        var taken = 0
        // The oldest come last, so all are walked over for them.
        let wanted = request.sort == .oldest ? Int.max : max(Self.rankedMatches, request.limit)
        while taken < wanted, let newest = SegmentWalk.newest(of: walks) {
            if take(newest) { taken += 1 }
            walks[newest].advance(to: walks[newest].document + 1)
            if effort.places > Self.phrasePlaces, wanted < .max, taken >= max(Self.enoughPhrases, request.limit) { break }
        }
        let isExact = SegmentWalk.newest(of: walks) == nil
        for index in walks.indices {
            for document in walks[index].titled.sorted() where document >= walks[index].document {
                walks[index].advance(to: document)
                if walks[index].document == document, take(index) { taken += 1 }
            }
        }
        return (best.sorted.compactMap(hit), MatchCount(taken, isExact: isExact))
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
        case .date, .oldest:
            { a, b in
                // Episodes without a date come last in both orders.
                if a.published != b.published, sort == .oldest { return a.published &- 1 < b.published &- 1 }
                if a.published != b.published { return a.published > b.published }
                if a.score.value != b.score.value { return a.score.value > b.score.value }
                return (a.segment, a.document) < (b.segment, b.document)
            }
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

/// The matches of one segment, newest first.
private struct SegmentWalk {
    let segment: Segment
    let matches: SegmentMatches
    /// Documents whose title is exactly what was asked for.
    let titled: Set<Int>
    private let dead: DocumentSet
    private let end: Int
    /// Of the match it stands at; `Int.max` at the end.
    private(set) var document = Int.max
    private(set) var published: UInt32 = 0

    init(
        _ expression: MatchExpression, _ filter: DocumentFilter, in segment: Segment, dead: DocumentSet, _ effort: Effort
    ) {
        self.segment = segment
        self.dead = dead
        matches = SegmentMatches(expression, in: segment, effort)
        titled = expression.titleHash.map { Set(segment.documents(titleHash: $0)) } ?? []
        let range = filter.documents(of: segment)
        end = range.upperBound
        advance(to: range.lowerBound)
    }

    mutating func advance(to target: Int) {
        matches.cursor.advance(to: target)
        document = matches.cursor.document < end ? matches.cursor.document : .max
        if document != .max { published = segment.published(document) }
    }

    var isExactTitle: Bool { titled.contains(document) }

    func isWanted(_ filter: DocumentFilter) -> Bool { !dead.contains(document) && filter.passes(segment.facts(document)) }

    /// The one whose match is the newest; nil where all are at their end.
    static func newest(of walks: [SegmentWalk]) -> Int? {
        var newest: Int?
        for index in walks.indices where walks[index].document != .max {
            if newest.map({ walks[index].published > walks[$0].published }) ?? true { newest = index }
        }
        return newest
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
