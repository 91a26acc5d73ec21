import Composition
import Domain
import Hummingbird
import Presentation
import Searching
import UseCases

/// Search results and the queue as feeds for any podcast app, at addresses that cannot be guessed and can be withdrawn.
struct LibraryFeeds {
    let site: Site
    private static let maxItems = 100

    func add(to router: Router<SiteContext>) {
        router.get("/feeds/search.rss", use: search)
        router.get("/feeds/queue.rss", use: queue)
        router.get("/feeds/query/:name", use: named)
    }

    /// The matches of a query that the settings name, at `/feeds/query/NAME.rss`.
    func named(_ request: Request, _ context: SiteContext) async throws -> Response {
        try await check(request, context)
        let queries = try NamedQueries.read().map { ($0.name, $0.query) }
        let name = context.parameters.get("name") ?? ""
        guard name.hasSuffix(".rss"), let query = queries.last(where: { $0.0 == name.dropLast(4).lowercased() })?.1 else {
            throw HTTPError(.notFound)
        }
        let text = QueryExpansion.current(at: context.time).expanded(query, now: context.time)
        let ids = try await site.reader.newestFirst(text, range: 0..<Self.maxItems, now: context.time)
        return feed("jimmy: \(name.dropLast(4))", try await site.reader.listEpisodes.listed(ids))
    }

    func search(_ request: Request, _ context: SiteContext) async throws -> Response {
        try await check(request, context)
        guard let query = request.query["q"] else { throw HTTPError(.badRequest, message: "q is missing") }
        let ids = try await site.reader.newestFirst(query, range: 0..<Self.maxItems, now: context.time)
        return feed("jimmy: \(query.oneLine)", try await site.reader.listEpisodes.listed(ids))
    }

    func queue(_ request: Request, _ context: SiteContext) async throws -> Response {
        try await check(request, context)
        return feed("jimmy: queue", try await site.reader.queue.list())
    }

    /// Refuses an invalid token as if the address did not exist.
    private func check(_ request: Request, _ context: SiteContext) async throws {
        if site.sessions.isOpen { return }
        guard let token = request.query["token"], await site.sessions.isValid(token, as: [.feed], now: context.time) else {
            throw HTTPError(.notFound)
        }
    }

    private func feed(_ title: String, _ episodes: [ListedEpisode]) -> Response {
        .text(ExportDocument(.rss, title: title, episodes).text, type: "application/rss+xml; charset=utf-8")
    }
}

extension QueryExpansion {
    /// The named queries as the settings file has them now; this process may run for months.
    static func current(at now: Timestamp) -> QueryExpansion {
        let queries = ((try? NamedQueries.read()) ?? []).map { ($0.name, $0.query) }
        return QueryExpansion(named: Dictionary(queries) { $1 }, zone: now.zone)
    }
}
