/// A media file of an episode.
public struct Enclosure: Fields, Equatable, Sendable {
    public var url: String?
    public var type: String?
    /// Bytes.
    public var length: Int?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("url", url)
        visitor.text("type", type)
        visitor.integer("length", length)
    }
}

/// itunes:season, podcast:season.
public struct Season: Fields, Equatable, Sendable {
    public var number: Double?
    public var name: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.number("number", number)
        visitor.text("name", name)
    }
}

/// itunes:episode, podcast:episode; may be fractional.
public struct EpisodeNumber: Fields, Equatable, Sendable {
    public var number: Double?
    public var display: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.number("number", number)
        visitor.text("display", display)
    }
}

/// podcast:chapters: a file of chapters.
public struct ChaptersLink: Fields, Equatable, Sendable {
    public var url: String?
    public var type: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("url", url)
        visitor.text("type", type)
    }
}

/// psc:chapter (Podlove Simple Chapters).
public struct Chapter: Fields, Equatable, Sendable {
    /// Seconds.
    public var start: Double?
    public var title: String?
    public var link: String?
    public var imageURL: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.number("start", start)
        visitor.text("title", title)
        visitor.text("link", link)
        visitor.text("imageURL", imageURL)
    }
}

/// podcast:transcript.
public struct Transcript: Fields, Equatable, Sendable {
    public var url: String?
    public var type: String?
    public var language: String?
    public var rel: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("url", url)
        visitor.text("type", type)
        visitor.text("language", language)
        visitor.text("rel", rel)
    }
}

/// podcast:soundbite; start and duration in seconds.
public struct Soundbite: Fields, Equatable, Sendable {
    public var start: Double?
    public var duration: Double?
    public var title: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.number("start", start)
        visitor.number("duration", duration)
        visitor.text("title", title)
    }
}

/// podcast:alternateEnclosure.
public struct AlternateEnclosure: Fields, Equatable, Sendable {
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

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("type", type)
        visitor.integer("length", length)
        visitor.number("bitrate", bitrate)
        visitor.integer("height", height)
        visitor.text("language", language)
        visitor.text("title", title)
        visitor.text("rel", rel)
        visitor.text("codecs", codecs)
        visitor.flag("default", `default`)
        visitor.object("integrity", integrity)
        visitor.objects("sources", sources)
    }
}

/// podcast:integrity.
public struct Integrity: Fields, Equatable, Sendable {
    public var type: String?
    public var value: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("type", type)
        visitor.text("value", value)
    }
}

/// podcast:source.
public struct MediaSource: Fields, Equatable, Sendable {
    public var uri: String?
    public var contentType: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("uri", uri)
        visitor.text("contentType", contentType)
    }
}

/// podcast:contentLink.
public struct ContentLink: Fields, Equatable, Sendable {
    public var href: String?
    public var text: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("href", href)
        visitor.text("text", text)
    }
}

/// The feed an item was taken from: RSS source, Atom source.
public struct Source: Fields, Equatable, Sendable {
    public var title: String?
    public var url: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("title", title)
        visitor.text("url", url)
    }
}

/// podcast:liveItem.
public struct Live: Fields, Equatable, Sendable {
    public var status: String?
    public var start: Timestamp?
    public var end: Timestamp?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("status", status)
        visitor.time("start", start)
        visitor.time("end", end)
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
