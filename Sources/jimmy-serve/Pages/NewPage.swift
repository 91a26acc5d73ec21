import Composition
import Domain
import Hummingbird
import Presentation
import Results
import Searching
import UseCases

/// New episodes, newest first, and those that were begun.
struct NewPage {
    let site: Site
    /// Number of episodes shown if none is new.
    private static let latest = 10

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        var filter = ListEpisodes.Filter()
        filter.onlyNew = true
        let total = try await library.listEpisodes.count(filter)
        let pages = Pages(request.query.page, of: total)
        // If nothing is new, the latest ones show that the library has something.
        let (query, range) = total > 0 ? ("is:new", pages.range) : (SearchRequest.everyEpisode, 0..<Self.latest)
        let ids = try await library.newestFirst(query, range: range, now: context.time)
        let rows = try await EpisodeRows(library, now: context.time)
        let new = try await library.listEpisodes.listed(ids)
        var values = pages.values("/?")
        let back = pages.number > 1 ? "/?page=\(pages.number)" : "/"
        values["groups"] = Self.byDay(new, now: context.time).map { name, episodes -> Values in
            ["name": name, "id": name.filter(\.isLetter), "episodes": rows.values(of: episodes, back: back)]
        }
        values["isEmpty"] = total == 0
        values["total"] = counted(total, "new episode")
        values["mark"] = Self.mark(
            total, newest: try await library.newestID(pages.number == 1 && total > 0 ? ids : nil, context.time))
        values["hasLatest"] = total == 0 && !new.isEmpty
        if pages.number == 1 {
            let begun = try await library.positions.begun(limit: 6).map(\.episodeID)
            values["begun"] = rows.values(of: try await library.listEpisodes.listed(begun), back: "/")
            values["hasBegun"] = !begun.isEmpty
            values["isLibraryEmpty"] = total == 0 ? try await library.podcasts.isEmpty() : false
        }
        return site.page("new", title: "New", section: "New", values)
    }

    /// Episodes under the names of their days, in the same order.
    private static func byDay(_ episodes: [ListedEpisode], now: Timestamp) -> [(name: String, episodes: [ListedEpisode])] {
        let day: Int64 = 86_400
        let today = (now.seconds + now.zone) / day
        var groups: [(name: String, episodes: [ListedEpisode])] = []
        for listed in episodes {
            let name =
                switch listed.episode.orderedAt.map({ today - ($0.seconds + $0.zone) / day }) {
                case .some(..<1): "Today"
                case 1?: "Yesterday"
                case .some(..<7): "This week"
                case .some(..<31): "This month"
                case .some, nil: "Earlier"
                }
            if groups.last?.name == name {
                groups[groups.count - 1].episodes.append(listed)
            } else {
                groups.append((name, [listed]))
            }
        }
        return groups
    }

    /// The number of new episodes, and a mark that changes when a refresh brings more.
    func mark(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        var filter = ListEpisodes.Filter()
        filter.onlyNew = true
        let total = try await library.listEpisodes.count(filter)
        let mark = Self.mark(total, newest: try await library.newestID(nil, context.time))
        return .json("{\"count\":\(total),\"mark\":\"\(mark)\"}")
    }

    private static func mark(_ total: Int, newest: EpisodeID?) -> String { "\(total)-\(newest?.text ?? "")" }

    /// Marks all new episodes as seen.
    func markSeen(_ request: Request, _ context: SiteContext) async throws -> Response {
        _ = try await site.writer.tag.markSeen(nil, undoableAt: context.time)
        return .see("/")
    }
}

extension OpenLibrary {
    /// The ids of the episodes that match a query, newest first; from the library itself if the index fails.
    func newestFirst(
        _ query: String, podcast: PodcastID? = nil, range: Range<Int>, now: Timestamp
    ) async throws -> [EpisodeID] {
        var request = SearchRequest(text: query)
        (request.podcast, request.offset, request.limit) = (podcast, range.lowerBound, range.count)
        let (ids, outcome) = try await search.matches(request, now: now)
        guard outcome.indexFailure != nil else { return ids }
        var filter = ListEpisodes.Filter(query, podcast)
        filter.limit = range.upperBound
        return try await listEpisodes(filter).dropFirst(range.lowerBound).map(\.episode.id)
    }

    /// The id of the newest new episode; nil if there is none.
    ///
    /// - Parameter ids: the newest ones, if they are known.
    fileprivate func newestID(_ ids: [EpisodeID]?, _ now: Timestamp) async throws -> EpisodeID? {
        if let ids { return ids.first }
        return try await newestFirst("is:new", range: 0..<1, now: now).first
    }

    /// Number of episodes that match a query.
    func count(_ query: String, podcast: PodcastID? = nil, now: Timestamp) async throws -> Int {
        var request = SearchRequest(text: query)
        request.podcast = podcast
        let (count, outcome) = try await search.count(request, now: now)
        return outcome.indexFailure == nil ? count : try await listEpisodes.count(ListEpisodes.Filter(query, podcast))
    }
}

extension ListEpisodes.Filter {
    /// The filter that comes closest to a query.
    fileprivate init(_ query: String, _ podcast: PodcastID?) {
        self.init()
        onlyNew = query == "is:new"
        podcasts = podcast.map { [$0] }
    }
}
