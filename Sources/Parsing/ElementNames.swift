internal import CLibXML

/// An element's name as the vocabulary knows it.
struct ElementName {
    var tag: Vocabulary.Tag
    var namespace: Namespace
    /// libxml2's own copy of the name without its prefix.
    var local: UnsafePointer<xmlChar>

    var localName: String { String(cString: local) }
}

/// Turns libxml2's names into the vocabulary's.
///
/// libxml2 keeps one copy of each name and URI of a document, so three pointers are a key that is compared
/// without looking at a single letter.
struct ElementNames {
    typealias CString = UnsafePointer<xmlChar>

    private struct Entry {
        var prefix: CString?
        var uri: CString?
        var name: ElementName
    }

    private static let slots = 1_024
    private var entries = [Entry?](repeating: nil, count: slots)
    private let vocabulary: Vocabulary
    /// The default namespace of the root element, and what the root makes of it: feeds that declare
    /// a namespace of their own devising, or none, are read by the name of their root.
    private var root: (uri: CString?, namespace: Namespace)?

    init(_ vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
    }

    /// A name's place in the cache is fixed; another one with the same place drives it out.
    mutating func name(_ local: CString, prefix: CString?, uri: CString?) -> ElementName {
        let bits = UInt(bitPattern: local) >> 2 ^ UInt(bitPattern: uri) >> 5 ^ UInt(bitPattern: prefix) >> 3
        let slot = Int(truncatingIfNeeded: (bits ^ bits >> 10) & UInt(Self.slots - 1))
        if let entry = entries[slot], entry.name.local == local, entry.uri == uri, entry.prefix == prefix {
            return entry.name
        }
        let name = resolve(local, prefix, uri)
        entries[slot] = Entry(prefix: prefix, uri: uri, name: name)
        return name
    }

    private mutating func resolve(_ local: CString, _ prefix: CString?, _ uri: CString?) -> ElementName {
        let localName = String(cString: local)
        var namespace: Namespace
        if let uri {
            namespace = Namespace(uri: String(cString: uri))
        } else if let prefix {
            namespace = Namespace(undeclaredPrefix: String(cString: prefix))
        } else {
            namespace = .rss
        }
        if root == nil {
            switch localName.lowercased() {
            case "rss": root = (uri, .rss)
            case "feed", "entry": root = (uri, .atom)
            default: root = (uri, namespace)
            }
        }
        if prefix == nil, let root, root.uri == uri { namespace = root.namespace }
        return ElementName(
            tag: vocabulary.tag(namespace, localName), namespace: namespace, local: local)
    }
}
