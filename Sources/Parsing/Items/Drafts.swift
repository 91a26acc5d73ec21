internal import Domain

/// A value with several possible sources. The best source wins, whatever the order of the elements. Among equal sources
/// the first wins; empty values are ignored.
struct Preferred<Value> {
    fileprivate(set) var value: Value?
    fileprivate var rank = UInt8.max

    /// Moves the value out and resets the draft.
    mutating func take() -> Value? {
        rank = .max
        return value.take()
    }

    mutating func offer(_ value: Value?, rank: UInt8) {
        guard rank < self.rank, let value else { return }
        self.value = value
        self.rank = rank
    }
}

extension Preferred<String> {
    /// Creates a String only if the text wins.
    mutating func offer(_ text: Text, rank: UInt8) {
        guard rank < self.rank, !text.isEmpty else { return }
        value = text.string
        self.rank = rank
    }
}

extension Optional {
    /// Sets the value unless there is one already.
    mutating func offer(_ value: Wrapped?) {
        if self == nil { self = value }
    }
}

extension String? {
    mutating func offer(_ text: Text) {
        if self == nil { self = text.value }
    }
}

/// Strings without repeats; fast even if a hostile feed has a hundred thousand of them.
struct UniqueList {
    private(set) var values: [String] = []
    private var seen: Set<String> = []

    /// The strings, moved out.
    mutating func take() -> [String] {
        defer { self = UniqueList() }
        return values
    }

    mutating func append(_ value: String) {
        if values.count < 16 {
            if values.contains(value) { return }
        } else {
            if seen.isEmpty { seen = Set(values) }
            if !seen.insert(value).inserted { return }
        }
        values.append(value)
    }
}

/// The fields that channels and items share, while they are being collected.
struct CommonDraft {
    var texts = TextDrafts()
    var author = Preferred<String>()
    var imageURL = Preferred<String>()
    var publishedAt = Preferred<Timestamp>()
    var updatedAt = Preferred<Timestamp>()
    var explicit: Bool?
    var block: Bool?
    var tags = UniqueList()
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
        if let tag = tag?.trimmedValue { tags.append(tag) }
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
    /// Paths, each with its names joined by NUL.
    var categories = UniqueList()
    var hubs = UniqueList()
    var schedule = PublishingSchedule()
    var paging = Paging()

    func finished() -> Channel {
        var channel = channel
        channel.title = common.texts[.title]
        channel.subtitle = common.texts[.subtitle] ?? atomSubtitle
        channel.description = common.texts[.description]
        channel.summary = common.texts[.summary]
        channel.link = common.texts[.link]
        channel.language = language.value
        channel.author = common.author.value
        channel.copyright = copyright.value
        channel.imageURL = common.imageURL.value
        channel.tags = common.tags.values
        channel.keywords = common.keywords.value ?? []
        channel.categories = categories.values.map { $0.split(separator: "\0").map(String.init) }
        channel.hubs = hubs.values
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
    var duration = Preferred<Double>()
    var season = Season()
    var seasonNumber = Preferred<Double>()
    var episode = EpisodeNumber()
    var episodeNumber = Preferred<Double>()
    /// In document order, each with the rank of the element that names it.
    var enclosures: [(enclosure: Enclosure, rank: UInt8)] = []

    /// Moves the item out without copying, and leaves an empty draft.
    mutating func takeItem() -> Item {
        common.texts.dropRepeatedITunesTitle()
        if item.guidIsPermaLink != false { common.texts.linkByGuid() }
        item.texts = common.texts.take()
        if !enclosures.isEmpty {
            item.enclosures = orderedEnclosures
            enclosures.removeAll(keepingCapacity: true)
        }
        item.publishedAt = common.publishedAt.take()
        item.updatedAt = common.updatedAt.take()
        item.author = common.author.take()
        item.duration = duration.take()
        item.imageURL = common.imageURL.take()
        item.explicit = common.explicit.take()
        item.block = common.block.take()
        season.number = seasonNumber.take()
        if season.number != nil || season.name != nil { item.season = exchange(&season, with: Season()) }
        episode.number = episodeNumber.take()
        if episode.number != nil || episode.display != nil { item.episode = exchange(&episode, with: EpisodeNumber()) }
        if !common.tags.values.isEmpty { item.tags = common.tags.take() }
        if let keywords = common.keywords.take() { item.keywords = keywords }
        if !common.persons.isEmpty { item.persons = exchange(&common.persons, with: []) }
        if !common.value.isEmpty { item.extras.value = exchange(&common.value, with: []) }
        if !common.txts.isEmpty { item.extras.txts = exchange(&common.txts, with: []) }
        if !common.funding.isEmpty { item.extras.funding = exchange(&common.funding, with: []) }
        if !common.socialInteracts.isEmpty { item.extras.socialInteracts = exchange(&common.socialInteracts, with: []) }
        if !common.images.isEmpty { item.extras.images = exchange(&common.images, with: []) }
        if let location = common.location.take() { item.extras.location = location }
        if let license = common.license.take() { item.extras.license = license }
        if let chat = common.chat.take() { item.extras.chat = chat }
        return exchange(&item, with: Item())
    }

    /// Media files by source: `enclosure` first, then Atom links, then Media RSS. Each URL appears once; missing facts
    /// are filled in from later elements.
    private var orderedEnclosures: [Enclosure] {
        if enclosures.count == 1 { return [enclosures[0].enclosure] }
        var ordered: [Enclosure] = []
        var indices: [String: Int] = [:]
        for rank in UInt8(0)...2 {
            for (enclosure, itsRank) in enclosures where itsRank == rank {
                guard let url = enclosure.url else { continue }
                if let index = indices[url] {
                    ordered[index].type.offer(enclosure.type)
                    ordered[index].length.offer(enclosure.length)
                } else {
                    indices[url] = ordered.count
                    ordered.append(enclosure)
                }
            }
        }
        return ordered
    }

    mutating func add(_ enclosure: Enclosure, rank: UInt8) {
        if enclosure.url != nil { enclosures.append((enclosure, rank)) }
    }
}

/// Replaces a value and returns the old one.
private func exchange<Value>(_ value: inout Value, with new: consuming Value) -> Value {
    swap(&value, &new)
    return new
}
