internal import Domain
internal import JSON

/// Reads JSON Feed 1.0 and 1.1, and documents with its members but without its version.
///
/// Members of an unexpected type are ignored; numbers are accepted as strings.
/// Source: https://www.jsonfeed.org/version/1.1/
struct JSONFeed: ~Copyable {
    private var json: JSONReader
    private var builder: FeedBuilder
    private var version: String?
    private var hasItems = false
    private let size: Int
    /// True while an item is being read.
    private var isInsideItem = false

    private init(_ bytes: [UInt8], baseURL: String?) {
        json = JSONReader(bytes)
        size = bytes.count
        builder = FeedBuilder(baseURL: baseURL)
    }

    /// - Throws: `NotAFeed`.
    static func read(_ text: DecodedText, baseURL: String?) throws -> ParsedFeed {
        if text.utf8.allSatisfy(Text.isBlank) { throw NotAFeed.empty }
        var feed = JSONFeed(text.utf8, baseURL: baseURL)
        var isWellFormed = true
        var isTruncated = false
        do {
            try feed.readFeed()
            try feed.json.finish()
        } catch let error as JSONError {
            if error.reason == .tooDeep { throw NotAFeed.tooDeep }
            let line = error.line(in: text.utf8)
            guard feed.isFeed else { throw NotAFeed.notXML(line: line) }
            isWellFormed = false
            isTruncated = error.reason == .ended
            feed.builder.lineOfEvent = { line }
            feed.builder.warn(
                isTruncated ? "truncated" : "json", isTruncated ? "the document ends too early" : "no JSON from here on")
        }
        guard feed.isFeed else { throw NotAFeed.unknownRoot("JSON") }
        if feed.json.flaws > 0 { feed.builder.warn("json", "characters or commas that JSON does not have: \(feed.json.flaws)") }
        if feed.json.flaws > 0 || text.replaced > 0 { isWellFormed = false }
        let (channel, items) = feed.builder.finish()
        return ParsedFeed(
            format: .json, version: feed.version.flatMap(feedVersion), encoding: text.encoding.name,
            wellFormed: isWellFormed, truncated: isTruncated, endsInsideItem: isTruncated && feed.isInsideItem,
            warnings: feed.builder.warnings, channel: channel, items: items)
    }

    private var isFeed: Bool { hasItems || version.flatMap(Self.feedVersion) != nil }

    /// `https://jsonfeed.org/version/1` is 1.0, `…/1.1` is 1.1.
    private static func feedVersion(_ url: String) -> String? {
        guard url.lowercased().contains("jsonfeed.org/version/"), let last = url.split(separator: "/").last else { return nil }
        return last == "1" ? "1.0" : String(last)
    }

    // MARK: The feed

    private mutating func readFeed() throws {
        try object { feed, key in
            switch key {
            case "version": feed.version.offer(try feed.text())
            case "title": feed.builder.channel.common.texts.offer(.title, try feed.text(), rank: 0)
            case "description": feed.builder.channel.common.texts.offer(.description, try feed.text(), rank: 0)
            case "home_page_url": feed.builder.channel.common.texts.offer(.link, try feed.url(), rank: 0)
            case "feed_url": feed.builder.channel.channel.feedURL.offer(try feed.url())
            case "next_url": feed.builder.channel.paging.next.offer(try feed.url())
            case "icon": feed.builder.channel.common.imageURL.offer(try feed.url(), rank: 0)
            case "favicon": feed.builder.channel.common.imageURL.offer(try feed.url(), rank: 1)
            case "language": feed.builder.channel.language.offer(try feed.text(), rank: 0)
            case "authors": feed.builder.channel.common.author.offer(try feed.firstName(), rank: 0)
            case "author": feed.builder.channel.common.author.offer(try feed.name(), rank: 1)
            case "expired": feed.builder.channel.channel.complete.offer(try feed.flag())
            case "hubs": try feed.array { try $0.readHub() }
            case "items":
                feed.hasItems = try feed.json.peek() == .array
                try feed.array { try $0.readItem() }
            default: try feed.json.skip()
            }
        }
    }

    private mutating func readHub() throws {
        try object { feed, key in
            guard key == "url" else { return _ = try feed.json.skip() }
            if let url = try feed.url() { feed.builder.channel.hubs.append(url) }
        }
    }

    // MARK: Items

    private mutating func readItem() throws {
        guard try json.peek() == .object else { return _ = try json.skip() }
        builder.beginItem()
        isInsideItem = true
        // An item that is cut off is kept with what it had.
        defer { builder.endItem() }
        try object { feed, key in
            switch key {
            case "id": feed.builder.item.common.texts.offer(.guid, try feed.text(), rank: 0)
            case "title": feed.builder.item.common.texts.offer(.title, try feed.text(), rank: 0)
            case "summary": feed.builder.item.common.texts.offer(.description, try feed.text(), rank: 0)
            case "content_html": feed.builder.item.common.texts.offer(.content, try feed.text(), rank: 0)
            case "content_text": feed.builder.item.common.texts.offer(.content, try feed.text(), rank: 1)
            case "url": feed.builder.item.common.texts.offer(.link, try feed.url(), rank: 0)
            case "external_url": feed.builder.item.common.texts.offer(.link, try feed.url(), rank: 1)
            case "image": feed.builder.item.common.imageURL.offer(try feed.url(), rank: 0)
            case "banner_image": feed.builder.item.common.imageURL.offer(try feed.url(), rank: 1)
            case "date_published": feed.builder.item.common.publishedAt.offer(try feed.date(), rank: 0)
            case "date_modified": feed.builder.item.common.updatedAt.offer(try feed.date(), rank: 0)
            case "authors": feed.builder.item.common.author.offer(try feed.firstName(), rank: 0)
            case "author": feed.builder.item.common.author.offer(try feed.name(), rank: 1)
            case "tags": try feed.array { $0.builder.item.common.tag(try $0.text()) }
            case "attachments": try feed.array { try $0.readAttachment() }
            default: try feed.json.skip()
            }
        }
        isInsideItem = false
        if builder.footprint.isTooLarge(document: size, held: 2 * size) { throw NotAFeed.tooLarge }
    }

    private mutating func readAttachment() throws {
        var enclosure = Enclosure()
        var seconds: Double?
        try object { feed, key in
            switch key {
            case "url": enclosure.url.offer(try feed.url())
            case "mime_type": enclosure.type.offer(try feed.text())
            case "size_in_bytes": enclosure.length.offer(try feed.text()?.withText(readSize) ?? nil)
            case "duration_in_seconds": seconds.offer(feed.builder.duration(try feed.text()))
            default: try feed.json.skip()
            }
        }
        guard enclosure.url != nil else { return }
        builder.item.add(enclosure, rank: 0)
        builder.item.duration.offer(seconds, rank: 0)
    }

    // MARK: Values of any type

    /// A string, or a number as it is written.
    private mutating func text() throws -> String? {
        switch try json.peek() {
        case .string:
            let text = try json.string().trimmedValue
            builder.noteText(text?.utf8.count ?? 0)
            return text
        case .number: return try json.numberText()
        default:
            try json.skip()
            return nil
        }
    }

    private mutating func url() throws -> String? { builder.url(try text()) }
    private mutating func date() throws -> Timestamp? { builder.date(try text()) }

    private mutating func flag() throws -> Bool? {
        guard try json.peek() == .bool else { return try text()?.withText(readFlag) ?? nil }
        return try json.bool()
    }

    /// `{ "name": … }`, or the name alone.
    private mutating func name() throws -> String? {
        guard try json.peek() == .object else { return try text() }
        var name: String?
        try object { feed, key in
            if key == "name" { name.offer(try feed.text()) } else { try feed.json.skip() }
        }
        return name
    }

    private mutating func firstName() throws -> String? {
        guard try json.peek() == .array else { return try name() }
        var first: String?
        try array { first.offer(try $0.name()) }
        return first
    }

    private mutating func object(_ member: (inout JSONFeed, String) throws -> Void) throws {
        guard try json.peek() == .object else { return _ = try json.skip() }
        // The reader is moved out and back, so that members may use all of `self`.
        var reader = json
        defer { json = reader }
        try reader.object { inner, key in
            json = inner
            defer { inner = json }
            try member(&self, key)
        }
    }

    private mutating func array(_ element: (inout JSONFeed) throws -> Void) throws {
        guard try json.peek() == .array else { return _ = try json.skip() }
        var reader = json
        defer { json = reader }
        try reader.array { inner in
            json = inner
            defer { inner = json }
            try element(&self)
        }
    }
}
