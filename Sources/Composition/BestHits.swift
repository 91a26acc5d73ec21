import Domain
import Index

/// The best hits among the candidates examined so far.
struct BestHits {
    let request: SearchRequest
    private(set) var hits: [SearchHit] = []
    private var total = MatchCount(0)
    private var facets: [SearchFacet: [FacetCount]] = [:]

    /// The hits of the current page of candidates.
    private var page: [SearchHit] = []
    private var published: [EpisodeID: Int] = [:]
    private var ranked = 0
    private var isLast = true
    private var isFirst = true

    init(_ request: SearchRequest) { self.request = request }

    var results: SearchResults {
        var results = SearchResults(hits: hits, total: total)
        results.facets = facets
        return results
    }

    mutating func begin(_ ranked: [RankedCandidate], isLast: Bool) {
        published = [:]
        for candidate in ranked { published[candidate.id] = Int(candidate.published) }
        (self.ranked, self.isLast, page) = (ranked.count, isLast, [])
    }

    /// Number of hits of the page that are still needed: pages follow each other by date.
    private var wanted: Int { max(0, request.limit - hits.count) }

    func mayTake(_ candidate: RankedCandidate) -> Bool {
        guard page.count >= wanted, let last = page.last else { return true }
        return candidate.most >= value(last)
    }

    mutating func add(_ results: SearchResults) {
        if page.isEmpty {
            page = results.hits
        } else {
            // Few of the candidates examined later are among the best.
            for hit in results.hits { page.insert(hit, at: page.firstIndex { comesFirst(hit, $0) } ?? page.count) }
        }
        page = Array(page.prefix(wanted))
        guard isFirst else { return }
        total.count = max(total.count, results.total.count)
        total.isExact = results.total.isExact
        facets = results.facets
    }

    /// - Parameters:
    ///   - examined: number of candidates that were examined.
    ///   - areMatches: true if all candidates match.
    mutating func end(examined: Int, areMatches: Bool) {
        let seen = Set(hits.map(\.episodeID))
        hits += page.filter { !seen.contains($0.episodeID) }
        total.count = max(total.count, hits.count, isFirst && areMatches ? ranked : 0)
        if !isLast || !isFirst || examined < ranked && !areMatches { total.isExact = false }
        isFirst = false
    }

    private func value(_ hit: SearchHit) -> Double { request.sort.value(of: hit.score, date(hit)) }

    private func date(_ hit: SearchHit) -> Int64 { Int64(published[hit.episodeID] ?? 0) }

    private func comesFirst(_ a: SearchHit, _ b: SearchHit) -> Bool {
        if value(a) != value(b) { return value(a) > value(b) }
        if date(a) != date(b) { return date(a) > date(b) }
        return a.score > b.score
    }
}
