internal import Domain

/// Builds a feed from its elements as they are reported: all of the state behind the XML parser's callbacks.
struct FeedBuilder: ~Copyable {
    /// An open element.
    struct Frame {
        /// The index of its rule in the vocabulary; 0 if it has none.
        var rule: UInt16
        /// The context of its children.
        var context: Context
    }

    /// The kind of document that is expected.
    enum Purpose {
        case feed
        /// An OPML list of subscriptions.
        case outlines
    }

    let vocabulary = FeedVocabulary.standard
    private var text = TextBuffer()
    /// Line of the current event, for warnings; 0 if unknown.
    var lineOfEvent: () -> Int = { 0 }

    private(set) var frames: [Frame] = []
    /// Depth of the element whose text is being collected; 0 if none is.
    private var captureDepth = 0
    private var attributes = StoredAttributes()
    private var markup: MarkupWriter?

    private(set) var bases: BaseURLs

    // The document.
    private(set) var format: ParsedFeed.Format?
    private(set) var version: String?
    private(set) var rejectedRoot: String?
    private let purpose: Purpose
    private(set) var rootClosed = false
    private(set) var namespacesDeclared = true

    // Collected values.
    var channel = ChannelDraft()
    var item = ItemDraft()
    var isInItem = false
    /// True if the open item began inside another one, and so ended it.
    private var isInsideAnother = false
    private(set) var items: [FeedItem] = []
    var footprint = Footprint()
    private(set) var warnings: [ParseWarning] = []

    var repeatedTexts = RepeatedTexts()

    // Other open elements.
    var categoryPath: [(name: String, hasChildren: Bool)] = []
    var author = Author()
    var outlines: [OPMLOutline] = []
    /// An open outline with an empty feed URL: a subscription, unless it contains other outlines.
    var addressless: OPMLOutline?
    /// The titles of the open outlines.
    var folders: [String?] = []
    var source = Source()
    var valueBlock = ValueBlock()
    var timeSplit = ValueTimeSplit()
    var alternateEnclosure = AlternateEnclosure()

    struct Author {
        var name: String?
        var email: String?
    }

    init(baseURL: String?, purpose: Purpose = .feed) {
        bases = BaseURLs(document: baseURL)
        self.purpose = purpose
    }

    /// The open item's draft, or the channel's if no item is open.
    var common: CommonDraft {
        @inline(__always) _read {
            if isInItem { yield item.common } else { yield channel.common }
        }
        @inline(__always) _modify {
            if isInItem { yield &item.common } else { yield &channel.common }
        }
    }

    // MARK: Events

    mutating func start(_ name: ElementName, _ attributes: XMLAttributes) {
        if captureDepth != 0 {
            markup?.start(name.localName, attributes, into: &text)
            frames.append(Frame(rule: 0, context: .ignored))
            return
        }
        let parent = frames.last?.context ?? .document
        // An item ends if another one starts inside it; anything in it after that is ignored.
        if parent == .ignored || (parent == .item && !isInItem) {
            frames.append(Frame(rule: 0, context: .ignored))
            return
        }
        if attributes.hasPrefixed, let base = attributes["base", in: .xml] {
            bases.open(base, depth: frames.count + 1)
        }
        if parent == .document {
            openRoot(name, attributes)
            return
        }
        let ruleIndex = vocabulary.index(of: name.tag, in: parent)
        let rule = vocabulary.rule(ruleIndex)
        if rule.pointee.keepsAttributes { self.attributes.keep(attributes) }
        switch rule.pointee.content {
        case _ where ruleIndex == 0:
            frames.append(Frame(rule: 0, context: .ignored))
        case .children(let context):
            frames.append(Frame(rule: ruleIndex, context: context))
            if case .element(let read) = rule.pointee.action {
                read(&self, Element(text: .none, attributes: self.attributes.view))
                footprint.addElement(self.attributes.size)
            }
        case .text:
            take(ruleIndex)
        case .markup:
            take(ruleIndex)
            markup = MarkupWriter(attributes: self.attributes.view)
        case .body:
            take(ruleIndex)
            markup = MarkupWriter.body
        }
    }

    /// Starts collecting an element's text.
    private mutating func take(_ ruleIndex: UInt16) {
        frames.append(Frame(rule: ruleIndex, context: .ignored))
        captureDepth = frames.count
        text.removeAll()
    }

    mutating func characters(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard captureDepth != 0 else { return }
        if markup == nil { text.append(bytes) } else { markup?.characters(bytes, into: &text) }
    }

    /// Text whose bytes stay valid until `keepText()`.
    mutating func lastingCharacters(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard captureDepth != 0 else { return }
        if markup == nil { text.borrow(bytes) } else { markup?.characters(bytes, into: &text) }
    }

    mutating func keepText() {
        if captureDepth == 0 { text.removeAll() } else { text.own() }
    }

    mutating func end(_ localName: UnsafePointer<UInt8>) {
        guard let frame = frames.last else { return }
        if captureDepth != 0 {
            if captureDepth < frames.count {
                markup?.end(String(cString: localName), into: &text)
            } else {
                captureDepth = 0
                if markup != nil {
                    markup?.finish(&text)
                    markup = nil
                }
                switch vocabulary.rule(frame.rule).pointee.action {
                case .text(let read):
                    footprint.addText(text.count)
                    read(&self, text.trimmed)
                case .element(let read):
                    footprint.addElement(text.count + attributes.size)
                    read(&self, Element(text: text.trimmed, attributes: attributes.view))
                case .nothing: break
                }
            }
        } else if frame.rule != 0 {
            vocabulary.rule(frame.rule).pointee.close?(&self)
        }
        frames.removeLast()
        if frames.isEmpty { rootClosed = true }
        bases.close(below: frames.count)
    }

    /// Records a prefix without a declared namespace. The usual prefixes are still understood.
    mutating func meetUndeclaredPrefix() {
        if namespacesDeclared { warn("namespace", "a namespace prefix is not declared") }
        namespacesDeclared = false
    }

    // MARK: Structure

    private mutating func openRoot(_ name: ElementName, _ attributes: XMLAttributes) {
        var context = Context.channel
        switch name.localName.lowercased() {
        case "opml" where purpose == .outlines: context = .outlines
        case _ where purpose == .outlines:
            rejectedRoot = name.localName
            context = .ignored
        case "rss":
            format = .rss
            version = attributes["version"]
        case "rdf" where name.namespace == .rdf:
            format = .rdf
        case "feed": format = .atom
        case "entry" where name.namespace == .atom:
            format = .atom
            context = .item
            beginItem()
        default:
            rejectedRoot = name.localName
            context = .ignored
        }
        channel.language.offer(attributes["lang", in: .xml], rank: 2)
        frames.append(Frame(rule: 0, context: context))
    }

    mutating func beginItem() {
        isInsideAnother = isInItem
        endItem()
        isInItem = true
        footprint.beginItem()
    }

    mutating func endItem() {
        guard isInItem else { return }
        isInItem = false
        let item = self.item.takeItem()
        footprint.endItem(item)
        // A stray `<item/>` inside an item is not an item.
        if isInsideAnother, item == Item() { return }
        items.append(FeedItem(item))
    }

    mutating func endLiveItem() {
        guard isInItem else { return }
        isInItem = false
        let item = self.item.takeItem()
        footprint.endItem(item)
        channel.channel.liveItems.append(item)
    }

    /// The feed, including an item that was never closed.
    mutating func finish() -> (channel: Channel, items: [FeedItem]) {
        endItem()
        var items: [FeedItem] = []
        swap(&items, &self.items)
        let finished = channel.finished()
        if format == .atom, let author = finished.author {
            for index in items.indices where items[index].item.author == nil {
                var item = items[index].item
                item.author = author
                items[index] = FeedItem(item)
            }
        }
        return (finished, items)
    }

    /// Adds a warning, up to a thousand per feed.
    mutating func warn(_ code: String, _ message: String) {
        guard warnings.count < 1_000 else { return }
        let line = lineOfEvent()
        warnings.append(ParseWarning(code: code, message: message, line: line > 0 ? line : nil))
    }
}
