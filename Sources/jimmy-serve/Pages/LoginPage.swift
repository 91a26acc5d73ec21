import Addresses
import Composition
import Domain
import Hummingbird
import Presentation

/// Signing in and out, and the list of apps and feeds with tokens of their own.
struct LoginPage {
    let site: Site

    func show(_ request: Request, _ context: SiteContext) -> Response {
        if site.sessions.isOpen { return .see("/") }
        return site.page("login", title: "Sign in", ["back": request.query.back ?? "/", "isSigningIn": true])
    }

    func signIn(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = try await request.form()
        let result = await site.sessions.signIn(
            password: form["password"] ?? "", from: site.address(of: request, context), now: context.time)
        switch result {
        case .signedIn(let token):
            var response = Response.see(form.back ?? "/")
            response.setCookie(
                Cookie(
                    name: Sessions.cookie, value: token, maxAge: Int(Sessions.browserSeconds), path: "/",
                    secure: site.options.publicURL?.scheme == "https", httpOnly: true, sameSite: .lax))
            return response
        case .wrong, .wait:
            let isWrong = if case .wrong = result { true } else { false }
            return site.page(
                "login", title: "Sign in",
                [
                    "back": form.back ?? "/", "isSigningIn": true,
                    "failure": isWrong ? "The password is wrong." : "Too many attempts; wait a quarter of an hour.",
                ], status: isWrong ? .forbidden : .tooManyRequests)
        }
    }

    func signOut(_ request: Request, _ context: SiteContext) async throws -> Response {
        if let token = request.cookies[Sessions.cookie]?.value { await site.sessions.signOut(token) }
        var response = Response.see("/login")
        response.setCookie(Cookie(name: Sessions.cookie, value: "", maxAge: 0, path: "/", httpOnly: true, sameSite: .lax))
        return response
    }

    func showApps(_ request: Request, _ context: SiteContext) async throws -> Response {
        try await apps(request, token: nil, kind: .app)
    }

    func changeApps(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = try await request.form()
        if let digest = form["withdraw"] {
            await site.sessions.withdraw(digest: digest)
            return .see("/apps")
        }
        let kind: SignIn.Kind = form["kind"] == "feed" ? .feed : .app
        let name = String((form["name"] ?? (kind == .feed ? "feeds" : "app")).oneLine.prefix(80))
        return try await apps(request, token: await site.sessions.add(kind, named: name, now: context.time), kind: kind)
    }

    private func apps(_ request: Request, token: String?, kind: SignIn.Kind) async throws -> Response {
        var values: Values = [
            "signIns": await site.sessions.listed.map { signIn -> Values in
                [
                    "name": signIn.name, "digest": signIn.digest, "isFeed": signIn.kind == .feed,
                    "since": signIn.since.localDateAndTime,
                ]
            },
            "server": site.ownURL(request),
        ]
        if let token { values[kind == .feed ? "feedToken" : "appToken"] = token }
        return site.page("apps", title: "Apps and feeds", values)
    }
}

extension Site {
    /// The client's address: the one reported by the proxy, if the proxy is trusted.
    func address(of request: Request, _ context: SiteContext) -> String {
        guard options.trustedProxies.contains(context.peer), let header = request.header("X-Forwarded-For"),
            let last = header.split(separator: ",").last
        else { return context.peer }
        return String(last.filter { !$0.isWhitespace })
    }

    /// The URL of this server as seen from outside, without a slash at its end.
    func ownURL(_ request: Request) -> String {
        if let url = options.publicURL { return String(url.text.dropLast(url.text.hasSuffix("/") ? 1 : 0)) }
        return "http://" + (request.head.authority ?? request.header("Host") ?? options.listen.description)
    }
}
