import Composition
import Domain
import Hummingbird
import Presentation
import ServiceLifecycle

/// Asks the hubs that feeds name to say when a feed changes, and renews what they promised, until the server stops.
struct Pings: Service {
    let site: Site
    let publicURL: WebURL
    private static let interval = Duration.seconds(60)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var known: [PodcastID: (revision: Int, link: HubLink?)] = [:]
            while !Task.isCancelled {
                try? await askHubs(&known)
                try await Task.sleep(for: Self.interval)
            }
        }
    }

    private struct HubLink: Sendable {
        var hub: String
        var topic: String
    }

    /// Feeds are looked at again only when they have changed.
    private func askHubs(_ known: inout [PodcastID: (revision: Int, link: HubLink?)]) async throws {
        for podcast in try await site.reader.fetchPodcasts() {
            if known[podcast.id]?.revision != podcast.contentRevision {
                let channel = try await site.reader.episodes.channel(of: podcast.id)
                let hub = channel?.hubs.lazy.compactMap { WebURL($0)?.text }.first
                let topic = channel?.feedURL.flatMap { WebURL($0)?.text } ?? podcast.feedURL
                known[podcast.id] = (podcast.contentRevision, hub.map { HubLink(hub: $0, topic: topic) })
            }
            guard let link = known[podcast.id]?.link, !podcast.settings.isPaused, podcast.credentials == nil else { continue }
            let now = Timestamp.now
            let wanted = await site.pings.request(for: podcast.id, hub: link.hub, topic: link.topic, now: now)
            if let wanted { _ = await site.feeds.send(form(wanted), to: wanted.hub) }
            try await site.heedHub(of: podcast, now: now)
        }
    }

    private func form(_ wanted: PingSubscription) -> String {
        let root = publicURL.text.hasSuffix("/") ? String(publicURL.text.dropLast()) : publicURL.text
        let fields = [
            ("hub.callback", "\(root)/websub/\(wanted.token)"), ("hub.mode", "subscribe"), ("hub.topic", wanted.topic),
            ("hub.lease_seconds", String(PingStore.lease)), ("hub.secret", wanted.secret),
        ]
        return fields.map { "\($0.0)=\(Form.encoded($0.1))" }.joined(separator: "&")
    }
}

extension Site {
    /// Feeds whose hubs keep their word are asked less often.
    func heedHub(of podcast: Podcast, now: Timestamp) async throws {
        let until = await pings.countsOn(podcast, now: now)
        _ = try await writer.podcasts.change(podcast) { podcast in
            var podcast = podcast
            HubRule.apply(until, to: &podcast, now: now)
            return podcast
        }
    }

    /// A hub says that the feed changed.
    func refreshAsPinged(_ id: PodcastID) async {
        await refresh(id.text)
        guard let podcast = try? await reader.podcasts.podcast(id) else { return }
        try? await heedHub(of: podcast, now: .now)
    }
}

/// What hubs send: whether we meant it, and that a feed changed.
struct PingRequests {
    let site: Site

    func add(to router: Router<SiteContext>) {
        router.get("/websub/:token", use: verify)
        router.post("/websub/:token", use: ping)
    }

    func verify(_ request: Request, _ context: SiteContext) async throws -> Response {
        let (token, form) = (try context.part("token"), request.query)
        guard let mode = form["hub.mode"], let topic = form["hub.topic"], let podcast = await site.pings.podcast(of: token) else {
            throw HTTPError(.notFound)
        }
        let isWanted = try await site.reader.podcasts.podcast(podcast) != nil
        let isMeant = await site.pings.verify(
            token: token, mode: mode, topic: topic, seconds: form["hub.lease_seconds"].flatMap { Int64($0) }, now: context.time,
            isWanted: isWanted)
        guard isMeant else { throw HTTPError(.notFound) }
        return .text(form["hub.challenge"] ?? "", type: "text/plain; charset=utf-8")
    }

    /// What a hub sends along is not trusted: the feed is fetched, by the usual rules. The answer tells nobody whether the
    /// signature was right.
    func ping(_ request: Request, _ context: SiteContext) async throws -> Response {
        let token = try context.part("token")
        guard await site.pings.podcast(of: token) != nil else { throw HTTPError(.notFound) }
        let body = [UInt8](buffer: try await request.body.collect(upTo: 16 << 20))
        let podcast = await site.pings.ping(
            token: token, body: body, signature: request.header("X-Hub-Signature"), now: context.time)
        if let podcast { Task { await site.refreshAsPinged(podcast) } }
        return Response(status: .accepted)
    }
}
