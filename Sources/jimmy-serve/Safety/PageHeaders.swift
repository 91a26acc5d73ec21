import Hummingbird

/// The headers of every response. Pages can run only our own script and show only our own pictures, and reveal nothing
/// to other sites.
struct PageHeaders: RouterMiddleware {
    /// Audio may come from the publishers' servers; everything else comes from this server.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "media-src 'self' http: https:", "manifest-src 'self'", "form-action 'self'", "base-uri 'none'",
        "frame-ancestors 'none'",
    ].joined(separator: "; ")

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        // A response may have a stricter policy.
        if response.headers[.contentSecurityPolicy] == nil { response.headers[.contentSecurityPolicy] = Self.policy }
        response.headers.set("X-Content-Type-Options", "nosniff")
        response.headers.set("Referrer-Policy", "no-referrer")
        response.headers.set("Cross-Origin-Opener-Policy", "same-origin")
        response.headers.set("Cross-Origin-Resource-Policy", "same-origin")
        response.headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "private, no-cache" }
        // The response to HEAD never has a body, not even that of an error (RFC 9110, section 9.3.2).
        return request.method == .head ? response.createHeadResponse() : response
    }
}
