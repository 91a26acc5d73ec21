/// A parsed feed document: everything that `jimmy parse` prints.
public struct ParsedFeed: Sendable {
    public enum Format: String, Sendable {
        case rss, rdf, atom, json
    }

    public var format: Format
    /// As declared; nil for RDF and Atom.
    public var version: String?
    /// The WHATWG label, in lower case, of the encoding that was used.
    public var encoding: String
    /// False if the parser had to recover from an error.
    public var wellFormed: Bool
    /// The document ended before its root element did. Such a feed never withdraws episodes and leaves no validators.
    public var truncated: Bool
    /// The document ended inside the last item, which holds what was read of it.
    public var endsInsideItem: Bool
    public var warnings: [ParseWarning]
    public var channel: Channel
    /// In document order.
    public var items: [FeedItem]

    public init(
        format: Format, version: String? = nil, encoding: String = "utf-8", wellFormed: Bool = true,
        truncated: Bool = false, endsInsideItem: Bool = false, warnings: [ParseWarning] = [], channel: Channel = Channel(),
        items: [FeedItem] = []
    ) {
        self.format = format
        self.version = version
        self.encoding = encoding
        self.wellFormed = wellFormed
        self.truncated = truncated
        self.endsInsideItem = endsInsideItem
        self.warnings = warnings
        self.channel = channel
        self.items = items
    }

    /// The feed as it is stored, without an incomplete last item. `jimmy parse` shows that item, but it must not become
    /// an episode.
    package var withoutOpenItem: ParsedFeed {
        guard endsInsideItem else { return self }
        var feed = self
        feed.items = feed.items.dropLast()
        feed.endsInsideItem = false
        return feed
    }
}

/// A part of a feed that could not be read as written, and was skipped or repaired.
public struct ParseWarning: Fields, Equatable, Sendable {
    /// A stable word for scripts, such as `date`, `duration`, `encoding`, `entity`, `truncated`.
    public var code: String
    public var message: String
    public var line: Int?

    public init(code: String, message: String, line: Int? = nil) {
        self.code = code
        self.message = message
        self.line = line
    }

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("code", code)
        visitor.text("message", message)
        visitor.integer("line", line)
    }
}

/// Why a document is not a feed.
public enum NotAFeed: Error, Equatable, Sendable {
    case empty
    case html
    case notXML(line: Int?)
    case unknownRoot(String)
    case tooDeep
    case entityExpansion
    /// It would exceed the memory limit for one feed.
    case tooLarge
}

extension NotAFeed {
    /// A stable word for stored records.
    public var fact: String {
        switch self {
        case .empty: "empty"
        case .html: "html"
        case .notXML: "notXML"
        case .unknownRoot(let name): "root:\(name.prefix(40))"
        case .tooDeep: "tooDeep"
        case .entityExpansion: "entityExpansion"
        case .tooLarge: "tooLarge"
        }
    }

    public init?(fact: String) {
        switch fact {
        case "empty": self = .empty
        case "html": self = .html
        case "notXML": self = .notXML(line: nil)
        case "tooDeep": self = .tooDeep
        case "entityExpansion": self = .entityExpansion
        case "tooLarge": self = .tooLarge
        default:
            guard fact.hasPrefix("root:") else { return nil }
            self = .unknownRoot(String(fact.dropFirst(5)))
        }
    }
}
