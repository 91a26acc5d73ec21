/// An element's name in the vocabulary.
struct ElementName {
    var tag: FeedVocabulary.Tag
    var namespace: Namespace
    /// libxml2's interned copy of the name without its prefix.
    var local: UnsafePointer<UInt8>

    var localName: String { String(cString: local) }
}

/// Turns libxml2's names into the vocabulary's.
///
/// libxml2 interns the names and URIs of a document, so three pointers make a key that is compared without looking at
/// letters.
struct ElementNames: ~Copyable {
    typealias CString = UnsafePointer<UInt8>

    private struct Entry {
        var prefix: CString?
        var uri: CString?
        var name: ElementName?
    }

    private static let slots = 512
    private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: slots)
    private let vocabulary: FeedVocabulary
    /// The default namespace of the root element, and the one it stands for. Feeds that declare a namespace of their
    /// own invention, or none, are read by the name of their root.
    private var root: (uri: CString?, namespace: Namespace)?
    /// True for a root such as `RSS` or `Feed`, whose structure has unusual letter case too: `CHANNEL`, `Entry`.
    private var structureIsLowercased = false

    init(_ vocabulary: FeedVocabulary) {
        self.vocabulary = vocabulary
        entries.initialize(repeating: Entry(), count: Self.slots)
    }

    deinit { entries.deallocate() }

    /// Looks the name up in one of a few cache slots. If all are taken, it replaces the first one.
    mutating func name(_ local: CString, prefix: CString?, uri: CString?) -> ElementName {
        let key = UInt(bitPattern: local) &+ UInt(bitPattern: uri) &* 31 &+ UInt(bitPattern: prefix) &* 17
        let first = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 55)
        var slot = first
        for step in 0..<4 {
            let entry = entries + (first + step) % Self.slots
            guard let name = entry.pointee.name else {
                slot = (first + step) % Self.slots
                break
            }
            if name.local == local, entry.pointee.uri == uri, entry.pointee.prefix == prefix { return name }
        }
        let name = resolve(local, prefix, uri)
        entries[slot] = Entry(prefix: prefix, uri: uri, name: name)
        return name
    }

    private mutating func resolve(_ local: CString, _ prefix: CString?, _ uri: CString?) -> ElementName {
        let localName = String(cString: local)
        var namespace: Namespace
        if let uri {
            namespace = Namespace(uri: Text(cString: uri))
        } else if let prefix {
            namespace = Namespace(undeclaredPrefix: Text(cString: prefix))
        } else {
            namespace = .rss
        }
        if root == nil {
            structureIsLowercased = !["rss", "RDF", "feed", "entry"].contains(localName)
            switch localName.lowercased() {
            case "rss": root = (uri, .rss)
            case "feed", "entry": root = (uri, .atom)
            // Elements without a prefix under rdf:RDF are RSS, whether the namespace is declared or not.
            default: root = (uri, prefix == nil ? namespace : .rss)
            }
        }
        if prefix == nil, let root, root.uri == uri { namespace = root.namespace }
        var tag = vocabulary.tag(namespace, localName)
        if tag == 0, structureIsLowercased { tag = vocabulary.tag(namespace, localName.lowercased()) }
        return ElementName(tag: tag, namespace: namespace, local: local)
    }
}
