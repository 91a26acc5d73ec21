/// Reads one feed document, pushed in pieces as they arrive. One parser reads one document, on one task.
public protocol FeedParsing: AnyObject {
    func push(_ bytes: [UInt8])
    /// - Throws: `NotAFeed`; `SystemFailure` if the parser cannot be loaded.
    func finish() throws -> ParsedFeed
}

/// Facts about a document that are not in its bytes.
public struct ParseHints: Sendable {
    /// Relative URLs are resolved against it if the document has no base of its own.
    public var baseURL: String?
    /// The Content-Type header. Its charset takes precedence over the document's own declaration.
    public var contentType: String?
    /// The Link header, which may name the feeds of a web page.
    public var link: String?

    public init(baseURL: String? = nil, contentType: String? = nil, link: String? = nil) {
        self.baseURL = baseURL
        self.contentType = contentType
        self.link = link
    }
}

/// Makes a parser for one document.
public typealias MakeFeedParser = @Sendable (ParseHints) -> any FeedParsing

/// A feed that a web page names.
public struct FeedLink: Equatable, Sendable {
    public var url: String
    public var title: String?
    public var type: String?

    public init(url: String, title: String? = nil, type: String? = nil) {
        self.url = url
        self.title = title
        self.type = type
    }
}

/// Finds the feeds that a web page names, in document order.
public typealias FindFeedLinks = @Sendable (_ html: [UInt8], ParseHints) -> [FeedLink]

/// Thrown for a web page instead of a feed, if `findFeedLinks` is set.
package struct WebPage: Error {
    /// The feeds that the page names, in document order.
    package let links: [FeedLink]

    package init(links: [FeedLink]) { self.links = links }
}
