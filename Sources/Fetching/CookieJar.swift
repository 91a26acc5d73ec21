import Addresses
import Domain

/// The cookies of one chain of redirects: gates set one and lead back to the same URL. Nothing is kept for another fetch.
///
/// Source: RFC 6265, sections 5.1.3 (hosts), 5.1.4 (paths), 5.2 (Set-Cookie) and 5.4 (Cookie).
struct CookieJar: Sendable {
    private struct Cookie: Equatable {
        var name: String
        var value: String
        var domain: String
        /// True if no other host gets it, even one below `domain`.
        var isHostOnly: Bool
        var path: String
        var isSecure: Bool
    }

    /// More cookies, and longer ones, than any gate needs.
    private static let maxCookies = 50
    private static let maxSize = 4_096

    private var cookies: [Cookie] = []

    init() {}

    /// Stores the cookie of one Set-Cookie header that came from `url`; a cookie that has expired is removed.
    mutating func store(_ header: String, from url: WebURL, now: Timestamp) {
        guard header.utf8.count <= Self.maxSize else { return }
        let parts = header.split(separator: ";", omittingEmptySubsequences: false).map { Self.pair($0) }
        guard let first = parts.first, let value = first.value, !first.name.isEmpty else { return }
        var cookie = Cookie(
            name: first.name, value: value, domain: url.host, isHostOnly: true, path: Self.folder(of: url.path), isSecure: false)
        // Max-Age counts more than Expires. Of attributes that are repeated, the last counts.
        var (maxAge, expires): (Int?, Timestamp?)
        for (name, value) in parts.dropFirst() {
            switch name.lowercased() {
            case "domain":
                let domain = (value ?? "").lowercased().drop { $0 == "." }
                guard !domain.isEmpty else { continue }
                // A name without a dot, such as `com`, would reach everyone.
                guard Self.covers(String(domain), url.host), domain.contains(".") || domain == url.host else { return }
                (cookie.domain, cookie.isHostOnly) = (String(domain), false)
            case "path": cookie.path = value.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? Self.folder(of: url.path)
            case "secure": cookie.isSecure = true
            case "max-age": maxAge = value.flatMap(Self.seconds) ?? maxAge
            case "expires": expires = value.flatMap(HTTPDate.parse) ?? expires
            default: break
            }
        }
        // Over http, nothing vouches for a cookie that only https may see.
        if cookie.isSecure, url.scheme != "https" { return }
        cookies.removeAll { $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path }
        let hasExpired = maxAge.map { $0 <= 0 } ?? expires.map { $0 <= now } ?? false
        if !hasExpired, cookies.count < Self.maxCookies { cookies.append(cookie) }
    }

    /// The value of `Cookie` for a request, those of longer paths first; nil if there is none.
    func header(for url: WebURL) -> String? {
        let sent = cookies.filter { cookie in
            (cookie.isHostOnly ? cookie.domain == url.host : Self.covers(cookie.domain, url.host))
                && Self.leads(cookie.path, to: url.path) && (!cookie.isSecure || url.scheme == "https")
        }
        guard !sent.isEmpty else { return nil }
        let ordered = sent.enumerated().sorted {
            ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
        }
        return ordered.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
    }

    private static func pair(_ part: Substring) -> (name: String, value: String?) {
        func trimmed(_ text: Substring) -> String {
            var text = text.drop { $0 == " " || $0 == "\t" }
            while let last = text.last, last == " " || last == "\t" { text.removeLast() }
            return String(text)
        }
        guard let equals = part.firstIndex(of: "=") else { return (trimmed(part), nil) }
        return (trimmed(part[..<equals]), trimmed(part[part.index(after: equals)...]))
    }

    /// Digits, perhaps after a minus; nil for anything else. More of them than a number holds are a long time.
    private static func seconds(_ text: String) -> Int? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text) ?? (text.hasPrefix("-") ? .min : .max)
    }

    private static func covers(_ domain: String, _ host: String) -> Bool {
        if domain == host { return true }
        let isAddress = host.hasPrefix("[") || host.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 }
        return !isAddress && host.hasSuffix("." + domain)
    }

    private static func leads(_ path: String, to wanted: String) -> Bool {
        wanted == path || wanted.hasPrefix(path) && (path.hasSuffix("/") || wanted.dropFirst(path.count).hasPrefix("/"))
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
