import Addresses
import Domain
import Hummingbird

/// Refuses requests that other sites make a browser send: writes that do not come from our own pages, and any request
/// under a host name that is not ours, which another site may have pointed at this machine (DNS rebinding).
struct SameOrigin: RouterMiddleware {
    let site: Site

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        let host = request.head.authority ?? request.header("Host") ?? ""
        guard isOurs(host) else {
            return .text(
                "This server is not \(host.prefix(100)).\n", type: "text/plain; charset=utf-8", status: .misdirectedRequest)
        }
        let isRead = request.method == .get || request.method == .head || request.method == .options
        guard isRead || isSameOrigin(request, host) else {
            return .text("Forms of other sites are refused.\n", type: "text/plain; charset=utf-8", status: .forbidden)
        }
        return try await next(request, context)
    }

    /// If there is a password, any name is accepted, because a session's cookie is bound to one name.
    private func isOurs(_ host: String) -> Bool {
        guard let name = WebURL("http://\(host)/")?.host else { return false }
        if name == "[::1]" || ListenAddress.isLoopback(name) || name == site.options.publicURL?.host { return true }
        return !site.sessions.isOpen
    }

    /// Browsers state where a request comes from. Other programs are accepted: they send no cookies that they were not
    /// given.
    private func isSameOrigin(_ request: Request, _ host: String) -> Bool {
        if let fetch = request.header("Sec-Fetch-Site") { return fetch == "same-origin" || fetch == "none" }
        guard let origin = request.header("Origin") else { return true }
        guard let origin = WebURL(origin) else { return false }
        return origin.hostKey == WebURL("\(origin.scheme)://\(host)/")?.hostKey
            || origin.hostKey == site.options.publicURL?.hostKey
    }
}
