import Composition
import Domain
import FoundationEssentials
import Hummingbird
import Presentation

/// The protocols of podcast apps: gPodder API v2 (https://gpoddernet.readthedocs.io) and the four endpoints of
/// Nextcloud's gpoddersync. Many addresses contain a user name; this server has one user, and accepts any name.
struct PodderAPI {
    let site: Site

    func add(to router: Router<SiteContext>) {
        router.post("/api/2/auth/:user/login.json", use: login)
        router.post("/api/2/auth/:user/logout.json", use: logout)
        router.get("/api/2/devices/{user}.json", use: devices)
        router.post("/api/2/devices/:user/{device}.json", use: setDevice)
        router.get("/api/2/subscriptions/:user/{device}.json", use: changes)
        router.post("/api/2/subscriptions/:user/{device}.json", use: change)
        router.get("/api/2/episodes/{user}.json", use: actions)
        router.post("/api/2/episodes/{user}.json", use: addActions)
        router.get("/api/2/updates/:user/{device}.json", use: updates)
        router.get("/api/2/settings/:user/{scope}.json", use: settings)
        router.post("/api/2/settings/:user/{scope}.json", use: changeSettings)
        router.get("/api/2/favorites/{user}.json", use: favorites)
        router.get("/search.json", use: search)
        for format in ListFormat.allCases {
            let show: @Sendable (Request, SiteContext) async throws -> Response = { try await list(as: format, $0, $1) }
            router.get("/subscriptions/{user}.\(format.rawValue)", use: show)
            router.get("/subscriptions/:user/{device}.\(format.rawValue)", use: show)
            router.put("/subscriptions/:user/{device}.\(format.rawValue)") { try await replace(from: format, $0, $1) }
        }
        let sync = router.group("/index.php/apps/gpoddersync")
        sync.get("/subscriptions", use: changes)
        sync.post("/subscription_change/create", use: change)
        sync.get("/episode_action", use: actions)
        sync.post("/episode_action/create", use: addActions)
    }

    // MARK: Signing in

    /// Confirms that an app is signed in; `SignedIn` gives it a cookie.
    func login(_ request: Request, _ context: SiteContext) -> Response { .json("{}") }

    func logout(_ request: Request, _ context: SiteContext) async throws -> Response {
        if let token = request.cookies[Sessions.cookie]?.value { await site.sessions.signOut(token) }
        var response = Response.json("{}")
        response.setCookie(Cookie(name: Sessions.cookie, value: "", maxAge: 0, path: "/", httpOnly: true, sameSite: .lax))
        return response
    }

    // MARK: Devices

    private struct DeviceRow: Encodable {
        var id, caption, type: String
        var subscriptions: Int
    }

    private struct DeviceChange: Decodable {
        var caption, type: String?
    }

    func devices(_ request: Request, _ context: SiteContext) async throws -> Response {
        let count = try await site.apps.subscriptions().count
        let rows = await site.apps.devices.sorted { $0.key < $1.key }.map {
            DeviceRow(id: $0.key, caption: $0.value.caption, type: $0.value.type, subscriptions: count)
        }
        return try .encoded(rows)
    }

    func setDevice(_ request: Request, _ context: SiteContext) async throws -> Response {
        let change = try await request.decodedOrEmpty(DeviceChange.self) ?? DeviceChange()
        try await site.apps.setDevice(try device(context), caption: change.caption, type: change.type)
        return .json("{}")
    }

    private func device(_ context: SiteContext) throws -> String {
        let name = try context.part("device")
        guard name.utf8.count <= 128 else { throw HTTPError(.badRequest) }
        return name
    }

    // MARK: Subscriptions

    private struct Changes: Codable {
        var add: [String]?
        var remove: [String]?
        var timestamp: Int64?
        var update_urls: [[String]]?
    }

    func changes(_ request: Request, _ context: SiteContext) async throws -> Response {
        let changes = try await site.apps.subscriptionChanges(since: since(request), now: context.time)
        return try .encoded(Changes(add: changes.added, remove: changes.removed, timestamp: changes.time))
    }

    func change(_ request: Request, _ context: SiteContext) async throws -> Response {
        let change = try await request.decoded(Changes.self)
        let (add, remove) = (change.add ?? [], change.remove ?? [])
        guard Set(add).isDisjoint(with: remove) else {
            throw HTTPError(.badRequest, message: "an address is both added and removed")
        }
        let result = try await site.apps.changeSubscriptions(add: add, remove: remove, now: context.time)
        return try .encoded(Changes(timestamp: result.time, update_urls: result.rewritten.map { [$0.from, $0.to] }))
    }

    private enum ListFormat: String, CaseIterable {
        case json, txt, opml
    }

    private func list(as format: ListFormat, _ request: Request, _ context: SiteContext) async throws -> Response {
        let podcasts = try await site.apps.subscriptions()
        switch format {
        case .json: return try .encoded(podcasts.map(\.feedURL))
        case .txt: return .text(podcasts.map { $0.feedURL + "\n" }.joined(), type: "text/plain; charset=utf-8")
        case .opml: return .text(OPMLDocument(podcasts).text, type: "text/x-opml; charset=utf-8")
        }
    }

    private func replace(from format: ListFormat, _ request: Request, _ context: SiteContext) async throws -> Response {
        let urls: [String]
        switch format {
        case .json: urls = try await request.decoded([String].self)
        case .txt:
            let text = String(buffer: try await request.body.collect(upTo: Request.maxJSON))
            urls = text.split(whereSeparator: \.isNewline).map(String.init)
        case .opml:
            let bytes = [UInt8](buffer: try await request.body.collect(upTo: Request.maxJSON))
            urls = try OpenLibrary.feedURLs(inList: bytes)
        }
        try await site.apps.replaceSubscriptions(of: try device(context), with: urls, now: context.time)
        return .text("", type: "text/plain; charset=utf-8")
    }

    // MARK: Episode actions

    private struct Actions: Encodable {
        var actions: [EpisodeAction]
        var timestamp: Int64
    }

    private struct Added: Encodable {
        var timestamp: Int64
        var update_urls: [[String]] = []
    }

    func actions(_ request: Request, _ context: SiteContext) async throws -> Response {
        var result = try await site.apps.actions(since: since(request), podcast: request.query["podcast"], now: context.time)
        if request.query["aggregated"] == "true" {
            var last: [String: EpisodeAction] = [:]
            for action in result.actions { last[action.podcast + " " + action.episode] = action }
            result.actions = last.values.sorted { ($0.arrived ?? 0) < ($1.arrived ?? 0) }
        }
        for index in result.actions.indices { result.actions[index].arrived = nil }
        return try .encoded(Actions(actions: result.actions, timestamp: result.time))
    }

    func addActions(_ request: Request, _ context: SiteContext) async throws -> Response {
        let actions = try await request.decoded([EpisodeAction].self)
        guard actions.count <= 10_000, actions.allSatisfy(\.isValid) else {
            throw HTTPError(.badRequest, message: "no such action")
        }
        return try .encoded(Added(timestamp: try await site.apps.add(actions, now: context.time)))
    }

    func since(_ request: Request) -> Int64 { request.query["since"].flatMap { Int64($0) } ?? 0 }
}

extension Request {
    static let maxJSON = 4 << 20

    /// - Throws: `HTTPError` if the body is not the expected JSON.
    func decoded<Value: Decodable>(_ type: Value.Type) async throws -> Value {
        guard let value = try await decodedOrEmpty(type) else {
            throw HTTPError(.badRequest, message: "the body is empty")
        }
        return value
    }

    /// nil if the body is empty.
    ///
    /// - Throws: `HTTPError` if the body is not the expected JSON.
    func decodedOrEmpty<Value: Decodable>(_ type: Value.Type) async throws -> Value? {
        let bytes = [UInt8](buffer: try await body.collect(upTo: Self.maxJSON))
        if bytes.isEmpty { return nil }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw HTTPError(.badRequest, message: "the body is not the expected JSON")
        }
    }
}

extension Response {
    static func encoded(_ value: some Encodable) throws -> Response {
        .json(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
    }
}
