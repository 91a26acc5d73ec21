/// One line of `jimmy tag --dump`: `+starred +played -- PODCAST-URL GUID-OR-ENCLOSURE`.
///
/// The line is cut at ` -- `, then at the first blank. Control characters, line ends and `%` in the key are
/// percent-encoded, and so are blanks at its ends, which editors take away. `downloaded` is not dumped, and is ignored.
public struct TagLine: Hashable, Sendable {
    public var tags: Set<Tag>
    /// Without user and password.
    public var feedURL: String
    /// The episode's guid; without one, its first enclosure's URL; see `EpisodeKey`.
    public var key: String

    public init(tags: Set<Tag>, feedURL: String, key: String) {
        self.tags = tags
        self.feedURL = feedURL
        self.key = key
    }

    private static let separator = "-- "

    public var text: String {
        let marks = tags.subtracting([.downloaded]).sorted().map { "+\($0) " }.joined()
        return "\(marks)\(Self.separator)\(feedURL) \(Self.encoded(key))"
    }

    /// nil if the line is malformed.
    public init?(_ line: some StringProtocol) {
        var rest = Substring(line)
        tags = []
        while !rest.hasPrefix(Self.separator) {
            guard rest.hasPrefix("+"), let blank = rest.firstIndex(of: " "),
                let tag = Tag(rest[rest.index(after: rest.startIndex)..<blank])
            else { return nil }
            if tag != .downloaded { tags.insert(tag) }
            rest = rest[rest.index(after: blank)...]
        }
        rest = rest.dropFirst(Self.separator.count)
        guard let blank = rest.firstIndex(of: " "), let address = FeedURL.parse(String(rest[..<blank])),
            let key = Self.decoded(rest[rest.index(after: blank)...]), !key.isEmpty
        else { return nil }
        feedURL = address.url
        self.key = key
    }

    private static func encoded(_ key: String) -> String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        let scalars = Array(key.unicodeScalars)
        let first = scalars.firstIndex { $0 != " " } ?? scalars.endIndex
        let last = scalars.lastIndex { $0 != " " } ?? -1
        var text = String.UnicodeScalarView()
        for (place, scalar) in scalars.enumerated() {
            let isControl = scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
            guard isControl || scalar == "%" || place < first || place > last else {
                text.append(scalar)
                continue
            }
            for byte in String(scalar).utf8 { text += ["%", digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        }
        return String(text)
    }

    /// nil if an escape is broken.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// By what a line of `jimmy tag --dump` names an episode.
public enum EpisodeKey {
    /// Best first: guid, enclosure, link, title with date.
    public static func all(_ keys: IdentityKeys) -> [String] {
        let titled = keys.title.map { title in "\(title)\u{0}\(keys.publishedAt?.description ?? "")" }
        return [keys.guid, keys.enclosureURL, keys.link, titled].compactMap { $0 }
    }

    /// For each episode of one podcast the best key that no other one has; its best one if there is none.
    public static func unique(_ episodes: [StoredEpisode]) -> [EpisodeID: String] {
        var counts: [String: Int] = [:]
        let keys = episodes.map { all($0.keys) }
        for list in keys { for key in Set(list) { counts[key, default: 0] += 1 } }
        var result: [EpisodeID: String] = [:]
        for (episode, list) in zip(episodes, keys) {
            result[episode.id] = list.first { counts[$0] == 1 } ?? list.first ?? episode.id.text
        }
        return result
    }
}
