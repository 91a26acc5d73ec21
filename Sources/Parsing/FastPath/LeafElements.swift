internal import CScan
internal import Glibc

// Elements without children, read from the bytes alone: `<title>…</title>`, `<enclosure url="…"/>`.
//
// Source: XML 1.0, productions 39 to 44; Namespaces in XML 1.0. Rare forms that these allow are left to libxml2.
extension Extracts {
    static let maxAttributes = 16

    mutating func element(at open: Int) -> Skeleton.Outcome {
        guard let name = readName(at: open + 1) else { return .left }
        let mark = count
        append(Event(kind: .start, prefix: name.prefix, start: open + 1, count: name.count))
        var position = open + 1 + name.count
        while true {
            let gap = position
            while position < document.count, Self.isBlank(document[position]) {
                if document[position] == 10 { countLine(at: mark) }
                position += 1
            }
            guard position + 1 < document.count else { return .cutOff }
            if document[position] == UInt8(ascii: ">") { break }
            if document[position] == UInt8(ascii: "/") {
                guard document[position + 1] == UInt8(ascii: ">") else { return .left }
                append(Event(kind: .end))
                return .taken(to: position + 2)
            }
            guard position > gap else { return .left }
            switch attribute(at: position, of: mark) {
            case .taken(to: let end): position = end
            case let outcome: return outcome
            }
        }
        return content(from: position + 1, of: open + 1..<open + 1 + name.count)
    }

    private mutating func attribute(at start: Int, of element: Int) -> Skeleton.Outcome {
        guard let name = readName(at: start) else { return .left }
        let end = start + name.count
        guard end + 1 < document.count else { return .cutOff }
        let quote = document[end + 1]
        guard document[end] == UInt8(ascii: "="), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return .left }
        let event = Event(kind: .attribute, prefix: name.prefix, start: start, count: name.count)
        for other in stride(from: element + 1, to: count, by: 2) where sameLocalName(event, events[other]) { return .left }
        guard count - element < 2 * Self.maxAttributes else { return .left }
        append(event)
        let outcome = text(to: Unicode.Scalar(quote), from: end + 2, .value)
        if case .taken(to: let close) = outcome { return .taken(to: close + 1) }
        return outcome
    }

    /// Text and CDATA sections, up to the end tag.
    private mutating func content(from start: Int, of name: Range<Int>) -> Skeleton.Outcome {
        var position = start
        while true {
            let outcome = text(to: "<", from: position, .text)
            guard case .taken(to: let open) = outcome else { return outcome }
            guard open + 1 < document.count else { return .cutOff }
            if document[open + 1] == UInt8(ascii: "/") {
                let end = open + 2 + name.count
                guard end < document.count else { return .cutOff }
                guard document[end] == UInt8(ascii: ">"), isSame(open + 2, name.lowerBound, name.count) else { return .left }
                append(Event(kind: .end))
                return .taken(to: end + 1)
            }
            guard document[open + 1] == UInt8(ascii: "!") else { return .left }
            guard document.has("<![CDATA[", at: open) else { return document.count - open < 9 ? .cutOff : .left }
            guard let close = document.index(of: "]]>", from: open + 9) else { return .cutOff }
            guard section(open + 9..<close) else { return .left }
            position = close + 3
        }
    }

    // MARK: Names

    /// The ASCII name at a position, with at most one prefix; nil for other names and for those that begin with `xml`.
    @inline(__always)
    private func readName(at start: Int) -> (count: Int, prefix: Int32)? {
        guard let base = document.baseAddress else { return nil }
        var colon = 0
        let count = nameLength(base + start, document.count - start, &colon)
        guard count > 0, Self.startsName(document[start]), !document.has("xml", at: start) else { return nil }
        guard colon == 0 || Self.startsName(document[start + colon + 1]) else { return nil }
        return (count, Int32(colon))
    }

    private func sameLocalName(_ one: Event, _ other: Event) -> Bool {
        let (first, second) = (one.local, other.local)
        return first.count == second.count && isSame(first.lowerBound, second.lowerBound, first.count)
    }

    @inline(__always)
    private func isSame(_ one: Int, _ other: Int, _ length: Int) -> Bool {
        guard let base = document.baseAddress else { return false }
        return memcmp(base + one, base + other, length) == 0
    }

    /// True if the byte, which must be allowed in names, can start one.
    @inline(__always)
    private static func startsName(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") }

    /// White space of XML.
    @inline(__always)
    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 32 && (byte == 32 || byte == 10 || byte == 13 || byte == 9) }
}
