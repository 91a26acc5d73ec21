/// What a feed says about its podcast: the `podcast` object of `jimmy parse`. It has the members of `ChannelFields`.
///
/// Boxed, because a struct with so many fields adds much code to every struct that contains it.
@dynamicMemberLookup
public struct Channel: Fields, Equatable, Sendable {
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

    public func visit<V: FieldVisitor>(_ visitor: inout V) { boxed.value.visit(&visitor) }
}

/// Names and meanings are those of RSS, Atom, the iTunes and the Podcasting 2.0 vocabularies.
public struct ChannelFields: Fields, Equatable, Sendable {
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

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("title", title)
        visitor.text("subtitle", subtitle)
        visitor.text("description", description)
        visitor.text("summary", summary)
        visitor.text("link", link)
        visitor.text("feedURL", feedURL)
        visitor.text("newFeedURL", newFeedURL)
        visitor.text("language", language)
        visitor.text("author", author)
        visitor.object("owner", owner)
        visitor.text("copyright", copyright)
        visitor.text("generator", generator)
        visitor.text("imageURL", imageURL)
        visitor.paths("categories", categories)
        visitor.texts("tags", tags)
        visitor.texts("keywords", keywords)
        visitor.flag("explicit", explicit)
        visitor.flag("block", block)
        visitor.flag("complete", complete)
        visitor.text("type", type)
        visitor.time("publishedAt", publishedAt)
        visitor.time("updatedAt", updatedAt)
        visitor.object("schedule", schedule)
        visitor.texts("hubs", hubs)
        visitor.object("paging", paging)
        visitor.text("guid", guid)
        visitor.text("medium", medium)
        visitor.object("locked", locked)
        visitor.objects("funding", funding)
        visitor.objects("persons", persons)
        visitor.object("location", location)
        visitor.object("license", license)
        visitor.objects("trailers", trailers)
        visitor.objects("value", value)
        visitor.objects("blocks", blocks)
        visitor.objects("podroll", podroll)
        visitor.object("updateFrequency", updateFrequency)
        visitor.objects("txts", txts)
        visitor.object("publisher", publisher)
        visitor.objects("socialInteracts", socialInteracts)
        visitor.object("chat", chat)
        visitor.objects("images", images)
        visitor.objects("liveItems", liveItems)
    }
}
