/// What an item can be recognised by. Source: "Episode identity and differences" of the command's contract.
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

    /// The guid; without one, the first enclosure's URL; without that, the link; else title and date.
    public var primary: String {
        Self.primary(guid: guid, enclosureURL: enclosureURL, link: link, title: title, publishedAt: publishedAt)
    }

    fileprivate static func primary(
        guid: String?, enclosureURL: String?, link: String?, title: String?, publishedAt: Timestamp?
    ) -> String {
        if let guid { return "guid:" + guid }
        if let enclosureURL { return "enclosure:" + enclosureURL }
        if let link { return "link:" + link }
        return "title:\(title ?? "")\u{0}\(publishedAt?.description ?? "")"
    }
}

extension FeedItem {
    /// The primary of its keys.
    var identity: String {
        if let guid = guidIdentity { return guid }
        return IdentityKeys(of: item).primary
    }

    private var guidIdentity: String? {
        item.texts.withBytes { texts in
            let guid = texts[.guid]
            if guid.isEmpty { return nil }
            let prefix: StaticString = "guid:"
            return String(unsafeUninitializedCapacity: prefix.utf8CodeUnitCount + guid.count) { room in
                prefix.withUTF8Buffer { _ = room.initialize(fromContentsOf: $0) }
                return prefix.utf8CodeUnitCount
                    + (UnsafeMutableBufferPointer(rebasing: room[prefix.utf8CodeUnitCount...]).initialize(fromContentsOf: guid))
            }
        }
    }
}
