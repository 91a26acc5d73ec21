internal import Domain
internal import HTML

/// The entities of one document: XML's own, those it declares, and HTML's, which it should have declared.
struct DocumentEntities {
    enum Meaning {
        /// The reference is left unchanged.
        case itself
        /// Replacement text, which may contain markup.
        case declared([UInt8])
        case html(String)
        /// A number that is not a character of XML.
        case nothing
        case unknown
    }

    private static let maxDepth = 16
    /// Written as character numbers, because after an error libxml2 drops all named references, even XML's own.
    private static let predefined: [String: [UInt8]] = ["amp": 38, "lt": 60, "gt": 62, "quot": 34, "apos": 39].mapValues {
        Array("&#\($0);".utf8)
    }

    private var values: [String: [UInt8]] = [:]
    /// Remaining bytes that expansions may produce.
    private var budget: Int

    init(documentSize: Int) {
        budget = 64 << 10 + 4 * documentSize
    }

    /// Reads the entity declarations between the brackets of a DOCTYPE. External entities become empty.
    mutating func declare(_ subset: ArraySlice<UInt8>) {
        var words = Words(remaining: subset)
        while words.skip(past: "<!ENTITY") {
            guard let name = words.word(), name != "%" else { continue }
            let value = words.quoted() ?? []
            if values[name] == nil { values[name] = Self.expandingCharacters(value) }
        }
    }

    /// - Throws: `NotAFeed.entityExpansion`.
    mutating func meaning(of name: String, inAttribute: Bool) throws -> Meaning {
        if name.hasPrefix("#") { return Self.character(name) }
        if let reference = Self.predefined[name] { return .declared(reference) }
        if values[name] != nil {
            let text = try expanded(name, depth: 0)
            return .declared(inAttribute ? Self.escapedForAttribute(text) : text)
        }
        guard let reference = CharacterReference(named: name) else { return .unknown }
        return .html(Self.escaped(reference.first) + (reference.second.map(Self.escaped) ?? ""))
    }

    private mutating func expanded(_ name: String, depth: Int) throws -> [UInt8] {
        guard depth < Self.maxDepth, let value = values[name] else { throw NotAFeed.entityExpansion }
        budget -= value.count + 1
        guard budget > 0 else { throw NotAFeed.entityExpansion }
        guard value.contains(UInt8(ascii: "&")) else { return value }
        var result: [UInt8] = []
        var remaining = value[...]
        while let start = remaining.firstIndex(of: UInt8(ascii: "&")) {
            result.append(contentsOf: remaining[..<start])
            remaining = remaining[start...]
            guard let end = remaining.prefix(64).firstIndex(of: UInt8(ascii: ";")) else { break }
            let inner = String(decoding: remaining[(start + 1)..<end], as: UTF8.self)
            if values[inner] != nil {
                result.append(contentsOf: try expanded(inner, depth: depth + 1))
            } else {
                result.append(contentsOf: Self.predefined[inner] ?? Array(remaining[start...end]))
            }
            remaining = remaining[(end + 1)...]
        }
        result.append(contentsOf: remaining)
        return result
    }

    /// As XML text, valid in attributes too.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        scalar.isASCII ? "&#\(scalar.value);" : String(Character(scalar))
    }

    private static func escapedForAttribute(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "<"): return Array("&lt;".utf8)
            case UInt8(ascii: "\""): return Array("&quot;".utf8)
            default: return [byte]
            }
        }
    }

    /// Reads `#65`, `#x41`, and `#X41`, which XML does not allow.
    private static func character(_ name: String) -> Meaning {
        guard let scalar = scalar(name) else { return .nothing }
        switch scalar.value {
        case 9, 10, 13, 32...0xFFFD, 0x10000...: break
        default: return .nothing
        }
        if name.hasPrefix("#X") { return .html("&#\(scalar.value);") }
        return .itself
    }

    private static func scalar(_ name: String) -> Unicode.Scalar? { number(name).flatMap(Unicode.Scalar.init) }

    /// The number of `#65` or `#x41`.
    static func number(_ name: String) -> UInt32? {
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHex = digits.first == "x" || digits.first == "X"
        return UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10)
    }

    /// Character references are expanded when an entity is declared, others when it is used. Source: XML 1.0, section
    /// 4.5.
    private static func expandingCharacters(_ value: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var remaining = value[...]
        while let start = remaining.firstIndex(of: UInt8(ascii: "&")) {
            result.append(contentsOf: remaining[..<start])
            remaining = remaining[start...]
            if let end = remaining.prefix(16).firstIndex(of: UInt8(ascii: ";")), remaining.dropFirst().first == UInt8(ascii: "#"),
                let scalar = scalar(String(decoding: remaining[(start + 1)..<end], as: UTF8.self))
            {
                result.append(contentsOf: String(Character(scalar)).utf8)
                remaining = remaining[(end + 1)...]
            } else {
                result.append(UInt8(ascii: "&"))
                remaining = remaining.dropFirst()
            }
        }
        return result + remaining
    }

    /// Walks over a DOCTYPE.
    private struct Words {
        var remaining: ArraySlice<UInt8>

        mutating func skip(past text: String) -> Bool {
            let wanted = Array(text.utf8)
            while let start = remaining.firstIndex(of: wanted[0]) {
                remaining = remaining[start...]
                if remaining.starts(with: wanted) {
                    remaining = remaining.dropFirst(wanted.count)
                    return true
                }
                remaining = remaining.dropFirst()
            }
            return false
        }

        mutating func word() -> String? {
            remaining = remaining.drop(while: Text.isBlank)
            let word = remaining.prefix { !Text.isBlank($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "\"") }
            remaining = remaining.dropFirst(word.count)
            return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
        }

        /// The next value if it is quoted; nil if a word such as `SYSTEM` comes first.
        mutating func quoted() -> [UInt8]? {
            remaining = remaining.drop(while: Text.isBlank)
            guard let quote = remaining.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
            let value = remaining.dropFirst().prefix { $0 != quote }
            remaining = remaining.dropFirst(value.count + 2)
            return Array(value)
        }
    }
}
