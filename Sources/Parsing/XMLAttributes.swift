internal import CLibXML

/// The attributes of a start tag as libxml2 hands them over: five pointers each. Valid during the callback only.
struct XMLAttributes {
    let pointers: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    let count: Int

    /// All of them. Names in one of the vocabulary's namespaces lose their prefix, but for `rdf:` and `xml:`.
    var all: [(name: String, value: String)] {
        (0..<count).map { (name(at: $0), value(at: $0)) }
    }

    /// One of them, without looking at the others' values.
    subscript(_ wanted: String) -> String? {
        for index in 0..<count where name(at: index) == wanted { return value(at: index) }
        return nil
    }

    /// Whether any of them has a prefix, as `xml:base` has.
    var hasPrefixed: Bool {
        (0..<count).contains { pointers?[$0 * 5 + 1] != nil }
    }

    private func name(at index: Int) -> String {
        guard let pointers, let local = pointers[index * 5] else { return "" }
        let localName = String(cString: local)
        guard let prefix = pointers[index * 5 + 1] else { return localName }
        let prefixName = String(cString: prefix)
        if prefixName == "xml" { return "xml:" + localName }
        let namespace: Namespace
        if let uri = pointers[index * 5 + 2] {
            namespace = Namespace(uri: String(cString: uri))
        } else {
            namespace = Namespace(undeclaredPrefix: prefixName)
        }
        switch namespace {
        case .rdf: return "rdf:" + localName
        case .unknown: return prefixName + ":" + localName
        default: return localName
        }
    }

    private func value(at index: Int) -> String {
        guard let pointers, let start = pointers[index * 5 + 3], let end = pointers[index * 5 + 4] else { return "" }
        return String(decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self)
    }
}
