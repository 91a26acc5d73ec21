import Composition
import Domain
import Hummingbird
import Presentation

/// What is new, newest first, and what was begun.
struct NewPage {
    let site: Site

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        var filter = FetchEpisodes.Filter()
        filter.onlyNew = true
        let total = try await library.fetchEpisodes.count(filter)
        let pages = Pages(request.query.page, of: total)
        let ids = try await library.newestFirst("is:new", limit: pages.range.upperBound, now: context.time)
        let rows = try await EpisodeRows(library, now: context.time)
        let new = try await library.fetchEpisodes.listed(ids.slice(pages.range))
        var values = pages.values("/?")
        let back = pages.number > 1 ? "/?page=\(pages.number)" : "/"
        values["episodes"] = rows.values(of: new, back: back)
        values["isEmpty"] = total == 0
        values["total"] = counted(total, "new episode")
        values["back"] = back
        if pages.number == 1 {
            let begun = try await library.position.begun(limit: 6).map(\.episodeID)
            values["begun"] = rows.values(of: try await library.fetchEpisodes.listed(begun), back: "/")
            values["hasBegun"] = !begun.isEmpty
            values["isLibraryEmpty"] = total == 0 ? try await library.podcasts.isEmpty() : false
        }
        return site.page("new", title: "New", section: "New", values)
    }

    /// All that is new now counts as seen.
    func markSeen(_ request: Request, _ context: SiteContext) async throws -> Response {
        _ = try await site.writer.tag.markSeen(nil, undoableAt: context.time)
        return .see("/")
    }
}

extension OpenLibrary {
    /// The ids of what a query finds, newest first; by the library itself if the index cannot tell.
    func newestFirst(
        _ query: String, podcast: PodcastID? = nil, limit: Int = .max, now: Timestamp
    ) async throws -> [EpisodeID] {
        var request = SearchRequest(text: query)
        request.limit = limit
        request.podcast = podcast
        let (ids, outcome) = try await search.matches(request, now: now)
        guard outcome.indexFailure != nil else { return ids }
        var filter = FetchEpisodes.Filter()
        filter.onlyNew = query == "is:new"
        filter.podcasts = podcast.map { [$0] }
        filter.limit = limit == .max ? nil : limit
        return try await fetchEpisodes(filter).map(\.episode.id)
    }
}
