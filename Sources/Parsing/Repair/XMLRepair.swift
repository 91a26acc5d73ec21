/// Turns a damaged document into one that an XML parser accepts: the slow path, taken only if the strict pass failed.
///
/// One pass over the bytes, aware of CDATA, comments and quotes. Stray `&` and `<` are escaped, HTML entities become
/// characters, the document's own entities are expanded within a bound, controls are dropped, tags are balanced, and
/// an item's start closes the item before it. Text before and after the root is left out. Line breaks stay in place, so
/// that line numbers keep their meaning.
///
/// Input must be UTF-8.
struct XMLRepair {
    /// Deeper elements lose their tags but keep their text.
    static let maxDepth = 200
    static let maxAttributes = 256
    /// Bytes by which a document may grow; a large one may grow by a quarter.
    static let growth = 4 << 20
    /// Most distinct names of tags and attributes, more than any feed has; further ones are dropped.
    static let maxNames = 10_000

    let bytes: [UInt8]
    var index = 0
    var output: [UInt8] = []
    var open: [Range<Int>] = []
    var names: Set<ArraySlice<UInt8>> = []
    var rootSeen = false
    var rootClosed = false
    var entities: DocumentEntities

    /// Texts that were searched for and do not occur again.
    var missing: Set<String> = []
    var warnings = RepairWarnings()
    /// True if the document ended inside its root element.
    var isTruncated = false
    /// True if the document ended inside an item.
    var endsInsideItem = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        entities = DocumentEntities(documentSize: bytes.count)
        // Reserves room for escapes, since growing would copy everything.
        output.reserveCapacity(bytes.count + bytes.count / 4 + 64)
    }

    /// The result.
    struct Repaired {
        let utf8: [UInt8]
        let warnings: RepairWarnings
        let isTruncated: Bool
        let endsInsideItem: Bool
    }

    /// - Throws: `NotAFeed.entityExpansion`, or `.tooLarge` if escaping makes the document too large.
    consuming func run() throws -> Repaired {
        try readDocument()
        return Repaired(utf8: output, warnings: warnings, isTruncated: isTruncated, endsInsideItem: endsInsideItem)
    }

    private mutating func readDocument() throws {
        skipJunk()
        while index < bytes.count, !rootClosed {
            if bytes[index] == UInt8(ascii: "<") {
                try readMarkup()
            } else {
                try readText()
            }
            try checkGrowth()
        }
        if rootClosed {
            if bytes[index...].contains(where: { !Text.isBlank($0) }) { try checkTail() }
        } else if rootSeen {
            isTruncated = true
            endsInsideItem = open.contains { Self.isItem(bytes[$0]) }
            warn(.truncated, "the document ends inside its root element")
        }
        while !open.isEmpty { closeLast() }
    }

    private static func isItem(_ name: ArraySlice<UInt8>) -> Bool {
        let local = name.split(separator: UInt8(ascii: ":")).last ?? name
        return local.elementsEqual("item".utf8) || local.elementsEqual("entry".utf8)
    }

    // MARK: Before and after the root

    /// The position of the XML declaration if tags precede it, such as a web server's error message; else 0.
    static func tagsBeforeDeclaration(_ bytes: [UInt8]) -> Int {
        let head = bytes.prefix(64 << 10)
        let declaration = Array("<?xml ".utf8)
        guard
            let tag = head.indices.first(where: {
                head[$0] == UInt8(ascii: "<") && $0 + 1 < head.count && startsName(head[$0 + 1])
            }),
            let declarationStart = head.indices.first(where: {
                $0 > tag && head[$0] == UInt8(ascii: "<") && head[$0...].starts(with: declaration)
            })
        else { return 0 }
        return declarationStart
    }

    mutating func skipJunk() {
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
            warn(.junk, "something stands before the document")
        }
    }

    /// Comments and processing instructions may follow the root; anything else is damage.
    mutating func checkTail() throws {
        while index < bytes.count {
            if starts("<!--") {
                skip(past: "-->")
            } else if starts("<?") {
                skip(past: "?>")
            } else if Text.isBlank(bytes[index]) {
                index += 1
            } else {
                warn(.junk, "something follows the document")
                return
            }
        }
    }
}
