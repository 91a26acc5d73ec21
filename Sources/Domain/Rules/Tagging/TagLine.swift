import Addresses

/// One line of `jimmy tag --dump`: `+starred +played -- PODCAST-URL GUID-OR-ENCLOSURE`. Words such as `position=754`
/// before ` -- ` say how far the owner heard the episode, and where the bookmarks are; see `LineFacts`.
///
/// The line is split at ` -- `, then at the first blank. Control characters, line ends and `%` in the key are
/// percent-encoded, and so are blanks at its ends, which editors strip. `downloaded` is not dumped, and is ignored.
public struct TagLine: Hashable, Sendable {
    public var tags: Set<Tag>
    /// Without user and password.
    public var feedURL: String
    /// The episode's guid; without one, its first enclosure's URL; see `EpisodeKey`.
    public var key: String
    public var facts: LineFacts

    public init(tags: Set<Tag>, feedURL: String, key: String, facts: LineFacts = LineFacts()) {
        self.tags = tags
        self.feedURL = feedURL
        self.key = key
        self.facts = facts
    }

    private static let separator = "-- "

    public var text: String {
        let marks = tags.subtracting([.downloaded]).sorted().map { "+\($0) " }.joined()
        let facts = facts.words.map { $0 + " " }.joined()
        return "\(marks)\(facts)\(Self.separator)\(feedURL) \(Self.encoded(key))"
    }

    /// nil if the line is malformed.
    public init?(_ line: some StringProtocol) {
        var remaining = Substring(line)
        (tags, facts) = ([], LineFacts())
        while !remaining.hasPrefix(Self.separator) {
            guard let blank = remaining.firstIndex(of: " ") else { return nil }
            let word = remaining[..<blank]
            if word.hasPrefix("+") {
                guard let tag = Tag(word.dropFirst()) else { return nil }
                if tag != .downloaded { tags.insert(tag) }
            } else {
                guard facts.read(word) else { return nil }
            }
            remaining = remaining[remaining.index(after: blank)...]
        }
        remaining = remaining.dropFirst(Self.separator.count)
        guard let blank = remaining.firstIndex(of: " "), let address = FeedURL.parse(String(remaining[..<blank])),
            let key = Self.decoded(remaining[remaining.index(after: blank)...]), !key.isEmpty
        else { return nil }
        feedURL = address.url
        self.key = key
    }

    static func encoded(_ key: String, blanks: Bool = false) -> String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        let scalars = Array(key.unicodeScalars)
        let first = scalars.firstIndex { $0 != " " } ?? scalars.endIndex
        let last = scalars.lastIndex { $0 != " " } ?? -1
        var text = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let isControl = scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
            guard isControl || scalar == "%" || index < first || index > last || blanks && scalar == " " else {
                text.append(scalar)
                continue
            }
            for byte in String(scalar).utf8 { text += ["%", digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        }
        return String(text)
    }

    /// nil if an escape is broken.
    static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var remaining = text.utf8[...]
        while let byte = remaining.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard remaining.count >= 2, let value = UInt8(String(decoding: remaining.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            remaining = remaining.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension TagLine {
    /// The waiting lines after a change: one for each podcast and key, in the order in which they were added.
    package static func waiting(_ lines: [TagLine], settling settled: [TagLine], adding added: [TagLine]) -> [TagLine] {
        guard !settled.isEmpty || !added.isEmpty else { return lines }
        struct Name: Hashable {
            var feedURL: String
            var key: String

            init(_ line: TagLine) { (feedURL, key) = (line.feedURL, line.key) }
        }
        let gone = Set(settled.map(Name.init))
        var lines = lines.filter { !gone.contains(Name($0)) }
        var indices = Dictionary(lines.indices.map { (Name(lines[$0]), $0) }) { a, _ in a }
        for line in added {
            if let index = indices[Name(line)] {
                lines[index] = line
            } else {
                indices[Name(line)] = lines.count
                lines.append(line)
            }
        }
        return lines
    }
}

/// The key by which a line of `jimmy tag --dump` names an episode.
public enum EpisodeKey {
    /// Best first: guid, enclosure, link, title with date.
    public static func all(_ keys: IdentityKeys) -> [String] {
        let titled = keys.title.map { title in "\(title)\u{0}\(keys.publishedAt?.description ?? "")" }
        return [keys.guid, keys.enclosureURL, keys.link, titled].compactMap { $0 }
    }

    /// The own parts that episodes' ids have if this is their best key.
    package static func ownTexts(of key: String) -> [String] {
        IdentityKeys.identities(of: key).map { identity in
            String(EpisodeID(podcast: PodcastID(text: ""), identity: identity).ownText)
        }
    }

    /// For each episode of one podcast, its best unique key; if none is unique, its best key.
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
