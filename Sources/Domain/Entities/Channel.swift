/// What a feed says about its podcast: the `podcast` object of `jimmy parse`. It has the members of `ChannelFields`.
///
/// Boxed, because a struct with so many fields adds much code to every struct that contains it.
@dynamicMemberLookup
public struct Channel: ReadableFields, Equatable, Sendable {
    private var boxed: Boxed<ChannelFields>

    private static let empty = Boxed(ChannelFields())

    public init() { boxed = Self.empty }

    public var fields: ChannelFields {
        _read { yield boxed.value }
        _modify { yield &boxed.value }
    }

    public subscript<Value>(dynamicMember field: WritableKeyPath<ChannelFields, Value>) -> Value {
        _read { yield boxed.value[keyPath: field] }
        _modify { yield &boxed.value[keyPath: field] }
    }

    public mutating func list<L: FieldList>(_ list: inout L) {
        var fields = fields
        fields.list(&list)
        if L.reads { self.fields = fields }
    }
}

/// Names and meanings are those of RSS, Atom, the iTunes and the Podcasting 2.0 vocabularies.
public struct ChannelFields: ReadableFields, Equatable, Sendable {
    public var title: String?
    public var subtitle: String?
    /// May hold HTML.
    public var description: String?
    /// itunes:summary; may hold HTML.
    public var summary: String?
    public var link: String?
    /// The feed's self link. Never the URL that is fetched.
    public var feedURL: String?
    /// itunes:new-feed-url.
    public var newFeedURL: String?
    public var language: String?
    public var author: String?
    public var owner: Owner?
    public var copyright: String?
    public var generator: String?
    public var imageURL: String?
    /// itunes:category as paths, parent before child.
    public var categories: [[String]] = []
    public var tags: [String] = []
    public var keywords: [String] = []
    public var explicit: Bool?
    public var block: Bool?
    public var complete: Bool?
    /// `episodic` or `serial`.
    public var type: String?
    public var publishedAt: Timestamp?
    public var updatedAt: Timestamp?
    public var schedule: PublishingSchedule?
    /// WebSub hubs.
    public var hubs: [String] = []
    public var paging: Paging?
    public var guid: String?
    public var medium: String?
    public var locked: Locked?
    public var funding: [Funding] = []
    public var persons: [Person] = []
    public var location: Location?
    public var license: License?
    public var trailers: [Trailer] = []
    public var value: [ValueBlock] = []
    public var blocks: [Block] = []
    public var podroll: [RemoteItem] = []
    public var updateFrequency: UpdateFrequency?
    public var txts: [Txt] = []
    public var publisher: RemoteItem?
    public var socialInteracts: [SocialInteract] = []
    public var chat: Chat?
    public var images: [Image] = []
    public var liveItems: [Item] = []

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("title", &title)
        list.text("subtitle", &subtitle)
        list.text("description", &description)
        list.text("summary", &summary)
        list.text("link", &link)
        list.text("feedURL", &feedURL)
        list.text("newFeedURL", &newFeedURL)
        list.text("language", &language)
        list.text("author", &author)
        list.object("owner", &owner)
        list.text("copyright", &copyright)
        list.text("generator", &generator)
        list.text("imageURL", &imageURL)
        list.paths("categories", &categories)
        list.texts("tags", &tags)
        list.texts("keywords", &keywords)
        list.flag("explicit", &explicit)
        list.flag("block", &block)
        list.flag("complete", &complete)
        list.text("type", &type)
        list.time("publishedAt", &publishedAt)
        list.time("updatedAt", &updatedAt)
        list.object("schedule", &schedule)
        list.texts("hubs", &hubs)
        list.object("paging", &paging)
        list.text("guid", &guid)
        list.text("medium", &medium)
        list.object("locked", &locked)
        list.objects("funding", &funding)
        list.objects("persons", &persons)
        list.object("location", &location)
        list.object("license", &license)
        list.objects("trailers", &trailers)
        list.objects("value", &value)
        list.objects("blocks", &blocks)
        list.objects("podroll", &podroll)
        list.object("updateFrequency", &updateFrequency)
        list.objects("txts", &txts)
        list.object("publisher", &publisher)
        list.objects("socialInteracts", &socialInteracts)
        list.object("chat", &chat)
        list.objects("images", &images)
        list.objects("liveItems", &liveItems)
    }
}
