/// The attributes of a start tag as libxml2 reports them: five pointers each. Valid during the callback only.
struct XMLAttributes {
    let pointers: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    let count: Int

    /// The meaning of an attribute's prefix.
    enum Space {
        /// No prefix, or one of a feed vocabulary: `itunes:href` counts as `href`.
        case plain
        case rdf, xml, foreign
    }

    /// An attribute's value; nil if it is missing or empty.
    subscript(_ wanted: StaticString, in space: Space = .plain) -> String? {
        guard let index = index(of: wanted, in: space) else { return nil }
        return Text(value(at: index)).value
    }

    func index(of wanted: StaticString, in space: Space) -> Int? {
        (0..<count).first { self.space(at: $0) == space && matches(localName(at: $0), wanted) }
    }

    /// True if any attribute has a prefix, such as `xml:base`.
    var hasPrefixed: Bool {
        (0..<count).contains { pointers?[$0 * 5 + 1] != nil }
    }

    /// libxml2's interned copy, which lives as long as the document's names.
    func localName(at index: Int) -> UnsafePointer<UInt8>? { pointers?[index * 5] }

    func value(at index: Int) -> UnsafeBufferPointer<UInt8> {
        guard let pointers, let start = pointers[index * 5 + 3], let end = pointers[index * 5 + 4] else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        return UnsafeBufferPointer(start: start, count: end - start)
    }

    func space(at index: Int) -> Space {
        guard let pointers, let prefix = pointers[index * 5 + 1] else { return .plain }
        if matches(prefix, "xml") { return .xml }
        let namespace: Namespace
        if let uri = pointers[index * 5 + 2] {
            namespace = Namespace(uri: Text(cString: uri))
        } else {
            namespace = Namespace(undeclaredPrefix: Text(cString: prefix))
        }
        switch namespace {
        case .rdf: return .rdf
        case .unknown: return .foreign
        default: return .plain
        }
    }
}

/// Attributes in the form in which libxml2 reports them.
struct AttributeBuffer: ~Copyable {
    private let pointers = UnsafeMutablePointer<UnsafePointer<UInt8>?>.allocate(capacity: 5 * Extracts.maxAttributes)
    private var count = 0

    deinit { pointers.deallocate() }

    mutating func removeAll() { count = 0 }

    /// - Parameter value: must stay valid while the attributes are read.
    mutating func append(_ name: QualifiedNames.Name, _ value: UnsafeBufferPointer<UInt8>) {
        guard count < Extracts.maxAttributes, let start = value.baseAddress else { return }
        let attribute = pointers + 5 * count
        (attribute + 0).initialize(to: name.local)
        (attribute + 1).initialize(to: name.prefix)
        (attribute + 2).initialize(to: name.prefix == nil ? nil : name.uri)
        (attribute + 3).initialize(to: start)
        (attribute + 4).initialize(to: start + value.count)
        count += 1
    }

    var view: XMLAttributes { XMLAttributes(pointers: pointers, count: count) }
}

/// The attributes of the current element, stored until its end without creating Strings.
struct StoredAttributes: ~Copyable {
    fileprivate struct Entry {
        var name: UnsafePointer<UInt8>
        var space: XMLAttributes.Space
        var start: Int
        var end: Int
    }

    /// More than any element of any vocabulary has.
    private static let limit = 64

    private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: limit)
    private var count = 0
    private var values = TextBuffer(capacity: 4 << 10)

    deinit { entries.deallocate() }

    mutating func keep(_ attributes: XMLAttributes) {
        removeAll()
        for index in 0..<min(attributes.count, Self.limit) {
            guard let name = attributes.localName(at: index) else { continue }
            let start = values.count
            values.append(attributes.value(at: index))
            let entry = Entry(name: name, space: attributes.space(at: index), start: start, end: values.count)
            (entries + count).initialize(to: entry)
            count += 1
        }
    }

    mutating func removeAll() {
        count = 0
        values.removeAll()
    }

    /// Bytes of the values.
    var size: Int { values.count }

    var view: AttributeView {
        AttributeView(entries: UnsafeBufferPointer(start: entries, count: count), values: values.bytes)
    }
}

/// A view of stored attributes for a rule. Valid only while the rule runs.
struct AttributeView {
    fileprivate let entries: UnsafeBufferPointer<StoredAttributes.Entry>
    fileprivate let values: UnsafeBufferPointer<UInt8>

    /// The attribute's value, trimmed; empty if there is no such attribute.
    func text(_ wanted: StaticString, in space: XMLAttributes.Space) -> Text {
        for entry in entries where entry.space == space && matches(entry.name, wanted) {
            return Text(UnsafeBufferPointer(rebasing: values[entry.start..<entry.end]))
        }
        return .none
    }

    /// The same for a name in any letter case; nil if there is none. The name must be given in lower case.
    func text(ignoringCase wanted: StaticString) -> Text? {
        for entry in entries where Text(cString: entry.name).isWord(wanted) {
            return Text(UnsafeBufferPointer(rebasing: values[entry.start..<entry.end]))
        }
        return nil
    }
}

/// True if a C string equals the name in any letter case.
@inline(__always)
private func matches(_ name: UnsafePointer<UInt8>?, _ wanted: StaticString) -> Bool {
    guard let name else { return false }
    let count = wanted.utf8CodeUnitCount
    var index = 0
    while index < count {
        // The C string's end differs from every letter, so this never reads past it.
        if name[index] != wanted.utf8Start[index], Text.lower(name[index]) != Text.lower(wanted.utf8Start[index]) { return false }
        index += 1
    }
    return name[count] == 0
}
