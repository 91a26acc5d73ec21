import Addresses
import Composition
import Domain
import Hummingbird
import Presentation
import Scheduling
import UseCases

/// A podcast's page: its episodes, its schedule and health in words, its chart, its settings.
struct PodcastPage {
    let site: Site

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        let podcast = try await requestedPodcast(context)
        let form = request.query
        let choice = PodcastChoice(form)
        let total = try await library.count(choice.query, podcast: podcast.id, now: context.time)
        let pages = Pages(form.page, of: total)
        let range = choice.isOldestFirst ? max(0, total - pages.range.upperBound)..<(total - pages.range.lowerBound) : pages.range
        let newest = try await library.newestFirst(choice.query, podcast: podcast.id, range: range, now: context.time)
        let ids = choice.isOldestFirst ? newest.reversed() : newest
        let rows = try await EpisodeRows(library, now: context.time)
        let channel = try await library.episodes.channel(of: podcast.id) ?? Channel()
        let host = try await library.work.hosts([podcast.hostKey])[podcast.hostKey]
        let health = Health(of: podcast, now: context.time)
        let path = choice.path(of: podcast.id)
        let here = path + "page=\(pages.number)"
        var values = PodcastsPage.card(podcast, health, now: context.time).merging(pages.values(path))
        let listed = try await library.listEpisodes.listed(ids)
        values["podcastEpisodes"] = rows.values(of: listed, back: here)
        values["hasOwnCovers"] = listed.contains { $0.episode.item.imageURL != nil }
        // The header has the number of all.
        values["found"] = choice.query.isEmpty ? nil : counted(total, "episode")
        values["chartVersion"] = (podcast.lastAskedAt ?? .distantPast).seconds
        values["query"] = form["q"] ?? ""
        (values["shows"], values["orders"], values["hidden"]) = (
            choice.shows(of: podcast.id), choice.orders(of: podcast.id), choice.hiddenFields
        )
        values["about"] = (channel.description ?? channel.summary).map(SafeHTML.of)
        values["website"] = channel.link.flatMap { WebURL($0) }?.text
        values["next"] = ExpectedEpisode(of: podcast, now: context.time)?.words(now: context.time)
        values["feedURL"] = podcast.feedURL
        values["trouble"] = health.needsAttention ? health.why(podcast, now: context.time) ?? health.word : nil
        values["explanation"] = ExplainView(podcast, host: host, now: context.time).text(now: context.time)
        values["ownTitle"] = podcast.settings.title ?? ""
        values["ownTags"] = podcast.settings.tags.joined(separator: ", ")
        values["transcriptChoices"] = [("", "as set for all"), ("on", "on"), ("off", "off")].map { value, name in
            let now = podcast.settings.transcripts.map { $0 ? "on" : "off" } ?? ""
            return ["value": value, "name": name, "isHere": value == now] as Values
        }
        values["here"] = here
        values["speed"] = podcast.settings.speed.map { plain($0) }
        values["skipIntro"] = podcast.settings.skipIntro.map { plain($0) }
        values["skipOutro"] = podcast.settings.skipOutro.map { plain($0) }
        values["hasNew"] =
            !(try await library.newestFirst("is:new", podcast: podcast.id, range: 0..<1, now: context.time).isEmpty)
        return site.page("podcast", title: podcast.displayTitle.oneLine, section: "Podcasts", values)
    }

    private func requestedPodcast(_ context: SiteContext) async throws -> Podcast {
        guard let podcast = try await site.reader.podcasts.podcast(try context.podcastID()) else { throw HTTPError(.notFound) }
        return podcast
    }

    func chart(_ request: Request, _ context: SiteContext) async throws -> Response {
        let podcast = try await requestedPodcast(context)
        let activity = try await site.reader.measureActivity(of: podcast.id, weeks: 26, now: context.time)
        return .chart(ChartView(activity).svg)
    }

    func change(_ request: Request, _ context: SiteContext) async throws -> Response {
        let podcast = try await requestedPodcast(context)
        let form = try await request.form()
        let library = site.writer
        switch form["do"] {
        case "settings":
            let (title, transcripts, isPaused) = (form["title"], form["transcripts"], form.has("paused"))
            let tags = (form["tags"] ?? "").split(separator: ",").map { String($0).oneLine }.filter { !$0.isEmpty }
            let speed = try form.number("speed", in: 0.25...4)
            let skipIntro = try form.number("skipIntro", in: 0...3_600)
            let skipOutro = try form.number("skipOutro", in: 0...3_600)
            let changes = EditPodcast.Changes { settings in
                (settings.title, settings.tags, settings.isPaused) = (title, tags, isPaused)
                settings.speed = speed == 1 ? nil : speed
                settings.skipIntro = skipIntro == 0 ? nil : skipIntro
                settings.skipOutro = skipOutro == 0 ? nil : skipOutro
                settings.transcripts = transcripts.map { $0 == "on" }
            }
            _ = try await library.edit(podcast, changes, now: context.time)
        case "seen": _ = try await library.tag.markSeen(of: podcast.id, undoableAt: context.time)
        case "refresh": await site.refresh("--force", podcast.id.text)
        case "unsubscribe":
            try await library.unsubscribe([podcast], keepingEpisodes: false, now: context.time)
            return .see("/podcasts")
        default: throw HTTPError(.badRequest)
        }
        return .see(form.back ?? "/podcasts/\(podcast.id.text)")
    }
}

extension Response {
    /// A chart as a response. The drawing may use its own style and do nothing else.
    static func chart(_ svg: String) -> Response {
        .text(
            svg, type: "image/svg+xml; charset=utf-8",
            headers: ["Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"])
    }
}

extension Podcast {
    /// When its server was last asked, whatever came of it; charts show that.
    var lastAskedAt: Timestamp? { fetch.answers.first?.at }
}
