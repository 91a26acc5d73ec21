/// itunes:owner.
public struct Owner: ReadableFields, Equatable, Sendable {
    public var name: String?
    public var email: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("name", &name)
        list.text("email", &email)
    }
}

/// When the publisher says the feed changes: RSS ttl, skipHours, skipDays and the syndication module.
public struct PublishingSchedule: ReadableFields, Equatable, Sendable {
    public var ttlMinutes: Int?
    /// 0 to 23, UTC.
    public var skipHours: [Int] = []
    /// Lower-case English day names.
    public var skipDays: [String] = []
    public var updatePeriod: String?
    public var updateFrequency: Int?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.integer("ttlMinutes", &ttlMinutes)
        list.integers("skipHours", &skipHours)
        list.texts("skipDays", &skipDays)
        list.text("updatePeriod", &updatePeriod)
        list.integer("updateFrequency", &updateFrequency)
    }
}

/// Links to other pages of the feed. Source: RFC 5005.
public struct Paging: ReadableFields, Equatable, Sendable {
    public var next: String?
    public var prev: String?
    public var first: String?
    public var last: String?
    public var current: String?
    public var prevArchive: String?
    public var archive: Bool?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("next", &next)
        list.text("prev", &prev)
        list.text("first", &first)
        list.text("last", &last)
        list.text("current", &current)
        list.text("prevArchive", &prevArchive)
        list.flag("archive", &archive)
    }
}

/// podcast:locked: whether other hosts may import the feed.
public struct Locked: ReadableFields, Equatable, Sendable {
    public var value: Bool?
    public var owner: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.flag("value", &value)
        list.text("owner", &owner)
    }
}

/// podcast:trailer.
public struct Trailer: ReadableFields, Equatable, Sendable {
    public var title: String?
    public var url: String?
    public var publishedAt: Timestamp?
    /// Bytes.
    public var length: Int?
    public var type: String?
    public var season: Int?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("title", &title)
        list.text("url", &url)
        list.time("publishedAt", &publishedAt)
        list.integer("length", &length)
        list.text("type", &type)
        list.integer("season", &season)
    }
}

/// podcast:block.
public struct Block: ReadableFields, Equatable, Sendable {
    public var value: Bool?
    public var id: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.flag("value", &value)
        list.text("id", &id)
    }
}

/// podcast:updateFrequency.
public struct UpdateFrequency: ReadableFields, Equatable, Sendable {
    public var text: String?
    public var complete: Bool?
    public var startAt: Timestamp?
    public var rrule: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("text", &text)
        list.flag("complete", &complete)
        list.time("startAt", &startAt)
        list.text("rrule", &rrule)
    }
}
