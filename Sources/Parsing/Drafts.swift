internal import Domain

/// A value that several elements can give, the best of them winning whatever their order.
/// Among equals the first wins, and an empty one never counts.
struct Preferred<Value> {
    fileprivate(set) var value: Value?
    fileprivate var rank = Int.max

    mutating func offer(_ value: Value?, rank: Int) {
        guard rank < self.rank, let value else { return }
        self.value = value
        self.rank = rank
    }
}

extension Preferred<String> {
    /// Makes a String only where the text wins.
    mutating func offer(_ text: Text, rank: Int) {
        guard rank < self.rank, !text.isEmpty else { return }
        value = text.string
        self.rank = rank
    }
}

extension Optional {
    /// First wins: keeps what is there.
    mutating func offer(_ value: Wrapped?) {
        if self == nil { self = value }
    }
}

extension String? {
    mutating func offer(_ text: Text) {
        if self == nil { self = text.value }
    }
}

/// What a channel and an item have in common, while it is being collected.
struct CommonDraft {
    var title = Preferred<String>()
    var itunesTitle: String?
    var subtitle: String?
    var summary: String?
    var description = Preferred<String>()
    var link = Preferred<String>()
    var author = Preferred<String>()
    var imageURL = Preferred<String>()
    var publishedAt = Preferred<Timestamp>()
    var updatedAt = Preferred<Timestamp>()
    var explicit: Bool?
    var block: Bool?
    var tags: [String] = []
    var keywords = Preferred<[String]>()
    var persons: [Person] = []
    var funding: [Funding] = []
    var location: Location?
    var license = Preferred<License>()
    var value: [ValueBlock] = []
    var txts: [Txt] = []
    var socialInteracts: [SocialInteract] = []
    var chat: Chat?
    var images: [Image] = []

    mutating func tag(_ tag: String?) {
        guard let tag = tag?.trimmedValue, !tags.contains(tag) else { return }
        tags.append(tag)
    }
}

/// A channel while it is being collected.
struct ChannelDraft {
    var common = CommonDraft()
    /// Fields with one source are written here at once.
    var channel = Channel()
    var language = Preferred<String>()
    var copyright = Preferred<String>()
    var atomSubtitle: String?
    var ownerName: String?
    var ownerEmail = Preferred<String>()
    var schedule = PublishingSchedule()
    var paging = Paging()

    func finished() -> Channel {
        var channel = channel
        channel.title = common.title.value
        channel.subtitle = common.subtitle ?? atomSubtitle
        channel.description = common.description.value
        channel.summary = common.summary
        channel.link = common.link.value
        channel.language = language.value
        channel.author = common.author.value
        channel.copyright = copyright.value
        channel.imageURL = common.imageURL.value
        channel.tags = common.tags
        channel.keywords = common.keywords.value ?? []
        channel.explicit = common.explicit
        channel.block = common.block
        channel.publishedAt = common.publishedAt.value
        channel.updatedAt = common.updatedAt.value
        channel.funding = common.funding
        channel.persons = common.persons
        channel.location = common.location
        channel.license = common.license.value
        channel.value = common.value
        channel.txts = common.txts
        channel.socialInteracts = common.socialInteracts
        channel.chat = common.chat
        channel.images = common.images
        var owner = Owner()
        owner.name = ownerName
        owner.email = ownerEmail.value
        if owner != Owner() { channel.owner = owner }
        if schedule != PublishingSchedule() { channel.schedule = schedule }
        if paging != Paging() { channel.paging = paging }
        return channel
    }
}

/// An item while it is being collected.
struct ItemDraft {
    var common = CommonDraft()
    /// Fields with one source are written here at once.
    var item = Item()
    var content = Preferred<String>()
    var duration = Preferred<Double>()
    var season = Season()
    var seasonNumber = Preferred<Double>()
    var episode = EpisodeNumber()
    var episodeNumber = Preferred<Double>()
    private var enclosureRanks: [Int] = []
    /// rdf:about serves where no guid is given.
    var guid = Preferred<String>()

    func finished() -> Item {
        var item = item
        item.guid = guid.value
        item.title = common.title.value
        if common.itunesTitle != item.title { item.itunesTitle = common.itunesTitle }
        item.subtitle = common.subtitle
        item.summary = common.summary
        item.description = common.description.value
        item.content = content.value
        item.link = common.link.value
        if item.link == nil, item.guidIsPermaLink != false, let guid = item.guid, URLReference.isWeb(guid) {
            item.link = URLReference.resolve(guid, against: nil)
        }
        item.publishedAt = common.publishedAt.value
        item.updatedAt = common.updatedAt.value
        item.author = common.author.value
        item.duration = duration.value
        item.imageURL = common.imageURL.value
        item.explicit = common.explicit
        item.block = common.block
        var season = season
        season.number = seasonNumber.value
        if season != Season() { item.season = season }
        var episode = episode
        episode.number = episodeNumber.value
        if episode != EpisodeNumber() { item.episode = episode }
        item.tags = common.tags
        item.keywords = common.keywords.value ?? []
        item.persons = common.persons
        item.location = common.location
        item.license = common.license.value
        item.value = common.value
        item.txts = common.txts
        item.funding = common.funding
        item.socialInteracts = common.socialInteracts
        item.chat = common.chat
        item.images = common.images
        return item
    }

    /// Media files by what names them: `enclosure` first, Atom links next, Media RSS last. No URL stands twice: what
    /// one element does not say of it another may.
    mutating func add(_ enclosure: Enclosure, rank: Int) {
        guard let url = enclosure.url else { return }
        if let index = item.enclosures.firstIndex(where: { $0.url == url }) {
            item.enclosures[index].type.offer(enclosure.type)
            item.enclosures[index].length.offer(enclosure.length)
            return
        }
        let place = enclosureRanks.firstIndex { $0 > rank } ?? enclosureRanks.endIndex
        item.enclosures.insert(enclosure, at: place)
        enclosureRanks.insert(rank, at: place)
    }
}
