/// A feed's address as people type, paste and click it, brought to the one form in which it is kept and fetched.
///
/// Reads `feed:`, `pcast:`, `podcast:` and `itpc:` before a host (then http is meant) or before a whole URL,
/// addresses without a scheme, and `file:` for a feed on this machine.
public struct FeedURL: Hashable, Sendable {
    /// The URL to fetch, without user and password: `http:`, `https:` or `file:`.
    public let url: String
    public let credentials: Credentials?
    /// Scheme, host and port: the server whose patience is limited, and to which credentials belong.
    public let hostKey: String

    public init(_ web: WebURL) {
        url = web.text
        credentials = web.credentials
        hostKey = web.hostKey
    }

    /// nil where the text can be no feed's address.
    public static func parse(_ text: String) -> FeedURL? {
        let address = trimmed(text)
        guard let colon = address.firstIndex(of: ":") else { return withoutScheme(address) }
        let scheme = address[..<colon].lowercased()
        let rest = address[address.index(after: colon)...]
        switch scheme {
        case "http", "https":
            return WebURL(String(address)).map(FeedURL.init)
        case "file":
            return fileURL(rest)
        case "feed", "pcast", "podcast", "itpc":
            let inner = rest.drop { $0 == "/" }
            let lower = inner.lowercased()
            if lower.hasPrefix("http:") || lower.hasPrefix("https:") { return WebURL(String(inner)).map(FeedURL.init) }
            // `feed:file:///…`: another scheme stands behind the form.
            if let colon = inner.firstIndex(of: ":"), inner[colon...].hasPrefix(":/") { return nil }
            return inner.isEmpty ? nil : WebURL("http://" + inner).map(FeedURL.init)
        default:
            // `host:8080/path` and `user:password@host` look like schemes, but digits or a login follow their colons.
            let port = rest.prefix { $0 != "/" && $0 != "?" }
            let isPort = !port.isEmpty && port.utf8.allSatisfy { (48...57).contains($0) }
            return isPort || port.contains("@") && scheme != "mailto" ? withoutScheme(address) : nil
        }
    }

    /// The address over http, where it was typed without a scheme and taken for https; nil otherwise.
    public static func overHTTP(_ text: String) -> FeedURL? {
        guard parse(text)?.url.hasPrefix("https:") == true else { return nil }
        let address = trimmed(text)
        return URLReference.isWeb(String(address)) ? nil : WebURL("http://" + address).map(FeedURL.init)
    }

    /// The feed in a file. `path` is absolute.
    public static func file(path: String) -> FeedURL? {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else { return nil }
        return FeedURL(file: PercentEscapes.escaping(path: path))
    }

    /// The file behind a `file:` URL; nil for others.
    public static func filePath(_ url: String) -> String? {
        url.hasPrefix("file:///") ? PercentEscapes.removing(from: url.utf8.dropFirst(7)) : nil
    }

    private init(file path: String) {
        url = "file://" + path
        credentials = nil
        hostKey = "file://"
    }

    private static func fileURL(_ rest: Substring) -> FeedURL? {
        var path = rest
        for prefix in ["//localhost/", "///"] where path.lowercased().hasPrefix(prefix) {
            path = path.dropFirst(prefix.count - 1)
        }
        guard path.hasPrefix("/"), !path.hasPrefix("//") else { return nil }
        return file(path: PercentEscapes.removing(from: path.utf8))
    }

    /// https where nothing speaks against it; http for addresses and ports, which have no certificate as a rule.
    private static func withoutScheme(_ address: Substring) -> FeedURL? {
        guard let https = WebURL("https://" + address) else { return nil }
        let isName = https.host.contains(".") && https.host.utf8.contains { (97...122).contains($0) }
        guard isName || https.host == "localhost" || https.host.utf8.contains(46) || https.host.hasPrefix("[") else { return nil }
        return isName && https.port == nil ? FeedURL(https) : WebURL("http://" + address).map(FeedURL.init)
    }

    private static func trimmed(_ text: String) -> Substring {
        let isSpace: (Character) -> Bool = { $0.isWhitespace || $0 == "\u{FEFF}" }
        var rest = text.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        if rest.hasPrefix("<"), rest.hasSuffix(">") { rest = rest.dropFirst().dropLast() }
        return rest
    }
}
