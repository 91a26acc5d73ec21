/// What the headers of an answer say about when to ask again.
public enum CachingHeaders {
    /// Seconds for which the answer may be taken for fresh; nil where the headers do not say.
    ///
    /// `max-age` counts before `Expires`, and what the answer has aged in caches is over already (RFC 9111, 4.2).
    public static func freshness(_ headers: ResponseHeaders, now: Timestamp) -> Int64? {
        if let control = headers.cacheControl {
            let directives = control.lowercased().split(separator: ",").map { trimmed($0) }
            if directives.contains("no-cache") || directives.contains("no-store") { return nil }
            for directive in directives where directive.hasPrefix("max-age=") {
                let value = directive.dropFirst(8).drop { $0 == "\"" }.prefix { $0 != "\"" }
                guard let seconds = seconds(value) else { return nil }
                return max(0, seconds - (headers.age.flatMap { self.seconds(trimmed(Substring($0))) } ?? 0))
            }
        }
        guard let expires = headers.expires.flatMap(HTTPDate.parse) else { return nil }
        return max(0, expires - (headers.date.flatMap(HTTPDate.parse) ?? now))
    }

    /// The most a Retry-After counts for.
    public static let longestRetryAfter: Int64 = 32 * 86_400

    /// Until when the server asks to be left alone. nil where the value is unreadable, negative or past.
    public static func retryAfter(_ headers: ResponseHeaders, now: Timestamp) -> Timestamp? {
        guard let value = headers.retryAfter.map({ trimmed(Substring($0)) }) else { return nil }
        let wait = seconds(value) ?? HTTPDate.parse(String(value)).map { $0 - now } ?? 0
        return wait > 0 ? now + min(wait, longestRetryAfter) : nil
    }

    /// Digits only; what is too large to count is as large as counts.
    private static func seconds(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(Int64(text) ?? .max, 1 << 31)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var rest = text.drop { $0 == " " || $0 == "\t" }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return rest
    }
}
