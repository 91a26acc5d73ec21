import Domain
import Hummingbird
import Presentation

/// Nextcloud's login flow, version 2: an app gets a token of its own when the owner, signed in in a browser, allows it
/// there. Nothing has to be typed.
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

    /// True for the requests that an app makes before it has signed in.
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

/// Sign-ins begun by apps. They expire after twenty minutes, or when the process ends.
actor AppLogins {
    struct Login: Sendable {
        /// The app's name for itself.
        let name: String
        /// Known only to the app.
        let poll = Token.make()
        /// Known to the browser as well.
        let flow = Token.make()
        let until: Timestamp
        var token: String?
    }

    private static let seconds: Int64 = 1_200
    /// Number of sign-ins at a time, more than honest use needs; beyond it the oldest is dropped.
    private static let maxLogins = 32
    private var logins: [Login] = []

    func begin(named name: String, now: Timestamp) -> Login {
        let login = Login(name: name, until: now + Self.seconds)
        logins = (logins.filter { $0.until > now } + [login]).suffix(Self.maxLogins)
        return login
    }

    /// The name of the app; nil if no such sign-in is waiting.
    func name(of flow: String, now: Timestamp) -> String? {
        logins.first { $0.flow == flow && $0.token == nil && $0.until > now }?.name
    }

    func grant(_ flow: String, _ token: String) {
        if let index = logins.firstIndex(where: { $0.flow == flow }) { logins[index].token = token }
    }

    /// Returns the token and removes the sign-in.
    func take(_ poll: String, now: Timestamp) -> String? {
        guard let index = logins.firstIndex(where: { $0.poll == poll && $0.until > now }), let token = logins[index].token
        else { return nil }
        logins.remove(at: index)
        return token
    }
}
