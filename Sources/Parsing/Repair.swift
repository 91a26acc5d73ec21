internal import Domain

/// Turns a damaged document into one that an XML parser reads: the slow path, taken only where the strict one failed.
///
/// One pass over the bytes, aware of CDATA, comments and quotes. Stray `&` and `<` are escaped, HTML entities become
/// characters, the document's own entities are expanded within a bound, controls are dropped, tags are balanced, and
/// an item's start closes the item before it. What stands before the root or after it is left out. Line breaks stay
/// where they are, so that line numbers keep their meaning.
///
/// Input must be UTF-8.
struct Repair {
    /// Deeper tags lose their tags and keep their text.
    private static let maxDepth = 200
    private static let maxAttributes = 256
    /// More names than any feed has lose their tags or attributes too.
    private static let maxNames = 10_000

    private let bytes: [UInt8]
    private var index = 0
    private(set) var output: [UInt8] = []
    private var open: [Range<Int>] = []
    private var names: Set<ArraySlice<UInt8>> = []
    private var rootSeen = false
    private var rootClosed = false
    private var entities: DocumentEntities

    private(set) var warnings = RepairWarnings()
    /// The document ended inside its root element.
    private(set) var isTruncated = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        entities = DocumentEntities(documentSize: bytes.count)
        output.reserveCapacity(bytes.count + 64)
    }

    /// - Throws: `NotAFeed.entityExpansion`.
    mutating func run() throws {
        skipJunk()
        while index < bytes.count, !rootClosed {
            if bytes[index] == UInt8(ascii: "<") {
                try readMarkup()
            } else {
                try readText()
            }
        }
        if rootClosed {
            if bytes[index...].contains(where: { !Text.isBlank($0) }) { try checkTail() }
        } else if rootSeen {
            isTruncated = true
            warn("truncated", "the document ends inside its root element")
        }
        while !open.isEmpty { closeLast() }
    }

    // MARK: Before and after the root

    private mutating func skipJunk() {
        let start = index
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "<"), let next = peek(1),
                next == UInt8(ascii: "?") || next == UInt8(ascii: "!") || Self.startsName(next)
            {
                break
            }
            keepLine(bytes[index])
            index += 1
        }
        let isDeclaration = bytes[index...].starts(with: Array("<?xml".utf8))
        if bytes[start..<index].contains(where: { !Text.isBlank($0) }) || (isDeclaration && index > start) {
            warn("junk", "something stands before the document")
        }
    }

    /// Comments and processing instructions may follow the root; anything else is damage.
    private mutating func checkTail() throws {
        while index < bytes.count {
            if starts("<!--") {
                skip(past: "-->")
            } else if starts("<?") {
                skip(past: "?>")
            } else if Text.isBlank(bytes[index]) {
                index += 1
            } else {
                warn("junk", "something follows the document")
                return
            }
        }
    }

    // MARK: Markup

    private mutating func readMarkup() throws {
        guard let next = peek(1) else {
            index += 1
            return
        }
        switch next {
        case UInt8(ascii: "!"):
            if starts("<![CDATA[") {
                readCData()
            } else if starts("<!--") {
                skip(past: "-->")
            } else if starts("<!DOCTYPE", ignoringCase: true), !rootSeen {
                readDoctype()
            } else {
                warn("markup", "a declaration inside the document")
                skip(past: ">")
            }
        case UInt8(ascii: "?"):
            if rootSeen, starts("<?xml ") { warn("markup", "an XML declaration inside the document") }
            skip(past: "?>")
        case UInt8(ascii: "/"): readEndTag()
        case let letter where Self.startsName(letter): try readStartTag()
        default:
            warn("markup", "a stray <")
            if rootSeen { output.append(contentsOf: "&lt;".utf8) }
            index += 1
        }
    }

    private mutating func readCData() {
        let start = index + 9
        let end = find("]]>", from: start)
        guard rootSeen else {
            skip(to: end.map { $0 + 3 } ?? bytes.count)
            return
        }
        output.append(contentsOf: "<![CDATA[".utf8)
        copyCharacters(start..<(end ?? bytes.count))
        output.append(contentsOf: "]]>".utf8)
        if end == nil { warn("markup", "a CDATA section without its end") }
        index = end.map { $0 + 3 } ?? bytes.count
    }

    private mutating func readEndTag() {
        let nameStart = index + 2
        let nameEnd = endOfName(nameStart)
        var end = nameEnd
        while end < bytes.count, bytes[end] != UInt8(ascii: ">"), bytes[end] != UInt8(ascii: "<") { end += 1 }
        guard end < bytes.count else {
            // Cut off inside the tag.
            index = bytes.count
            return
        }
        if let match = open.lastIndex(where: { bytes[$0] == bytes[nameStart..<nameEnd] }) {
            if match < open.count - 1 { warn("markup", "<\(name(open.last))> without its end") }
            while open.count > match { closeLast() }
            if open.isEmpty { rootClosed = true }
        } else {
            warn("markup", "</\(name(nameStart..<nameEnd))> without its start")
        }
        skip(to: bytes[end] == UInt8(ascii: ">") ? end + 1 : end)
    }

    private mutating func readStartTag() throws {
        let name = (index + 1)..<endOfName(index + 1)
        let local = bytes[name].split(separator: UInt8(ascii: ":")).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
        if local == "item" || local == "entry", let earlier = open.lastIndex(where: { bytes[$0] == bytes[name] }) {
            warn("markup", "<\(local)> starts inside another one")
            while open.count > earlier { closeLast() }
        }
        if let leaf = open.last, ItemFields.closes(String(decoding: bytes[name], as: UTF8.self), self.name(leaf)) {
            warn("markup", "<\(self.name(leaf))> without its end")
            closeLast()
        }
        let mark = output.count
        output.append(UInt8(ascii: "<"))
        output.append(contentsOf: bytes[name])
        guard let tag = try readAttributes(from: name.upperBound) else {
            warn("truncated", "the document ends inside a tag")
            output.removeLast(output.count - mark)
            index = bytes.count
            return
        }
        rootSeen = true
        index = tag.end
        let isVoid = tag.isEmpty || Self.isVoid(local)
        if (open.count >= Self.maxDepth && !isVoid) || !isKnown(name) {
            warn("depth", "tags nested too deep, or too many names")
            output.removeLast(output.count - mark)
            return
        }
        output.append(contentsOf: isVoid ? "/>".utf8 : ">".utf8)
        if !isVoid {
            open.append(name)
        } else if open.isEmpty {
            rootClosed = true
        }
    }

    private mutating func isKnown(_ name: Range<Int>) -> Bool {
        names.contains(bytes[name]) || (names.count < Self.maxNames && names.insert(bytes[name]).inserted)
    }

    private mutating func closeLast() {
        guard let name = open.popLast() else { return }
        output.append(contentsOf: "</".utf8)
        output.append(contentsOf: bytes[name])
        output.append(UInt8(ascii: ">"))
    }

    // MARK: Attributes

    /// Copies the attributes, mended, up to the end of the tag; nil where the document ends first.
    private mutating func readAttributes(from start: Int) throws -> (isEmpty: Bool, end: Int)? {
        var isEmpty = false
        var position = start
        var given: Set<ArraySlice<UInt8>> = []
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: ">") {
                return (isEmpty, position + 1)
            } else if byte == UInt8(ascii: "<") {
                warn("markup", "a tag without its >")
                return (isEmpty, position)
            } else if byte == UInt8(ascii: "/") {
                position += 1
                isEmpty = position < bytes.count && bytes[position] == UInt8(ascii: ">")
            } else if Text.isBlank(byte) {
                keepLine(byte)
                position += 1
            } else if Self.startsName(byte) {
                let name = position..<endOfName(position)
                let mark = output.count
                output.append(UInt8(ascii: " "))
                output.append(contentsOf: bytes[name])
                output.append(contentsOf: "=\"".utf8)
                position = try copyValue(after: name.upperBound)
                output.append(UInt8(ascii: "\""))
                if given.count >= Self.maxAttributes || !given.insert(bytes[name]).inserted || !isKnown(name) {
                    warn("attribute", "too many attributes, or one of them twice")
                    output.removeLast(output.count - mark)
                }
            } else {
                warn("attribute", "something in a tag that is no attribute")
                position += 1
            }
        }
        return nil
    }

    /// Gives the position behind the value, which may have no quotes, no end, or not be there at all.
    private mutating func copyValue(after nameEnd: Int) throws -> Int {
        var position = nameEnd
        while position < bytes.count, Text.isBlank(bytes[position]) { position += 1 }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
            warn("attribute", "an attribute without a value")
            return nameEnd
        }
        position += 1
        while position < bytes.count, Text.isBlank(bytes[position]) { position += 1 }
        guard position < bytes.count else { return position }
        let quote = bytes[position]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            warn("attribute", "an attribute without quotes")
            let start = position
            while position < bytes.count, !Text.isBlank(bytes[position]), bytes[position] != UInt8(ascii: ">") { position += 1 }
            try copyAttributeText(start..<position)
            return position
        }
        let start = position + 1
        var end = start
        var firstClose: Int?
        while end < bytes.count, bytes[end] != quote {
            if bytes[end] == UInt8(ascii: ">") { firstClose = firstClose ?? end }
            if bytes[end] == UInt8(ascii: "<"), let firstClose {
                // A tag's end and another's start: the closing quote is missing.
                warn("attribute", "an attribute without its closing quote")
                try copyAttributeText(start..<firstClose)
                return firstClose
            }
            end += 1
        }
        try copyAttributeText(start..<end)
        return min(end + 1, bytes.count)
    }

    private mutating func copyAttributeText(_ range: Range<Int>) throws {
        var position = range.lowerBound
        while position < range.upperBound {
            switch bytes[position] {
            case UInt8(ascii: "&"): position = try copyReference(at: position, limit: range.upperBound, inAttribute: true)
            case UInt8(ascii: "<"):
                warn("markup", "a stray <")
                output.append(contentsOf: "&lt;".utf8)
                position += 1
            case UInt8(ascii: "\""):
                output.append(contentsOf: "&quot;".utf8)
                position += 1
            default: position = copyCharacter(at: position)
            }
        }
    }

    // MARK: Text

    private mutating func readText() throws {
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
            guard rootSeen else {
                keepLine(bytes[index])
                if !Text.isBlank(bytes[index]) { warn("junk", "something stands before the document") }
                index += 1
                continue
            }
            if bytes[index] == UInt8(ascii: "&") {
                index = try copyReference(at: index, limit: bytes.count, inAttribute: false)
            } else if bytes[index] == UInt8(ascii: ">"), endsInBrackets {
                output.append(contentsOf: "&gt;".utf8)
                index += 1
            } else {
                index = copyCharacter(at: index)
            }
        }
    }

    /// `]]>` may not stand in text.
    private var endsInBrackets: Bool {
        output.count >= 2 && output[output.count - 1] == UInt8(ascii: "]") && output[output.count - 2] == UInt8(ascii: "]")
    }

    /// Writes what a reference means, and gives the position behind it.
    private mutating func copyReference(at start: Int, limit: Int, inAttribute: Bool) throws -> Int {
        let window = bytes[start + 1..<min(start + 64, limit)]
        guard let semicolon = window.firstIndex(where: { !Self.isReferenceByte($0) }),
            bytes[semicolon] == UInt8(ascii: ";"), semicolon > start + 1
        else {
            warn("entity", "a stray &")
            output.append(contentsOf: "&amp;".utf8)
            return start + 1
        }
        let name = String(decoding: bytes[start + 1..<semicolon], as: UTF8.self)
        switch try entities.meaning(of: name, inAttribute: inAttribute) {
        case .itself: output.append(contentsOf: bytes[start...semicolon])
        case .declared(let replacement): output.append(contentsOf: replacement)
        case .html(let character):
            warn("entity", "&\(name); is not declared")
            output.append(contentsOf: character.utf8)
        case .nothing: warn("entity", "&\(name); is no character of XML")
        case .unknown:
            warn("entity", "&\(name); is not declared")
            output.append(contentsOf: "&amp;".utf8)
            return start + 1
        }
        return semicolon + 1
    }

    private mutating func copyCharacters(_ range: Range<Int>) {
        var position = range.lowerBound
        while position < range.upperBound { position = copyCharacter(at: position) }
    }

    /// Copies one byte, but for those of characters that XML does not have. Source: XML 1.0, production 2.
    @inline(__always)
    private mutating func copyCharacter(at position: Int) -> Int {
        let byte = bytes[position]
        if byte < 32, byte != 9, byte != 10, byte != 13 {
            warn("control", "a control character")
            return position + 1
        }
        // U+FFFE and U+FFFF.
        if byte == 0xEF, position + 2 < bytes.count, bytes[position + 1] == 0xBF, bytes[position + 2] >= 0xBE {
            warn("control", "a character that is none")
            return position + 3
        }
        output.append(byte)
        return position + 1
    }

    // MARK: The document type

    /// Takes the entities that are declared in the document itself. Nothing is ever loaded.
    private mutating func readDoctype() {
        var position = index + 9
        var quote: UInt8?
        var brackets = 0
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "[") {
                brackets += 1
            } else if byte == UInt8(ascii: "]") {
                brackets -= 1
            } else if byte == UInt8(ascii: ">"), brackets <= 0 {
                break
            } else if byte == UInt8(ascii: "<"), bytes[position...].starts(with: Array("<!--".utf8)) {
                position = find("-->", from: position + 4).map { $0 + 2 } ?? bytes.count
            }
            position += 1
        }
        entities.declare(bytes[start..<min(position, bytes.count)])
        skip(to: min(position + 1, bytes.count))
    }

    // MARK: Bytes

    private func peek(_ ahead: Int) -> UInt8? { index + ahead < bytes.count ? bytes[index + ahead] : nil }

    private func starts(_ text: StaticString, ignoringCase: Bool = false) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index + count <= bytes.count else { return false }
        for offset in 0..<count {
            let byte = bytes[index + offset]
            let wanted = text.utf8Start[offset]
            guard byte == wanted || (ignoringCase && byte & 0xDF == wanted) else { return false }
        }
        return true
    }

    /// Ends that were looked for and are not there any more: never looked for twice.
    private var missing: Set<String> = []

    private mutating func find(_ text: String, from start: Int) -> Int? {
        guard !missing.contains(text) else { return nil }
        let wanted = Array(text.utf8)
        var position = start
        while position + wanted.count <= bytes.count {
            guard let hit = bytes[position...].firstIndex(of: wanted[0]) else { break }
            if bytes[hit...].starts(with: wanted) { return hit }
            position = hit + 1
        }
        missing.insert(text)
        return nil
    }

    /// Leaves out everything up to and with an end; without one, up to the next `>`.
    private mutating func skip(past end: String) {
        if let found = find(end, from: index + 2) {
            skip(to: found + end.utf8.count)
        } else {
            warn("markup", "markup without its \(end)")
            let close = bytes[index...].firstIndex(of: UInt8(ascii: ">"))
            skip(to: close.map { $0 + 1 } ?? bytes.count)
        }
    }

    private mutating func skip(to end: Int) {
        for byte in bytes[index..<end] { keepLine(byte) }
        index = end
    }

    private mutating func keepLine(_ byte: UInt8) {
        if byte == UInt8(ascii: "\n") { output.append(byte) }
    }

    private func endOfName(_ start: Int) -> Int {
        var end = start
        while end < bytes.count, Self.isNameByte(bytes[end]) { end += 1 }
        return end
    }

    private func name(_ range: Range<Int>?) -> String {
        range.map { String(decoding: bytes[$0].prefix(40), as: UTF8.self) } ?? ""
    }

    private mutating func warn(_ code: String, _ message: String) {
        warnings.add(code, message, at: index, in: bytes)
    }

    private static func startsName(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
            || byte >= 128
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        startsName(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private static func isReferenceByte(_ byte: UInt8) -> Bool { isNameByte(byte) || byte == UInt8(ascii: "#") }

    /// HTML elements that have no end tag, where a feed carries HTML without escaping it.
    private static func isVoid(_ name: String) -> Bool {
        ["br", "img", "hr", "input", "wbr", "col", "area", "embed", "meta"].contains(name.lowercased())
    }
}

/// Which fields of a channel or an item end, unclosed, where another one starts.
private enum ItemFields {
    /// Fields that hold plain text.
    private static let plain: Set<String> = [
        "title", "link", "guid", "pubDate", "author", "category", "comments", "language", "copyright", "generator", "id",
        "updated", "published", "dc:creator", "dc:date",
    ]
    /// Fields that hold HTML, where some feeds do not escape it.
    private static let rich: Set<String> = ["description", "content:encoded", "summary", "content", "itunes:summary"]
    /// What never stands in HTML.
    private static let distinct: Set<String> = [
        "guid", "pubDate", "enclosure", "content:encoded", "lastBuildDate", "dc:creator", "dc:date", "item", "entry",
    ]

    static func closes(_ start: String, _ open: String) -> Bool {
        let isDistinct = distinct.contains(start) || start.hasPrefix("itunes:") || start.hasPrefix("podcast:")
        if plain.contains(open) || open.hasPrefix("itunes:") && open != "itunes:owner" && open != "itunes:category" {
            return isDistinct || plain.contains(start) || rich.contains(start)
        }
        return rich.contains(open) && isDistinct
    }
}

/// What a repair found, a few of each kind.
struct RepairWarnings {
    private(set) var list: [ParseWarning] = []
    private var counts: [String: Int] = [:]
    private var countedTo = 0
    private var line = 1

    var isEmpty: Bool { list.isEmpty }

    mutating func add(_ code: String, _ message: String, at offset: Int, in bytes: [UInt8]) {
        let count = counts[code, default: 0]
        guard count < 10 else { return }
        counts[code] = count + 1
        if offset > countedTo {
            line += bytes[countedTo..<min(offset, bytes.count)].count { $0 == UInt8(ascii: "\n") }
            countedTo = offset
        }
        list.append(ParseWarning(code: code, message: message, line: line))
    }
}
