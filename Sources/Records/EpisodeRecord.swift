public import Domain
public import JSON

/// An episode as members of its line: first those that belong to the library, then the feed's item.
public struct EpisodeRecord {
    private var id: EpisodeID?
    private var digest: ContentDigest?
    private var item = Item()
    private var firstSeenAt: Timestamp?
    private var changedAt: Timestamp?
    private var withdrawnAt: Timestamp?
    private var history: [EpisodeEdit] = []

    public init() {}

    /// - Parameter writesTextsOnce: true to write a long text only once if several fields of the item contain it.
    public static func write(_ episode: Episode, writesTextsOnce: Bool = false, to json: inout JSONWriter) {
        json.text("id", episode.id.text)
        json.hash("digest", episode.digest.value)
        json.time("firstSeenAt", episode.firstSeenAt)
        json.time("changedAt", episode.changedAt)
        json.time("withdrawnAt", episode.withdrawnAt)
        json.objects("history", episode.history)
        json.object("item") { json in
            var item = episode.item
            let repeats = writesTextsOnce ? item.texts.takeRepeats() : []
            item.list(&json)
            json.object("same") { json in
                for (field, original) in repeats {
                    json.text(field.name, original.name.description)
                }
            }
        }
    }

    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "id": id = EpisodeID(text: try json.string())
        case "digest": digest = ContentDigest(value: try json.hash())
        case "firstSeenAt": firstSeenAt = try json.time()
        case "changedAt": changedAt = try json.time()
        case "withdrawnAt": withdrawnAt = try json.time()
        case "history": history = try json.values()
        case "item": item = try json.value()
        default: try json.skip()
        }
    }

    /// nil if the line has no id or lacks its times.
    public var episode: Episode? {
        guard let id, let firstSeenAt, let changedAt else { return nil }
        var episode = Episode(
            id: id, item: FeedItem(item), digest: digest, firstSeenAt: firstSeenAt, changedAt: changedAt, withdrawnAt: withdrawnAt
        )
        episode.history = history
        return episode
    }
}

extension EpisodeEdit: ReadableFields {
    public init() { self.init(at: Timestamp(seconds: 0), kind: .changed) }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.time("at", &at)
        list.text("kind", &kind)
        list.texts("fields", &fields)
        list.text("formerTitle", &formerTitle)
        list.text("matchedBy", &matchedBy)
    }
}

/// The part of an episode's line that a comparison needs.
public struct EpisodeHead {
    /// Thrown once nothing more is needed of the line.
    public struct Complete: Error {}

    private var id: EpisodeID?
    private var keys = IdentityKeys()
    private var digest = ContentDigest(value: 0)
    private var isWithdrawn = false
    private let items: KnownItems

    /// - Parameter items: of these, only what comes before the item is read.
    public init(knowing items: KnownItems = KnownItems()) { self.items = items }

    /// nil if the line has no id.
    public var stored: StoredEpisode? {
        id.map { StoredEpisode(id: $0, keys: keys, digest: digest, isWithdrawn: isWithdrawn) }
    }

    /// Writes only the members that a head is read from.
    public static func write(_ episode: Episode, to json: inout JSONWriter) {
        let keys = IdentityKeys(of: episode.item)
        json.text("id", episode.id.text)
        json.hash("digest", episode.digest.value)
        json.time("withdrawnAt", episode.withdrawnAt)
        json.object("item") { json in
            json.text("guid", keys.guid)
            json.text("title", keys.title)
            json.text("link", keys.link)
            json.time("publishedAt", keys.publishedAt)
            var enclosure = Enclosure()
            enclosure.url = keys.enclosureURL
            if enclosure.url != nil { json.objects("enclosures", [enclosure]) }
        }
    }

    /// - Throws: `JSONError`, or `Complete`.
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "id": id = EpisodeID(text: try json.string())
        case "digest": digest = ContentDigest(value: try json.hash())
        case "withdrawnAt":
            isWithdrawn = true
            try json.skip()
        case "item":
            // It is the last member.
            if let known = items.keys(of: digest) {
                keys = known
                throw Complete()
            }
            try json.object { json, key in try readItem(key, &json) }
        default: try json.skip()
        }
    }

    private mutating func readItem(_ key: String, _ json: inout JSONReader) throws {
        switch key {
        case "guid": keys.guid = try json.string()
        case "title": keys.title = try json.string()
        case "link": keys.link = try json.string()
        case "publishedAt": keys.publishedAt = try json.time()
        case "enclosures":
            var isFirst = true
            try json.array { json in
                if isFirst { keys.enclosureURL = try json.value(Enclosure.self).url } else { try json.skip() }
                isFirst = false
            }
        default: try json.skip()
        }
    }
}
