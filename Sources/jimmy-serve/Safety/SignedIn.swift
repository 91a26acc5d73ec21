import Addresses
import Composition
import Domain
import Hummingbird

/// Checks authorization: browsers by a session's cookie, apps by a token. `isPublic` lists what needs neither.
struct SignedIn: RouterMiddleware {
    let site: Site

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        if site.sessions.isOpen || isPublic(request.uri.path) { return try await next(request, context) }
        if let token = request.cookies[Sessions.cookie]?.value,
            await site.sessions.isValid(token, as: [.browser, .app], now: .now)
        {
            return try await next(request, context)
        }
        if let (_, token) = request.basicCredentials, await site.sessions.isValid(token, as: [.app], now: .now) {
            var response = try await next(request, context)
            // mygpoclient sends its password only after a refusal, and gives up after three; a cookie saves both. It is
            // the app's own token, so that it ends when that is withdrawn.
            response.setCookie(
                Cookie(
                    name: Sessions.cookie, value: token, maxAge: 86_400, path: "/",
                    secure: site.options.publicURL?.scheme == "https", httpOnly: true, sameSite: .lax))
            return response
        }
        if request.method == .get, request.header("Accept")?.contains("text/html") ?? false {
            return .see("/login?back=" + Form.encoded(request.uri.string))
        }
        var response = Response.text("Sign in first.\n", type: "text/plain; charset=utf-8", status: .unauthorized)
        response.headers.set("WWW-Authenticate", "Basic realm=\"jimmy\", charset=\"UTF-8\"")
        return response
    }

    /// What a browser needs to show the login, or that there is no connection.
    private static let parts: Set = ["/favicon.svg", "/icon-192.png", "/icon-512.png", "/manifest.webmanifest", "/worker.js"]

    /// Feeds and pings have a token in their address, which their handlers check.
    private func isPublic(_ path: String) -> Bool {
        path == "/login" || path == "/healthz" || Self.parts.contains(path) || path.hasPrefix("/assets/")
            || path.hasPrefix("/feeds/")
            || path.hasPrefix("/websub/") || NextcloudLogin.isPublic(path)
    }
}

extension Request {
    /// User and password of Basic authentication (RFC 7617).
    var basicCredentials: (user: String, password: String)? {
        guard let header = headers[.authorization], header.prefix(6).lowercased() == "basic ",
            let bytes = Base64.decoded(header.dropFirst(6)), let text = String(validating: bytes, as: UTF8.self),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}

/// RFC 4648, section 4.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// nil if a character is not in the alphabet.
    static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        var (bytes, bits, count) = ([UInt8](), UInt32(0), 0)
        for byte in text.utf8 where byte != UInt8(ascii: "=") && byte != UInt8(ascii: " ") {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}
