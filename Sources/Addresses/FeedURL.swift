/// A feed's address as people type, paste or click it, in the normalized form that is stored and fetched.
///
/// Accepts `feed:`, `pcast:`, `podcast:` and `itpc:` before a host (meaning http) or before a whole URL, addresses
/// without a scheme, and `file:` for a feed on this machine.
public struct FeedURL: Equatable, Sendable {
    /// The URL to fetch, without user and password: `http:`, `https:` or `file:`.
    public let url: String
    public var credentials: Credentials?
    /// Scheme, host and port: the unit of politeness limits and credentials.
    public let hostKey: String

    public init(_ web: WebURL) {
        url = web.text
        credentials = web.credentials
        hostKey = web.hostKey
    }

    /// nil if the text cannot be the address of a feed.
    public static func parse(_ text: String) -> FeedURL? {
        let address = trimmed(text)
        guard let colon = address.firstIndex(of: ":") else { return withoutScheme(address) }
        let scheme = address[..<colon].lowercased()
        let afterColon = address[address.index(after: colon)...]
        switch scheme {
        case "http", "https":
            return WebURL(String(address)).map(FeedURL.init)
        case "file":
            return fileURL(afterColon)
        case "feed", "pcast", "podcast", "itpc":
            let inner = afterColon.drop { $0 == "/" }
            let lower = inner.lowercased()
            if lower.hasPrefix("http:") || lower.hasPrefix("https:") { return WebURL(String(inner)).map(FeedURL.init) }
            // `feed:file:///…` is refused: only http and https may follow.
            if let colon = inner.firstIndex(of: ":"), inner[colon...].hasPrefix(":/") { return nil }
            return inner.isEmpty ? nil : WebURL("http://" + inner).map(FeedURL.init)
        default:
            // `host:8080/path` and `user:password@host` look like schemes, but are followed by a port or a login.
            let port = afterColon.prefix { $0 != "/" && $0 != "?" }
            let isPort = !port.isEmpty && port.utf8.allSatisfy { (48...57).contains($0) }
            return isPort || port.contains("@") && scheme != "mailto" ? withoutScheme(address) : nil
        }
    }

    /// The same address over http, if it was typed without a scheme and https was assumed; nil otherwise.
    public static func overHTTP(_ text: String) -> FeedURL? {
        guard parse(text)?.url.hasPrefix("https:") == true else { return nil }
        let address = trimmed(text)
        return URLReference.isWeb(String(address)) ? nil : WebURL("http://" + address).map(FeedURL.init)
    }

    /// The feed in a local file. `path` is absolute.
    public static func file(path: String) -> FeedURL? {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else { return nil }
        return FeedURL(file: PercentEscapes.escaping(path: path))
    }

    /// The path of a `file:` URL; nil for other URLs.
    public static func filePath(_ url: String) -> String? {
        url.hasPrefix("file:///") ? PercentEscapes.removing(from: url.utf8.dropFirst(7)) : nil
    }

    private init(file path: String) {
        url = "file://" + path
        credentials = nil
        hostKey = "file://"
    }

    private static func fileURL(_ afterColon: Substring) -> FeedURL? {
        var path = afterColon
        for prefix in ["//localhost/", "///"] where path.lowercased().hasPrefix(prefix) {
            path = path.dropFirst(prefix.count - 1)
        }
        guard path.hasPrefix("/"), !path.hasPrefix("//") else { return nil }
        return file(path: PercentEscapes.removing(from: path.utf8))
    }

    /// https for host names; http for IP addresses and explicit ports, which rarely have a certificate.
    private static func withoutScheme(_ address: Substring) -> FeedURL? {
        guard let https = WebURL("https://" + address) else { return nil }
        let isName = https.host.contains(".") && https.host.utf8.contains { (97...122).contains($0) }
        guard isName || https.host == "localhost" || https.host.utf8.contains(46) || https.host.hasPrefix("[") else { return nil }
        return isName && https.port == nil ? FeedURL(https) : WebURL("http://" + address).map(FeedURL.init)
    }

    private static func trimmed(_ text: String) -> Substring {
        let isSpace: (Character) -> Bool = { $0.isWhitespace || $0 == "\u{FEFF}" }
        var trimmed = text.drop(while: isSpace)
        while let last = trimmed.last, isSpace(last) { trimmed.removeLast() }
        if trimmed.hasPrefix("<"), trimmed.hasSuffix(">") { trimmed = trimmed.dropFirst().dropLast() }
        return trimmed
    }
}
