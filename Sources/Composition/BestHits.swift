import Domain
import Index

/// The best hits among the candidates of a search that were looked at.
struct BestHits {
    let request: SearchRequest
    private(set) var hits: [SearchHit] = []
    private var total = MatchCount(0)
    private var facets: [SearchFacet: [FacetCount]] = [:]

    /// Of the candidates of one page.
    private var page: [SearchHit] = []
    private var published: [EpisodeID: Int64] = [:]
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
        published = Dictionary(ranked.map { ($0.id, $0.published) }) { a, _ in a }
        (self.ranked, self.isLast, page) = (ranked.count, isLast, [])
    }

    /// Hits of the page that are still wanted: pages follow each other by date.
    private var wanted: Int { max(0, request.limit - hits.count) }

    func mayTake(_ candidate: RankedCandidate) -> Bool {
        guard page.count >= wanted, let last = page.last else { return true }
        return candidate.most >= value(last)
    }

    mutating func add(_ results: SearchResults) {
        page = (page + results.hits).enumerated().map { place, hit in
            RankedHit(hit: hit, value: value(hit), published: published[hit.episodeID] ?? 0, place: place)
        }.sorted().prefix(wanted).map(\.hit)
        guard isFirst else { return }
        total.count = max(total.count, results.total.count)
        total.isExact = results.total.isExact
        facets = results.facets
    }

    /// - Parameters:
    ///   - looked: candidates that were looked at.
    ///   - areMatches: whether all candidates match.
    mutating func end(looked: Int, areMatches: Bool) {
        let seen = Set(hits.map(\.episodeID))
        hits += page.filter { !seen.contains($0.episodeID) }
        total.count = max(total.count, hits.count, isFirst && areMatches ? ranked : 0)
        if !isLast || !isFirst || looked < ranked && !areMatches { total.isExact = false }
        isFirst = false
    }

    private func value(_ hit: SearchHit) -> Double {
        request.sort.value(of: hit.score, published[hit.episodeID] ?? 0)
    }
}

/// The best comes first, of equals the newest; then the order in which they were found counts.
private struct RankedHit: Comparable {
    let hit: SearchHit
    let value: Double
    let published: Int64
    let place: Int

    static func < (a: RankedHit, b: RankedHit) -> Bool {
        (b.value, b.published, b.hit.score, a.place) < (a.value, a.published, a.hit.score, b.place)
    }
}
