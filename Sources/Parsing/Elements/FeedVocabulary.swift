/// The parent of an element. Rules are chosen by it and the element's name.
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
    /// Inside an element without a rule; everything in it is ignored.
    case ignored

    static let anywhere: [Context] = [.channel, .item]
}

/// One line of the vocabulary: the action for an element, by its parent and its name.
///
/// Names are written with their usual prefix (`itunes:author`, `title`); feeds may use any prefix.
struct Rule: Sendable {
    enum Content: Sendable {
        /// The element's text, including that of all descendants.
        case text
        /// An Atom text construct: as `text`, or serialized markup if its type says so.
        case markup
        /// The inner markup, serialized.
        case body
        /// Child elements, which have the rules of this context.
        case children(Context)
    }

    /// The action for the element: at its start if it has child elements, otherwise at its end.
    enum Action: Sendable {
        case nothing
        /// Uses only the text.
        case text(@Sendable (inout FeedBuilder, Text) -> Void)
        /// Uses the attributes, and perhaps the text.
        case element(@Sendable (inout FeedBuilder, Element) -> Void)
    }

    let name: StaticString
    let contexts: [Context]
    let content: Content
    let keepsAttributes: Bool
    let action: Action
    /// At the end of an element with children.
    let close: (@Sendable (inout FeedBuilder) -> Void)?

    fileprivate init(
        _ name: StaticString, _ contexts: [Context], _ content: Content, keepsAttributes: Bool, _ action: Action,
        close: (@Sendable (inout FeedBuilder) -> Void)? = nil
    ) {
        self.name = name
        self.contexts = contexts
        self.content = content
        self.keepsAttributes = keepsAttributes
        self.action = action
        self.close = close
    }

    /// An element of which only the text is used.
    static func text(
        _ name: StaticString, in contexts: [Context], _ read: @escaping @Sendable (inout FeedBuilder, Text) -> Void
    ) -> Rule {
        Rule(name, contexts, .text, keepsAttributes: false, .text(read))
    }

    /// An element of which the attributes are used, and perhaps the text.
    static func element(
        _ name: StaticString, in contexts: [Context], _ read: @escaping @Sendable (inout FeedBuilder, Element) -> Void
    ) -> Rule {
        Rule(name, contexts, .text, keepsAttributes: true, .element(read))
    }

    /// An Atom text construct. Its text is nil if it holds something else, such as an image in base64.
    static func markup(
        _ name: StaticString, in contexts: [Context], _ read: @escaping @Sendable (inout FeedBuilder, Text) -> Void
    ) -> Rule {
        Rule(name, contexts, .markup, keepsAttributes: true, .text(read))
    }

    /// An XHTML element of which the inner markup is used.
    static func body(
        _ name: StaticString, in contexts: [Context], _ read: @escaping @Sendable (inout FeedBuilder, Text) -> Void
    ) -> Rule {
        Rule(name, contexts, .body, keepsAttributes: false, .text(read))
    }

    /// An element with children.
    static func parent(
        _ name: StaticString, in contexts: [Context], of inner: Context,
        open: (@Sendable (inout FeedBuilder, Element) -> Void)? = nil,
        close: (@Sendable (inout FeedBuilder) -> Void)? = nil
    ) -> Rule {
        Rule(name, contexts, .children(inner), keepsAttributes: open != nil, open.map { .element($0) } ?? .nothing, close: close)
    }
}

/// An element as its rule sees it. Valid only while the rule runs.
struct Element {
    /// Its text, trimmed; empty at the start of an element with children.
    let text: Text
    let attributes: AttributeView

    /// The attribute's value, trimmed; nil if it is empty.
    subscript(_ name: StaticString, in space: XMLAttributes.Space = .plain) -> String? {
        attributes.text(name, in: space).value
    }

    /// The same without creating a String.
    func text(_ name: StaticString, in space: XMLAttributes.Space = .plain) -> Text { attributes.text(name, in: space) }
}

/// All rules, looked up by the parent's context and the element's name.
///
/// `@unchecked Sendable`: the tables are written by `init`, which runs once per process, and only read afterwards. They
/// are plain memory, never freed, so that no references are counted for the hundreds of thousands of elements of a
/// feed.
struct FeedVocabulary: @unchecked Sendable {
    /// The number of a name; 0 stands for every name without a rule.
    typealias Tag = UInt16

    private let count: Int
    /// The index of the rule for each context and tag, or 0.
    private let table: UnsafePointer<UInt16>
    /// By index; the first is for elements without a rule.
    private let rules: UnsafePointer<Rule>
    /// A key of each rule's name, by position. Most names differ in it, so names are seldom compared.
    private let keys: UnsafePointer<UInt64>

    static let standard = FeedVocabulary(
        structure + channelElements + sharedElements + itemElements + mediaElements + podcastElements + outlineElements)

    private init(_ lines: [Rule]) {
        let lines = [Rule("", [], .text, keepsAttributes: false, .nothing)] + lines
        count = lines.count
        let rules = UnsafeMutablePointer<Rule>.allocate(capacity: count)
        let table = UnsafeMutablePointer<UInt16>.allocate(capacity: Context.allCases.count * count)
        table.initialize(repeating: 0, count: Context.allCases.count * count)
        let keys = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
        for (index, rule) in lines.enumerated() {
            (rules + index).initialize(to: rule)
            (keys + index).initialize(to: Self.key(Text(rule.name)))
            let tag = Self.tag(Text(rule.name), among: rules, keys, index + 1)
            for context in rule.contexts {
                let entry = table + Int(context.rawValue) * count + Int(tag)
                precondition(entry.pointee == 0, "two rules for \(rule.name) in \(context)")
                entry.pointee = UInt16(index)
            }
        }
        self.rules = UnsafePointer(rules)
        self.table = UnsafePointer(table)
        self.keys = UnsafePointer(keys)
    }

    /// The length and the last letters, in any letter case.
    private static func key(_ name: Text) -> UInt64 {
        name.bytes.suffix(7).reduce(UInt64(name.bytes.count)) { $0 << 8 | UInt64($1 | 0x20) }
    }

    /// The number of a name: the index of the first rule with it. Letter case is ignored for fields, since handmade
    /// feeds have `pubdate` and `Title`, and no two names of the vocabulary differ only in case.
    private static func tag(_ name: Text, among rules: UnsafePointer<Rule>, _ keys: UnsafePointer<UInt64>, _ count: Int) -> Tag {
        let key = key(name)
        return Tag(
            (0..<count).first {
                guard keys[$0] == key else { return false }
                if case .children = rules[$0].content { return name.isSame(as: rules[$0].name) }
                return name.isSame(ignoringCase: rules[$0].name)
            } ?? 0)
    }

    func tag(_ namespace: Namespace, _ name: String) -> Tag {
        (namespace == .rss ? name : "\(namespace.rawValue):\(name)").withText { Self.tag($0, among: rules, keys, count) }
    }

    /// The index of the rule for an element; 0 if there is none.
    @inline(__always)
    func index(of tag: Tag, in context: Context) -> UInt16 {
        tag == 0 ? 0 : table[Int(context.rawValue) * count + Int(tag)]
    }

    /// The rule at an index returned by `index(of:in:)`.
    @inline(__always)
    func rule(_ index: UInt16) -> UnsafePointer<Rule> { rules + Int(index) }
}
