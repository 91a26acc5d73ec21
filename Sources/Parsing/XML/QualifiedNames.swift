internal import CLibXML
internal import Glibc

/// Maps names in the document's bytes to libxml2's interned copies of their parts, as its callbacks report them.
struct QualifiedNames: ~Copyable {
    typealias CString = UnsafePointer<UInt8>

    struct Name {
        let local: CString
        let prefix: CString?
        /// The namespace of the prefix in this scope; without a prefix, the default namespace.
        let uri: CString?

        /// The vocabulary's name, if it is an element's.
        let element: ElementName

        var isDeclared: Bool { prefix == nil || uri != nil }
    }

    private struct Entry {
        /// libxml2's copy of the whole name.
        var key: CString?
        var count = 0
        var scope = 0
        var name: Name?
    }

    private struct Declaration {
        let prefix: CString?
        let uri: CString?
        let depth: Int
    }

    private static let slots = 512
    private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: slots)
    /// Declarations in force, innermost last.
    private var declarations: [Declaration] = []
    /// Changes whenever a declaration comes into force or ends.
    private var scope = 0

    private var elements = ElementNames(FeedVocabulary.standard)

    init() { entries.initialize(repeating: Entry(), count: Self.slots) }

    deinit { entries.deallocate() }

    // MARK: Declarations

    /// - Parameter namespaces: in libxml2's form, a prefix and a URI each.
    mutating func declare(_ namespaces: UnsafeMutablePointer<CString?>?, _ count: Int, depth: Int) {
        guard let namespaces, count > 0 else { return }
        scope += 1
        for index in 0..<count {
            declarations.append(Declaration(prefix: namespaces[2 * index], uri: namespaces[2 * index + 1], depth: depth))
        }
    }

    /// - Parameter depth: number of elements still open.
    mutating func endDeclarations(below depth: Int) {
        guard let last = declarations.last, last.depth > depth else { return }
        scope += 1
        while let last = declarations.last, last.depth > depth { declarations.removeLast() }
    }

    // MARK: Names

    mutating func name(_ local: CString, prefix: CString?, uri: CString?) -> Name {
        Name(local: local, prefix: prefix, uri: uri, element: elements.name(local, prefix: prefix, uri: uri))
    }

    /// - Parameter prefix: the bytes before the colon, or 0.
    mutating func name(_ bytes: UnsafeBufferPointer<UInt8>, prefix: Int, in parser: UnsafeMutablePointer<xml_parser>) -> Name? {
        guard let start = bytes.baseAddress else { return nil }
        let entry = entries + Self.slot(of: bytes)
        if entry.pointee.count == bytes.count, entry.pointee.scope == scope, let key = entry.pointee.key,
            memcmp(key, start, bytes.count) == 0
        {
            return entry.pointee.name
        }
        let local = prefix > 0 ? prefix + 1 : 0
        guard let key = xml_parser_name(parser, start, Int32(bytes.count)),
            let localName = xml_parser_name(parser, start + local, Int32(bytes.count - local))
        else { return nil }
        let prefixName = prefix > 0 ? xml_parser_name(parser, start, Int32(prefix)) : nil
        let name = name(localName, prefix: prefixName, uri: uri(of: prefixName))
        entry.pointee = Entry(key: key, count: bytes.count, scope: scope, name: name)
        return name
    }

    private static func slot(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var hash = UInt64(raw.count)
        if raw.count >= 8 {
            hash ^= raw.loadUnaligned(as: UInt64.self) &* 31 &+ raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self)
        } else {
            for byte in raw { hash = hash &* 257 &+ UInt64(byte) }
        }
        return Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) >> 55)
    }

    private func uri(of prefix: CString?) -> CString? {
        guard let uri = declarations.last(where: { $0.prefix == prefix })?.uri, uri.pointee != 0 else { return nil }
        return uri
    }
}
