import Composition
import Domain
import FoundationEssentials
import Hummingbird
import Presentation
import Searching
import UseCases

/// The parts of gPodder's API besides subscriptions and episode actions: updates, favourites, search and settings.
extension PodderAPI {
    private struct PodderPodcast: Encodable {
        var url, title, description: String
        var subscribers = 1
        var logo_url, website: String?
    }

    private struct EpisodeRow: Encodable {
        var title, url, podcast_title, podcast_url: String
        var description: String?
        var website: String?
        /// The server's own page about the episode.
        var mygpo_link: String?
        var status: String?
        var released: String?
    }

    private struct Updates: Encodable {
        var add: [PodderPodcast]
        var remove: [String]
        var updates: [EpisodeRow]
        var timestamp: Int64
    }

    func updates(_ request: Request, _ context: SiteContext) async throws -> Response {
        let changes = try await site.apps.subscriptionChanges(since: since(request), now: context.time)
        let podcasts = try await site.reader.podcasts.podcasts(at: changes.added)
        let new = try await site.reader.newestFirst("is:new", range: 0..<200, now: context.time)
        let rows = try await site.reader.listEpisodes.listed(new).compactMap { row(of: $0, status: "new", request) }
        return try .encoded(
            Updates(add: podcasts.map { row(of: $0) }, remove: changes.removed, updates: rows, timestamp: changes.time))
    }

    private func row(of podcast: Podcast) -> PodderPodcast {
        PodderPodcast(url: podcast.feedURL, title: podcast.displayTitle, description: podcast.author ?? "")
    }

    private func row(of listed: ListedEpisode, status: String? = nil, _ request: Request) -> EpisodeRow? {
        let item = listed.episode.item
        guard let url = item.chosenEnclosure?.url else { return nil }
        return EpisodeRow(
            title: item.title ?? "", url: url, podcast_title: listed.podcast.displayTitle,
            podcast_url: listed.podcast.feedURL,
            description: item.summary ?? item.description ?? "", website: item.link ?? "",
            mygpo_link: "\(site.ownURL(request))/episodes/\(listed.episode.id.text)", status: status,
            released: item.publishedAt.map { ActionTime.text($0) })
    }

    /// Starred episodes.
    func favorites(_ request: Request, _ context: SiteContext) async throws -> Response {
        let ids = try await site.reader.newestFirst(
            "is:starred", range: 0..<SearchRequest.maxResults, now: context.time)
        return try .encoded(try await site.reader.listEpisodes.listed(ids).compactMap { row(of: $0, request) })
    }

    /// Searches podcast directories.
    func search(_ request: Request, _ context: SiteContext) async throws -> Response {
        guard let text = request.query["q"] else { throw HTTPError(.badRequest) }
        let report = try await site.composition.discover(at: nil)(
            text, country: site.composition.settings.country?.code, limit: 20)
        return try .encoded(
            report.entries.map {
                PodderPodcast(
                    url: $0.feedURL, title: $0.title, description: $0.author ?? "", logo_url: $0.imageURL, website: $0.link)
            })
    }

    private struct SettingsChange: Decodable {
        var set: [String: JSONValue]?
        var remove: [String]?
    }

    private func scope(_ request: Request, _ context: SiteContext) throws -> String {
        let form = request.query
        let parts = [try context.part("scope"), form["device"] ?? "", form["podcast"] ?? "", form["episode"] ?? ""]
        guard ["account", "device", "podcast", "episode"].contains(parts[0]), parts.allSatisfy({ $0.utf8.count <= 2_048 }) else {
            throw HTTPError(.badRequest)
        }
        return parts.joined(separator: "\n")
    }

    func settings(_ request: Request, _ context: SiteContext) async throws -> Response {
        try .encoded(await site.apps.settings(try scope(request, context)))
    }

    func changeSettings(_ request: Request, _ context: SiteContext) async throws -> Response {
        let change = try await request.decoded(SettingsChange.self)
        return try .encoded(
            try await site.apps.changeSettings(try scope(request, context), set: change.set ?? [:], remove: change.remove ?? []))
    }
}
