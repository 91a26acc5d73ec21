import Addresses
import Composition
import Domain
import Hummingbird
import Presentation
import Scheduling
import ServiceLifecycle
import UseCases

/// Subscribes to changes at the hubs that feeds name, and renews the subscriptions, until the server stops.
struct Pings: Service {
    let site: Site
    let publicURL: WebURL
    private static let interval = Duration.seconds(60)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var links: [PodcastID: (revision: Int, link: HubLink?)] = [:]
            while !Task.isCancelled {
                try? await askHubs(&links)
                try await Task.sleep(for: Self.interval)
            }
        }
    }

    private struct HubLink: Sendable {
        var hub: String
        var topic: String
    }

    /// Asks the hubs. A feed's channel is read again only after its content has changed.
    private func askHubs(_ links: inout [PodcastID: (revision: Int, link: HubLink?)]) async throws {
        for podcast in try await site.reader.fetchPodcasts() {
            if links[podcast.id]?.revision != podcast.contentRevision {
                let channel = try await site.reader.episodes.channel(of: podcast.id)
                let hub = channel?.hubs.lazy.compactMap { WebURL($0)?.text }.first
                let topic = channel?.feedURL.flatMap { WebURL($0)?.text } ?? podcast.feedURL
                links[podcast.id] = (podcast.contentRevision, hub.map { HubLink(hub: $0, topic: topic) })
            }
            guard let link = links[podcast.id]?.link, !podcast.settings.isPaused, podcast.credentials == nil else { continue }
            let now = Timestamp.now
            let subscription = await site.pings.request(for: podcast.id, hub: link.hub, topic: link.topic, now: now)
            if let subscription { _ = await site.feeds.send(form(subscription), to: subscription.hub) }
            try await site.heedHub(of: podcast, now: now)
        }
    }

    private func form(_ subscription: HubSubscription) -> String {
        let root = publicURL.text.hasSuffix("/") ? String(publicURL.text.dropLast()) : publicURL.text
        let fields = [
            ("hub.callback", "\(root)/websub/\(subscription.token)"), ("hub.mode", "subscribe"),
            ("hub.topic", subscription.topic),
            ("hub.lease_seconds", String(HubSubscription.wantedLease)), ("hub.secret", subscription.secret),
        ]
        return fields.map { "\($0.0)=\(Form.encoded($0.1))" }.joined(separator: "&")
    }
}

extension Site {
    /// Lengthens the interval between fetches of a feed whose hub is reliable.
    func heedHub(of podcast: Podcast, now: Timestamp) async throws {
        let until = await pings.reliance(on: podcast, now: now)
        _ = try await writer.podcasts.change(podcast) { podcast in
            var podcast = podcast
            HubRule.apply(until, to: &podcast, now: now)
            return podcast
        }
    }

    /// Fetches a feed after a hub has reported a change.
    func refreshAsPinged(_ id: PodcastID) async {
        await refresh(id.text)
        guard let podcast = try? await reader.podcasts.podcast(id) else { return }
        try? await heedHub(of: podcast, now: .now)
    }
}

/// The requests of hubs: verifications, and messages that a feed has changed.
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

    /// Fetches the feed by the usual rules; the hub's own content is not trusted. The response does not reveal whether
    /// the signature was valid.
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
