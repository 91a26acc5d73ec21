public import Domain

/// Replaces what only this user's settings explain in a query: `query:NAME` by the query of that name, and today and
/// yesterday by the days of the user's time zone.
public struct QueryExpansion: Equatable, Sendable {
    /// By their names, in lower case.
    public var named: [String: String]
    /// Seconds by which the user's clock is ahead of UTC.
    public var zone: Int64

    /// Queries may name others, but not without end.
    private static let maxDepth = 8
    private static let maxLength = 8_192
    private static let dates: Set = ["after", "before", "added"]

    public init(named: [String: String] = [:], zone: Int64 = 0) {
        self.named = named
        self.zone = zone
    }

    public func expanded(_ query: String, now: Timestamp) -> String { expanded(query, now, depth: 0) }

    private func expanded(_ query: String, _ now: Timestamp, depth: Int) -> String {
        var result = ""
        var remaining = query[...]
        while !remaining.isEmpty {
            if remaining.first == "\"" {
                let end = remaining.dropFirst().firstIndex(of: "\"").map(remaining.index(after:)) ?? remaining.endIndex
                result += remaining[..<end]
                remaining = remaining[end...]
            } else if let first = remaining.first, first.isWhitespace || "()-".contains(first) {
                result.append(first)
                remaining.removeFirst()
            } else {
                let word = remaining.prefix { !$0.isWhitespace && !"()\"".contains($0) }
                result += replacement(for: word, now, depth) ?? String(word)
                remaining = remaining.dropFirst(word.count)
            }
            if result.utf8.count > Self.maxLength { return query }
        }
        return result
    }

    private func replacement(for word: Substring, _ now: Timestamp, _ depth: Int) -> String? {
        guard let colon = word.firstIndex(of: ":") else { return nil }
        let (name, value) = (word[..<colon].lowercased(), word[word.index(after: colon)...].lowercased())
        if name == "query" {
            guard depth < Self.maxDepth, let query = named[value] else { return nil }
            return "(\(expanded(query, now, depth: depth + 1)))"
        }
        guard Self.dates.contains(name) else { return nil }
        guard let dots = value.firstRange(of: "..") else { return day(value[...], now).map { "\(name):\($0.start)" } }
        let (first, last) = (value[..<dots.lowerBound], value[dots.upperBound...])
        let (from, to) = (day(first, now), day(last, now))
        if from == nil, to == nil { return nil }
        return "\(name):\(from?.start.description ?? String(first))..\(to?.end.description ?? String(last))"
    }

    private func day(_ word: Substring, _ now: Timestamp) -> (start: Timestamp, end: Timestamp)? {
        guard word == "today" || word == "yesterday", let date = QueryDate(String(word)) else { return nil }
        return (date.start(now, zone: zone), date.end(now, zone: zone))
    }
}
