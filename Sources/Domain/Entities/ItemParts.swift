/// A media file of an episode.
public struct Enclosure: ReadableFields, Equatable, Sendable {
    public var url: String?
    public var type: String?
    /// Bytes.
    public var length: Int?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("url", &url)
        list.text("type", &type)
        list.integer("length", &length)
    }
}

/// itunes:season, podcast:season.
public struct Season: ReadableFields, Equatable, Sendable {
    public var number: Double?
    public var name: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.number("number", &number)
        list.text("name", &name)
    }
}

/// itunes:episode, podcast:episode; may be fractional.
public struct EpisodeNumber: ReadableFields, Equatable, Sendable {
    public var number: Double?
    public var display: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.number("number", &number)
        list.text("display", &display)
    }
}

/// podcast:chapters: a file of chapters.
public struct ChaptersLink: ReadableFields, Equatable, Sendable {
    public var url: String?
    public var type: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("url", &url)
        list.text("type", &type)
    }
}

/// psc:chapter (Podlove Simple Chapters).
public struct Chapter: ReadableFields, Equatable, Sendable {
    /// Seconds.
    public var start: Double?
    public var title: String?
    public var link: String?
    public var imageURL: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.number("start", &start)
        list.text("title", &title)
        list.text("link", &link)
        list.text("imageURL", &imageURL)
    }
}

/// podcast:transcript.
public struct Transcript: ReadableFields, Equatable, Sendable {
    public var url: String?
    public var type: String?
    public var language: String?
    public var rel: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("url", &url)
        list.text("type", &type)
        list.text("language", &language)
        list.text("rel", &rel)
    }
}

/// podcast:soundbite; start and duration in seconds.
public struct Soundbite: ReadableFields, Equatable, Sendable {
    public var start: Double?
    public var duration: Double?
    public var title: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.number("start", &start)
        list.number("duration", &duration)
        list.text("title", &title)
    }
}

/// podcast:alternateEnclosure.
public struct AlternateEnclosure: ReadableFields, Equatable, Sendable {
    public var type: String?
    /// Bytes.
    public var length: Int?
    public var bitrate: Double?
    public var height: Int?
    public var language: String?
    public var title: String?
    public var rel: String?
    public var codecs: String?
    public var `default`: Bool?
    public var integrity: Integrity?
    public var sources: [MediaSource] = []

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("type", &type)
        list.integer("length", &length)
        list.number("bitrate", &bitrate)
        list.integer("height", &height)
        list.text("language", &language)
        list.text("title", &title)
        list.text("rel", &rel)
        list.text("codecs", &codecs)
        list.flag("default", &`default`)
        list.object("integrity", &integrity)
        list.objects("sources", &sources)
    }
}

/// podcast:integrity.
public struct Integrity: ReadableFields, Equatable, Sendable {
    public var type: String?
    public var value: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("type", &type)
        list.text("value", &value)
    }
}

/// podcast:source.
public struct MediaSource: ReadableFields, Equatable, Sendable {
    public var uri: String?
    public var contentType: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("uri", &uri)
        list.text("contentType", &contentType)
    }
}

/// podcast:contentLink.
public struct ContentLink: ReadableFields, Equatable, Sendable {
    public var href: String?
    public var text: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("href", &href)
        list.text("text", &text)
    }
}

/// The feed an item was taken from: RSS source, Atom source.
public struct Source: ReadableFields, Equatable, Sendable {
    public var title: String?
    public var url: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("title", &title)
        list.text("url", &url)
    }
}

/// podcast:liveItem.
public struct Live: ReadableFields, Equatable, Sendable {
    public var status: String?
    public var start: Timestamp?
    public var end: Timestamp?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("status", &status)
        list.time("start", &start)
        list.time("end", &end)
    }
}

extension Item {
    /// Season and number as people write them: `S3E4`, `S3`, `E4`; nil if the feed has neither.
    public var numbering: String? {
        let parts = [("S", season?.number), ("E", episode?.number)].compactMap { mark, number in
            number.map { mark + $0.plain }
        }
        return parts.isEmpty ? nil : parts.joined()
    }
}

extension Double {
    /// A season or an episode number as people write it: `2`, `2.5`.
    package var plain: String { Int(exactly: self).map(String.init) ?? String(self) }
}
