/// The fields by which an item can be recognised.
public struct IdentityKeys: Hashable, Sendable {
    public var guid: String?
    /// The first enclosure's URL.
    public var enclosureURL: String?
    public var link: String?
    public var title: String?
    public var publishedAt: Timestamp?

    public init(
        guid: String? = nil, enclosureURL: String? = nil, link: String? = nil, title: String? = nil,
        publishedAt: Timestamp? = nil
    ) {
        self.guid = guid
        self.enclosureURL = enclosureURL
        self.link = link
        self.title = title
        self.publishedAt = publishedAt
    }

    public init(of item: Item) {
        self.init(
            guid: item.guid, enclosureURL: item.enclosures.first?.url, link: item.link, title: item.title,
            publishedAt: item.publishedAt)
    }

    fileprivate static let guidMark = "guid:"
    private static let enclosureMark = "enclosure:"
    private static let linkMark = "link:"
    private static let titleMark = "title:"

    /// The identities of episodes that an `EpisodeKey` may name.
    static func identities(of key: String) -> [String] {
        [guidMark, enclosureMark, linkMark, titleMark].map { $0 + key }
    }

    /// The guid; without one, the first enclosure's URL; without that, the link; else title and date.
    public var primary: String {
        if let guid { return Self.guidMark + guid }
        if let enclosureURL { return Self.enclosureMark + enclosureURL }
        if let link { return Self.linkMark + link }
        return Self.titleMark + "\(title ?? "")\u{0}\(publishedAt?.description ?? "")"
    }
}

extension FeedItem {
    /// The primary identity key.
    package var identity: String { IdentityKeys(of: item).primary }

    /// The id derived from the identity. A guid is hashed as bytes, without creating a String.
    package func id(in podcast: PodcastID) -> EpisodeID {
        item.texts.withBytes(of: .guid) { guid in
            guard !guid.isEmpty else { return EpisodeID(podcast: podcast, identity: identity) }
            var hasher = XXH64()
            hasher.update(IdentityKeys.guidMark.utf8)
            hasher.update(guid.bytes)
            return EpisodeID(podcast: podcast, identityHash: hasher.finish())
        }
    }
}
