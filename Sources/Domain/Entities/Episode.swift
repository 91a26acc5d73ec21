/// A stored episode: the feed's item, and the facts that belong to the library.
public struct Episode: Equatable, Sendable {
    public let id: EpisodeID
    private var feedItem: FeedItem
    /// The digest of `item`.
    public private(set) var digest: ContentDigest
    /// When a refresh first saw it. Belongs to the library, not the feed.
    public var firstSeenAt: Timestamp
    /// When a refresh last saw it change.
    public var changedAt: Timestamp
    /// When it left the feed; nil while the feed lists it.
    public var withdrawnAt: Timestamp?
    /// What changed and when, newest first, bounded by `Episode.historyLimit`.
    public var history: [EpisodeEdit] = []

    public static let historyLimit = 20

    /// - Parameter digest: the item's, if it is known.
    public init(
        id: EpisodeID, item: FeedItem, digest: ContentDigest? = nil, firstSeenAt: Timestamp, changedAt: Timestamp,
        withdrawnAt: Timestamp? = nil
    ) {
        self.id = id
        feedItem = item
        self.digest = digest ?? item.digest
        self.firstSeenAt = firstSeenAt
        self.changedAt = changedAt
        self.withdrawnAt = withdrawnAt
    }

    /// The date that orders episodes and makes them fresh. A date more than a day after the episode was first seen is a
    /// mistake of the feed, which would keep it first for years; then it is when it was first seen.
    public var orderedAt: Timestamp? {
        item.publishedAt.map { $0 - firstSeenAt > Episode.futureGrace ? firstSeenAt : $0 }
    }

    /// Seconds.
    package static let futureGrace: Int64 = 86_400

    /// The item as the feed has it.
    public var item: Item {
        _read { yield feedItem.item }
        _modify {
            var item = feedItem.item
            yield &item
            feedItem = FeedItem(item)
            digest = feedItem.digest
        }
    }

    package mutating func replace(_ item: FeedItem, _ digest: ContentDigest) { (feedItem, self.digest) = (item, digest) }

    public var podcastID: PodcastID { id.podcastID }
    public var isWithdrawn: Bool { withdrawnAt != nil }
}

/// One change of an episode, as a refresh saw it.
public struct EpisodeEdit: Equatable, Sendable {
    public enum Kind: String, Sendable {
        case changed, withdrawn, returned
    }

    public var at: Timestamp
    public var kind: Kind
    /// Names of the fields that differ, as in `jimmy parse`.
    public var fields: [String]
    /// The former title if it changed, since people search for it.
    public var formerTitle: String?
    /// Why the item was taken for this episode, if none of its keys was the same.
    public var matchedBy: EpisodeMatch?

    public init(
        at: Timestamp, kind: Kind, fields: [String] = [], formerTitle: String? = nil, matchedBy: EpisodeMatch? = nil
    ) {
        self.at = at
        self.kind = kind
        self.fields = fields
        self.formerTitle = formerTitle
        self.matchedBy = matchedBy
    }
}

/// Why an item is a stored episode although its guid and its URL are others.
public enum EpisodeMatch: String, Sendable {
    case title, date, enclosure, number
}

/// The facts by which a stored episode is matched with a feed's item and compared, without decoding it.
public struct StoredEpisode: Equatable, Sendable {
    public let id: EpisodeID
    public let keys: IdentityKeys
    public let digest: ContentDigest
    public let isWithdrawn: Bool

    public init(id: EpisodeID, keys: IdentityKeys, digest: ContentDigest, isWithdrawn: Bool) {
        self.id = id
        self.keys = keys
        self.digest = digest
        self.isWithdrawn = isWithdrawn
    }
}

/// The items of a feed by their digests. A stored episode with the digest of one has its keys, which need not be read.
public struct KnownItems: Sendable {
    private var items: [ContentDigest: FeedItem] = [:]

    public init() {}

    /// - Parameter digests: one for each item.
    public init(_ items: [FeedItem], _ digests: [ContentDigest]) {
        self.items = Dictionary(zip(digests, items)) { first, _ in first }
    }

    public func keys(of digest: ContentDigest) -> IdentityKeys? { items[digest].map { IdentityKeys(of: $0.item) } }
}

/// One entry of the play queue.
public struct QueueEntry: Equatable, Sendable {
    public var episodeID: EpisodeID
    public var addedAt: Timestamp

    public init(episodeID: EpisodeID, addedAt: Timestamp) {
        self.episodeID = episodeID
        self.addedAt = addedAt
    }
}
