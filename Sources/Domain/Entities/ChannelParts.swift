/// itunes:owner.
public struct Owner: Fields, Equatable, Sendable {
    public var name: String?
    public var email: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("name", name)
        visitor.text("email", email)
    }
}

/// When the publisher says the feed changes: RSS ttl, skipHours, skipDays and the syndication module.
public struct PublishingSchedule: Fields, Equatable, Sendable {
    public var ttlMinutes: Int?
    /// 0 to 23, UTC.
    public var skipHours: [Int] = []
    /// Lower-case English day names.
    public var skipDays: [String] = []
    public var updatePeriod: String?
    public var updateFrequency: Int?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.integer("ttlMinutes", ttlMinutes)
        visitor.integers("skipHours", skipHours)
        visitor.texts("skipDays", skipDays)
        visitor.text("updatePeriod", updatePeriod)
        visitor.integer("updateFrequency", updateFrequency)
    }
}

/// Links to other pages of the feed. Source: RFC 5005.
public struct Paging: Fields, Equatable, Sendable {
    public var next: String?
    public var prev: String?
    public var first: String?
    public var last: String?
    public var current: String?
    public var prevArchive: String?
    public var archive: Bool?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("next", next)
        visitor.text("prev", prev)
        visitor.text("first", first)
        visitor.text("last", last)
        visitor.text("current", current)
        visitor.text("prevArchive", prevArchive)
        visitor.flag("archive", archive)
    }
}

/// podcast:locked: whether other hosts may import the feed.
public struct Locked: Fields, Equatable, Sendable {
    public var value: Bool?
    public var owner: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.flag("value", value)
        visitor.text("owner", owner)
    }
}

/// podcast:trailer.
public struct Trailer: Fields, Equatable, Sendable {
    public var title: String?
    public var url: String?
    public var publishedAt: Timestamp?
    /// Bytes.
    public var length: Int?
    public var type: String?
    public var season: Int?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("title", title)
        visitor.text("url", url)
        visitor.time("publishedAt", publishedAt)
        visitor.integer("length", length)
        visitor.text("type", type)
        visitor.integer("season", season)
    }
}

/// podcast:block.
public struct Block: Fields, Equatable, Sendable {
    public var value: Bool?
    public var id: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.flag("value", value)
        visitor.text("id", id)
    }
}

/// podcast:updateFrequency.
public struct UpdateFrequency: Fields, Equatable, Sendable {
    public var text: String?
    public var complete: Bool?
    public var startAt: Timestamp?
    public var rrule: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("text", text)
        visitor.flag("complete", complete)
        visitor.time("startAt", startAt)
        visitor.text("rrule", rrule)
    }
}
