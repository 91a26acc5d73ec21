/// What a feed says about one episode: an object of `episodes` of `jimmy parse`.
///
/// It has an optional guid and no id: identity is a rule of the library (`EpisodeIdentity`), not of the parser.
public struct Item: ReadableFields, Equatable, Sendable {
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

    public mutating func list<L: FieldList>(_ list: inout L) {
        var extras = someExtras?.value ?? .none
        list.text(.guid, of: &texts)
        list.flag("guidIsPermaLink", &guidIsPermaLink)
        list.text(.title, of: &texts)
        list.text(.itunesTitle, of: &texts)
        list.text(.subtitle, of: &texts)
        list.text(.summary, of: &texts)
        list.text(.description, of: &texts)
        list.text(.content, of: &texts)
        list.text(.link, of: &texts)
        list.time("publishedAt", &publishedAt)
        list.time("updatedAt", &updatedAt)
        list.text("author", &author)
        list.objects("enclosures", &enclosures)
        list.number("duration", &duration)
        list.text("imageURL", &imageURL)
        list.flag("explicit", &explicit)
        list.flag("block", &block)
        list.object("season", &season)
        list.object("episode", &episode)
        list.text("type", &type)
        list.texts("tags", &tags)
        list.texts("keywords", &keywords)
        list.text("comments", &extras.comments)
        list.object("chapters", &chapters)
        list.objects("inlineChapters", &extras.inlineChapters)
        list.objects("transcripts", &transcripts)
        list.objects("soundbites", &extras.soundbites)
        list.objects("persons", &persons)
        list.object("location", &extras.location)
        list.object("license", &extras.license)
        list.objects("value", &extras.value)
        list.objects("txts", &extras.txts)
        list.objects("funding", &extras.funding)
        list.objects("alternateEnclosures", &extras.alternateEnclosures)
        list.objects("socialInteracts", &extras.socialInteracts)
        list.object("chat", &extras.chat)
        list.objects("images", &extras.images)
        list.objects("contentLinks", &extras.contentLinks)
        list.object("source", &extras.source)
        list.object("live", &extras.live)
        list.repeats("same", &texts)
        if L.reads { self.extras = extras }
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
