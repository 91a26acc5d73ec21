/// Reads from a response's headers when to fetch again.
public enum CachingHeaders {
    /// Seconds for which the response is fresh; nil if the headers do not say.
    ///
    /// `max-age` wins over `Expires`, and the response's `Age` is subtracted (RFC 9111, section 4.2).
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

    /// The longest Retry-After that is honoured, in seconds.
    public static let maxRetryAfter: Int64 = 32 * 86_400

    /// The end of the pause that Retry-After asks for; nil if the value is unreadable, negative or past.
    public static func retryAfter(_ headers: ResponseHeaders, now: Timestamp) -> Timestamp? {
        guard let value = headers.retryAfter.map({ trimmed(Substring($0)) }) else { return nil }
        let wait = seconds(value) ?? HTTPDate.parse(String(value)).map { $0 - now } ?? 0
        return wait > 0 ? now + min(wait, maxRetryAfter) : nil
    }

    /// Digits only; larger values are clamped.
    private static func seconds(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(Int64(text) ?? .max, 1 << 31)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var remaining = text.drop { $0 == " " || $0 == "\t" }
        while remaining.last == " " || remaining.last == "\t" { remaining.removeLast() }
        return remaining
    }
}
