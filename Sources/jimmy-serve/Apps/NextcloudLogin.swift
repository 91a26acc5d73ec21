import Domain
import Hummingbird
import Presentation

/// Nextcloud's login flow, version 2: an app gets a token of its own when the owner allows it in a browser, where they are
/// signed in, and types nothing.
///
/// ```
/// app ─▶ begin ─▶ browser ─▶ show ─▶ allow
///  └────▶ poll, again and again ─────────┴─▶ the token, once
/// ```
struct NextcloudLogin {
    let site: Site
    private static let root = "/index.php/login/v2"

    func add(to router: Router<SiteContext>) {
        router.post("/index.php/login/v2", use: begin)
        router.post("/index.php/login/v2/poll", use: poll)
        router.get("/index.php/login/v2/flow/:flow", use: show)
        router.post("/index.php/login/v2/flow/:flow", use: allow)
    }

    /// What apps ask before they may come in.
    static func isPublic(_ path: String) -> Bool { path == root || path == root + "/poll" }

    private struct Begun: Encodable {
        struct Poll: Encodable {
            var token, endpoint: String
        }

        var poll: Poll
        var login: String
    }

    private struct Granted: Encodable {
        var server, loginName, appPassword: String
    }

    func begin(_ request: Request, _ context: SiteContext) async throws -> Response {
        let name = (request.header("User-Agent") ?? "").oneLine.prefix(80)
        let login = await site.appLogins.begin(named: name.isEmpty ? "app" : String(name), now: context.time)
        let root = site.ownURL(request) + Self.root
        return try .encoded(Begun(poll: .init(token: login.poll, endpoint: root + "/poll"), login: "\(root)/flow/\(login.flow)"))
    }

    func poll(_ request: Request, _ context: SiteContext) async throws -> Response {
        guard let poll = try await request.form()["token"], let token = await site.appLogins.take(poll, now: context.time) else {
            throw HTTPError(.notFound)
        }
        return try .encoded(Granted(server: site.ownURL(request), loginName: "jimmy", appPassword: token))
    }

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        guard let name = await site.appLogins.name(of: try context.part("flow"), now: context.time) else {
            throw HTTPError(.notFound)
        }
        return site.page("allow", title: "Allow an app", ["name": name])
    }

    func allow(_ request: Request, _ context: SiteContext) async throws -> Response {
        let flow = try context.part("flow")
        guard let name = await site.appLogins.name(of: flow, now: context.time) else { throw HTTPError(.notFound) }
        guard let token = await site.sessions.add(.app, named: name, now: context.time) else {
            throw HTTPError(.internalServerError)
        }
        await site.appLogins.grant(flow, token)
        return site.page(
            "message", title: "Allowed", ["heading": "The app is signed in", "next": "/apps", "nextName": "Apps and feeds"])
    }
}

/// Sign-ins that apps have begun. They end after twenty minutes, and with the process.
actor AppLogins {
    struct Login: Sendable {
        /// What the app calls itself.
        let name: String
        /// Known to the app alone.
        let poll = Token.make()
        /// Known to the browser too.
        let flow = Token.make()
        let until: Timestamp
        var token: String?
    }

    private static let seconds: Int64 = 1_200
    /// More are begun by nobody in good faith; the oldest ends.
    private static let most = 32
    private var logins: [Login] = []

    func begin(named name: String, now: Timestamp) -> Login {
        let login = Login(name: name, until: now + Self.seconds)
        logins = (logins.filter { $0.until > now } + [login]).suffix(Self.most)
        return login
    }

    /// nil if there is no such sign-in that waits.
    func name(of flow: String, now: Timestamp) -> String? {
        logins.first { $0.flow == flow && $0.token == nil && $0.until > now }?.name
    }

    func grant(_ flow: String, _ token: String) {
        if let place = logins.firstIndex(where: { $0.flow == flow }) { logins[place].token = token }
    }

    /// The token, once.
    func take(_ poll: String, now: Timestamp) -> String? {
        guard let place = logins.firstIndex(where: { $0.poll == poll && $0.until > now }), let token = logins[place].token
        else { return nil }
        logins.remove(at: place)
        return token
    }
}
