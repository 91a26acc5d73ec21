/// The name of an element, in lower case. All names longer than those of HTML are equal to each other, and to none of
/// HTML's.
public struct HTMLName: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The letters as one number; `blockquote` needs ten bytes.
    fileprivate let letters: UInt128

    @inline(__always)
    public init(stringLiteral name: StaticString) {
        var letters: UInt128 = 0
        for index in 0..<name.utf8CodeUnitCount { letters = letters << 8 | UInt128(name.utf8Start[index]) }
        self.letters = letters
    }

    /// Moves `position` past the name.
    init(in html: Span<UInt8>, at position: inout Int) {
        let start = position
        var letters: UInt128 = 0
        while position < html.count {
            let byte = html[position]
            if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || HTMLTag.isBlank(byte) { break }
            letters = letters << 8 | UInt128((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            position += 1
        }
        self.letters = position - start > 16 ? 0 : letters
    }
}

/// A start or end tag.
public struct HTMLTag: Sendable {
    public let name: HTMLName
    /// The range from the name to the `>`.
    let attributes: Range<Int>

    /// True if the element is inline, so that the letters before and after the tag form one word.
    public var isInline: Bool {
        name.letters <= UInt64.max && Self.inline.contains(UInt64(truncatingIfNeeded: name.letters))
    }

    /// The names of inline elements as `letters`, most frequent first.
    private static let inline: [UInt64] =
        ([
            "a", "b", "em", "strong", "i", "span", "u", "code", "s", "small", "sup", "sub", "abbr", "bdi", "bdo", "big", "cite",
            "del", "font", "ins", "kbd", "label", "mark", "q", "samp", "strike", "time", "tt", "var", "wbr",
        ] as [HTMLName]).map { UInt64(truncatingIfNeeded: $0.letters) }

    /// The value of an attribute, with references resolved; empty if it has no value, nil if the attribute is missing.
    ///
    /// - Parameters:
    ///   - wanted: the name in lower case.
    ///   - html: the text that the tag was read from.
    public func attribute(_ wanted: StaticString, in html: Span<UInt8>) -> String? {
        var position = attributes.lowerBound
        while let attribute = Self.passAttribute(in: html, at: &position) {
            let name = attribute.name
            guard name.count == wanted.utf8CodeUnitCount,
                name.allSatisfy({ Self.lower(html[$0]) == wanted.utf8Start[$0 - name.lowerBound] })
            else { continue }
            return CharacterReference.resolved(attribute.value, in: html, inAttribute: true)
        }
        return nil
    }

    /// Moves `position` past the next attribute; nil at the tag's `>` or the end of the text, where it stays.
    static func passAttribute(in html: Span<UInt8>, at position: inout Int) -> (name: Range<Int>, value: Range<Int>)? {
        while position < html.count, isBlank(html[position]) || html[position] == UInt8(ascii: "/") { position += 1 }
        guard position < html.count, html[position] != UInt8(ascii: ">") else { return nil }
        let start = position
        // A name may begin with `=`.
        position += 1
        while position < html.count, !endsName(html[position]) { position += 1 }
        let name = start..<position
        var next = position
        while next < html.count, isBlank(html[next]) { next += 1 }
        guard next < html.count, html[next] == UInt8(ascii: "=") else { return (name, position..<position) }
        next += 1
        while next < html.count, isBlank(html[next]) { next += 1 }
        position = next
        guard next < html.count else { return (name, next..<next) }
        let quote = html[next]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            let end = html.index(of: Unicode.Scalar(quote), from: next + 1)
            if end < html.count {
                position = end + 1
                return (name, next + 1..<end)
            }
            // The closing quote is missing, so the value ends with the tag.
            next += 1
        }
        position = next
        while position < html.count, html[position] != UInt8(ascii: ">"), !isBlank(html[position]) { position += 1 }
        return (name, next..<position)
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "=") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || isBlank(byte)
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D || byte == 0x0C }
}
