/// What a feed says about one episode: an object of `episodes` of `jimmy parse`.
///
/// It has an optional guid and no id: identity is a rule of the library (`EpisodeIdentity`), not of the parser.
public struct Item: Fields, Equatable, Sendable {
    /// The text fields, as bytes.
    public var texts = ItemTexts()
    public var guidIsPermaLink: Bool?
    public var publishedAt: Timestamp?
    public var updatedAt: Timestamp?
    public var author: String?
    public var enclosures: [Enclosure] = []
    /// Seconds.
    public var duration: Double?
    public var imageURL: String?
    public var explicit: Bool?
    public var block: Bool?
    public var season: Season?
    public var episode: EpisodeNumber?
    /// `full`, `trailer` or `bonus`.
    public var type: String?
    public var tags: [String] = []
    public var keywords: [String] = []
    public var chapters: ChaptersLink?
    public var transcripts: [Transcript] = []
    public var persons: [Person] = []

    private var someExtras: Boxed<ItemExtras>?

    public init() {}

    public var guid: String? {
        get { texts[.guid] }
        set { texts[.guid] = newValue }
    }
    public var title: String? {
        get { texts[.title] }
        set { texts[.title] = newValue }
    }
    /// itunes:title if it differs from `title`.
    public var itunesTitle: String? {
        get { texts[.itunesTitle] }
        set { texts[.itunesTitle] = newValue }
    }
    public var subtitle: String? {
        get { texts[.subtitle] }
        set { texts[.subtitle] = newValue }
    }
    public var summary: String? {
        get { texts[.summary] }
        set { texts[.summary] = newValue }
    }
    /// May hold HTML.
    public var description: String? {
        get { texts[.description] }
        set { texts[.description] = newValue }
    }
    /// May hold HTML.
    public var content: String? {
        get { texts[.content] }
        set { texts[.content] = newValue }
    }
    public var link: String? {
        get { texts[.link] }
        set { texts[.link] = newValue }
    }

    /// Fields that few items have.
    public var extras: ItemExtras {
        _read {
            if let someExtras { yield someExtras.value } else { yield ItemExtras.none }
        }
        _modify {
            var own = someExtras ?? Boxed(.none)
            someExtras = nil
            defer { someExtras = own.value == .none ? nil : own }
            yield &own.value
        }
    }

    public var hasExtras: Bool { someExtras != nil }

    /// `extras.inlineChapters`, without creating extras.
    public var inlineChapters: [Chapter] { someExtras?.value.inlineChapters ?? [] }

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        let some = someExtras
        texts.withBytes(of: .guid) { visitor.text("guid", $0) }
        visitor.flag("guidIsPermaLink", guidIsPermaLink)
        texts.withBytes(of: .title) { visitor.text("title", $0) }
        texts.withBytes(of: .itunesTitle) { visitor.text("itunesTitle", $0) }
        texts.withBytes(of: .subtitle) { visitor.text("subtitle", $0) }
        texts.withBytes(of: .summary) { visitor.text("summary", $0) }
        texts.withBytes(of: .description) { visitor.text("description", $0) }
        texts.withBytes(of: .content) { visitor.text("content", $0) }
        texts.withBytes(of: .link) { visitor.text("link", $0) }
        visitor.time("publishedAt", publishedAt)
        visitor.time("updatedAt", updatedAt)
        visitor.text("author", author)
        visitor.objects("enclosures", enclosures)
        visitor.number("duration", duration)
        visitor.text("imageURL", imageURL)
        visitor.flag("explicit", explicit)
        visitor.flag("block", block)
        visitor.object("season", season)
        visitor.object("episode", episode)
        visitor.text("type", type)
        visitor.texts("tags", tags)
        visitor.texts("keywords", keywords)
        visitor.text("comments", some?.value.comments)
        visitor.object("chapters", chapters)
        visitor.objects("inlineChapters", some?.value.inlineChapters ?? [])
        visitor.objects("transcripts", transcripts)
        visitor.objects("soundbites", some?.value.soundbites ?? [])
        visitor.objects("persons", persons)
        visitor.object("location", some?.value.location)
        visitor.object("license", some?.value.license)
        visitor.objects("value", some?.value.value ?? [])
        visitor.objects("txts", some?.value.txts ?? [])
        visitor.objects("funding", some?.value.funding ?? [])
        visitor.objects("alternateEnclosures", some?.value.alternateEnclosures ?? [])
        visitor.objects("socialInteracts", some?.value.socialInteracts ?? [])
        visitor.object("chat", some?.value.chat)
        visitor.objects("images", some?.value.images ?? [])
        visitor.objects("contentLinks", some?.value.contentLinks ?? [])
        visitor.object("source", some?.value.source)
        visitor.object("live", some?.value.live)
    }
}

/// An item on its way from the parser to the library, behind a reference: copying an `Item` retains dozens of values.
public final class FeedItem: Equatable, Sendable {
    public let item: Item

    public init(_ item: consuming Item) { self.item = item }

    /// Computed on each access.
    public var digest: ContentDigest { ContentDigest(of: item) }

    public static func == (one: FeedItem, other: FeedItem) -> Bool { one === other || one.item == other.item }
}

/// Fields that few items have, stored separately so that items stay small.
public struct ItemExtras: Equatable, Sendable {
    public var comments: String?
    public var inlineChapters: [Chapter] = []
    public var soundbites: [Soundbite] = []
    public var location: Location?
    public var license: License?
    public var value: [ValueBlock] = []
    public var txts: [Txt] = []
    public var funding: [Funding] = []
    public var alternateEnclosures: [AlternateEnclosure] = []
    public var socialInteracts: [SocialInteract] = []
    public var chat: Chat?
    public var images: [Image] = []
    public var contentLinks: [ContentLink] = []
    public var source: Source?
    public var live: Live?

    static let none = ItemExtras()

    public init() {}
}
