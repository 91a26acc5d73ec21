import Addresses
public import Domain

/// Reads what other podcast programs store. Their files are never changed.
public enum ForeignFile {
    /// Number of bytes at the beginning of a file that `isDatabase` needs.
    public static let headSize = SQLiteFile.magic.count

    public static func isDatabase(_ head: [UInt8]) -> Bool { head.starts(with: SQLiteFile.magic) }

    /// Reads the database of gPodder, AntennaPod's exported one, or newsboat's cache.
    ///
    /// - Parameter path: absolute.
    /// - Throws: `ImportFailure`.
    public static func database(_ path: String) throws(ImportFailure) -> ForeignLibrary {
        let file = try SQLiteFile(path)
        if try file.columns(of: "podcast").contains("url"), try file.columns(of: "episode").contains("podcast_id") {
            return try GPodder.read(file)
        }
        if try file.columns(of: "Feeds").contains("download_url"), try file.columns(of: "FeedItems").contains("feed") {
            return try AntennaPod.read(file)
        }
        if try file.columns(of: "rss_feed").contains("rssurl"), try file.columns(of: "rss_item").contains("feedurl") {
            return try Newsboat.read(file)
        }
        throw .unknownFormat
    }

    /// Reads newsboat's list of feeds, `urls`; nil if the text is something else.
    public static func list(_ bytes: [UInt8]) -> ForeignLibrary? { NewsboatURLs.read(String(decoding: bytes, as: UTF8.self)) }
}

/// What the readers have in common.
extension ForeignLibrary {
    /// Adds what is known about an episode, if anything is.
    ///
    /// - Parameter keys: what may identify it, best first.
    mutating func add(_ tags: Set<Tag>, _ facts: LineFacts, of keys: [String?], _ title: String?, in podcast: OPMLOutline) {
        guard !tags.isEmpty || !facts.isEmpty else { return }
        guard let url = FeedURL.parse(podcast.feedURL)?.url else { return }
        let keys = keys.compactMap { $0 }.filter { !$0.isEmpty }
        guard let key = keys.first else {
            omissions.append(.namelessEpisode(podcast: podcast.title ?? url, title: title ?? ""))
            return
        }
        var facts = facts
        // Programs resolve guids that look like links, each in its own way.
        facts.otherKey = keys.dropFirst().first { $0 != key }
        lines.append(TagLine(tags: tags, feedURL: url, key: key, facts: facts))
    }
}

extension LineFacts {
    /// Where an episode was left. One that was heard to its end has no place, only a time.
    init(seconds: Double?, duration: Double?, heardAt: Timestamp?, playedAt: Timestamp?, isPlayed: Bool) {
        self.init()
        if isPlayed {
            guard let at = playedAt ?? heardAt else { return }
            (self.seconds, self.duration, self.heardAt, self.playedAt) = (0, duration, at, at)
        } else if let seconds {
            (self.seconds, self.duration, self.heardAt) = (seconds, duration, heardAt)
        }
    }
}
