/// Where an element stands: what its parent is. The vocabulary's rules are chosen by it.
enum Context: UInt8, CaseIterable {
    /// Above the root element.
    case document
    /// The channel, an Atom feed, and the roots rss and rdf:RDF around a channel.
    case channel
    /// An RSS item, an Atom entry, a podcast:liveItem.
    case item
    case channelImage, atomAuthor, owner, category, skipHours, skipDays
    case source, media, chapters, value, timeSplit, alternateEnclosure, podroll, publisher
    /// OPML, its body, and an outline in it.
    case outlines
    /// Inside an element no rule knows; everything in it is passed over.
    case ignored

    static let anywhere: [Context] = [.channel, .item]
}

/// One line of the vocabulary: what is done with an element, by its parent and its name.
///
/// Names are written with their usual prefix (`itunes:author`, `title`); feeds may use any prefix.
final class Rule: Sendable {
    enum Content: Sendable {
        /// The element's text, taken together from all its descendants.
        case text
        /// An Atom text construct: as `text`, or serialized markup where its type says so.
        case markup
        /// The inner markup, serialized.
        case body
        /// Child elements, for which rules stand under this context.
        case children(Context)
    }

    /// What has to be known at an element's start.
    struct Shape: Sendable {
        let content: Content
        /// Whether the attributes are wanted.
        let keepsAttributes: Bool
    }

    let name: String
    let contexts: [Context]
    let shape: Shape
    /// For an element with children, at its start; for others, at its end.
    let read: (@Sendable (inout FeedBuilder, Element) -> Void)?
    /// At the end of an element with children.
    let close: (@Sendable (inout FeedBuilder) -> Void)?

    private init(
        _ name: String, _ contexts: [Context], _ content: Content, keepsAttributes: Bool,
        read: (@Sendable (inout FeedBuilder, Element) -> Void)?, close: (@Sendable (inout FeedBuilder) -> Void)? = nil
    ) {
        self.name = name
        self.contexts = contexts
        shape = Shape(content: content, keepsAttributes: keepsAttributes)
        self.read = read
        self.close = close
    }

    /// An element that is wanted for its text alone.
    static func text(
        _ name: String, in contexts: [Context], _ read: @escaping @Sendable (inout FeedBuilder, Text) -> Void
    ) -> Rule {
        Rule(name, contexts, .text, keepsAttributes: false) { read(&$0, $1.text) }
    }

    /// An element that is wanted for its attributes, and perhaps its text.
    static func element(
        _ name: String, in contexts: [Context], _ read: @escaping @Sendable (inout FeedBuilder, Element) -> Void
    ) -> Rule {
        Rule(name, contexts, .text, keepsAttributes: true, read: read)
    }

    /// An Atom text construct. Its text is nil where it holds what is no text, such as an image in base64.
    static func markup(
        _ name: String, in contexts: [Context], _ read: @escaping @Sendable (inout FeedBuilder, Text) -> Void
    ) -> Rule {
        Rule(name, contexts, .markup, keepsAttributes: true) { read(&$0, $1.text) }
    }

    /// An XHTML element that is wanted for the markup inside it.
    static func body(
        _ name: String, in contexts: [Context], _ read: @escaping @Sendable (inout FeedBuilder, Text) -> Void
    ) -> Rule {
        Rule(name, contexts, .body, keepsAttributes: false) { read(&$0, $1.text) }
    }

    /// An element with children.
    static func parent(
        _ name: String, in contexts: [Context], of inner: Context,
        open: (@Sendable (inout FeedBuilder, Element) -> Void)? = nil,
        close: (@Sendable (inout FeedBuilder) -> Void)? = nil
    ) -> Rule {
        Rule(name, contexts, .children(inner), keepsAttributes: open != nil, read: open, close: close)
    }
}

/// An element as its rule sees it. Valid only while the rule runs.
struct Element {
    /// Its text, trimmed; empty at the start of an element with children.
    let text: Text
    let attributes: AttributeView

    /// The attribute's value, trimmed; nil where it is empty.
    subscript(_ name: StaticString, in space: XMLAttributes.Space = .plain) -> String? {
        attributes.text(name, in: space).value
    }

    /// The same without making a String of it.
    func text(_ name: StaticString) -> Text { attributes.text(name, in: .plain) }
}

/// All rules, found by the parent's context and the element's name.
struct Vocabulary: Sendable {
    /// The number of a name; 0 stands for every name without a rule.
    typealias Tag = UInt16

    private let tags: [String: Tag]
    private let tagCount: Int
    /// For each context and tag the place of its rule, or 0.
    private let table: [UInt16]
    private let rules: [Rule?]
    /// Apart from the rules, so that the many starts count no references.
    private let shapes: [Rule.Shape]

    static let standard = Vocabulary(
        structure + channelElements + sharedElements + itemElements + mediaElements + podcastElements + outlineElements)

    private init(_ lines: [Rule]) {
        var tags: [String: Tag] = [:]
        for rule in lines where tags[rule.name] == nil { tags[rule.name] = Tag(tags.count + 1) }
        let count = tags.count + 1
        var table = [UInt16](repeating: 0, count: Context.allCases.count * count)
        for (index, rule) in lines.enumerated() {
            for context in rule.contexts {
                let place = Int(context.rawValue) * count + Int(tags[rule.name] ?? 0)
                precondition(table[place] == 0, "two rules for \(rule.name) in \(context)")
                table[place] = UInt16(index + 1)
            }
        }
        self.tags = tags
        self.table = table
        rules = [nil] + lines
        shapes = [Rule.Shape(content: .text, keepsAttributes: false)] + lines.map(\.shape)
        tagCount = count
    }

    func tag(_ namespace: Namespace, _ name: String) -> Tag {
        tags[namespace == .rss ? name : "\(namespace.rawValue):\(name)"] ?? 0
    }

    /// The place of the rule for an element; 0 where there is none.
    @inline(__always)
    func place(of tag: Tag, in context: Context) -> UInt16 {
        tag == 0 ? 0 : table[Int(context.rawValue) * tagCount + Int(tag)]
    }

    @inline(__always)
    func shape(_ place: UInt16) -> Rule.Shape { shapes[Int(place)] }

    @inline(__always)
    subscript(_ place: UInt16) -> Rule? { rules[Int(place)] }
}
