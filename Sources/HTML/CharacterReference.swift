/// A character reference of HTML: `&eacute;`, `&#233;`, `&#xE9;`, or one of the 106 names that need no semicolon, such
/// as `&eacute`.
///
/// Source: https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state
public struct CharacterReference: Hashable, Sendable {
    public let first: Unicode.Scalar
    /// The second character of names that stand for two, such as `&NotEqualTilde;`.
    public let second: Unicode.Scalar?
    /// Bytes from the ampersand to the end.
    public let length: Int

    /// The reference at an ampersand; nil if the ampersand stands for itself.
    ///
    /// - Parameter inAttribute: true in an attribute's value, where a name without semicolon is not a reference if `=`,
    ///   a letter or a digit follows, since it is most likely part of a URL: `?a=1&copy=2`.
    public init?(at position: Int, in html: Span<UInt8>, inAttribute: Bool = false) {
        let start = position + 1
        guard start < html.count else { return nil }
        if html[start] == UInt8(ascii: "#") {
            self.init(numberAt: start + 1, in: html)
        } else {
            self.init(nameAt: start, in: html, inAttribute: inAttribute)
        }
    }

    /// The reference with this case-sensitive name, given without `&` and `;`.
    public init?(named name: String) {
        let characters = name.utf8Span.span
        guard characters.indices.allSatisfy({ Self.isAlphanumeric(characters[$0]) }),
            let entry = ReferenceTable.entry(for: characters, 0..<characters.count)
        else { return nil }
        self.init(entry, length: characters.count + 2)
    }

    /// The text with its references resolved.
    public static func resolved(_ text: String) -> String {
        let bytes = text.utf8Span.span
        return resolved(0..<bytes.count, in: bytes, inAttribute: false)
    }

    static func resolved(_ range: Range<Int>, in html: Span<UInt8>, inAttribute: Bool) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            if html[position] == UInt8(ascii: "&"), let reference = Self(at: position, in: html, inAttribute: inAttribute) {
                for case let scalar? in [reference.first, reference.second] {
                    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                }
                position += reference.length
            } else {
                bytes.append(html[position])
                position += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private init(_ entry: ReferenceTable.Entry, length: Int) {
        first = entry.first
        second = entry.second
        self.length = length
    }

    // MARK: Numbers

    private init?(numberAt start: Int, in html: Span<UInt8>) {
        guard case (let value, var position)? = Self.number(at: start, in: html) else { return nil }
        if (0xD800...0xDBFF).contains(value), let (scalar, end) = Self.pair(value, at: position, in: html) {
            first = scalar
            position = end
        } else {
            first = Self.character(value)
        }
        second = nil
        length = position - start + 2
    }

    /// The character whose second half, in UTF-16, is the next reference. Browsers show two replacement characters; the
    /// author meant one emoji.
    private static func pair(_ high: UInt32, at position: Int, in html: Span<UInt8>) -> (Unicode.Scalar, end: Int)? {
        guard position + 2 < html.count, html[position] == UInt8(ascii: "&"), html[position + 1] == UInt8(ascii: "#"),
            case let (low, end)? = number(at: position + 2, in: html), (0xDC00...0xDFFF).contains(low)
        else { return nil }
        return Unicode.Scalar(0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00))).map { ($0, end) }
    }

    /// The number of a reference and the position after it; nil if there are no digits.
    private static func number(at start: Int, in html: Span<UInt8>) -> (UInt32, end: Int)? {
        var position = start
        let isHexadecimal = position < html.count && html[position] | 0x20 == UInt8(ascii: "x")
        if isHexadecimal { position += 1 }
        let digits = position
        var value: UInt32 = 0
        while position < html.count, let digit = digit(html[position], isHexadecimal: isHexadecimal) {
            // Digits of values beyond Unicode are ignored, which also prevents overflow.
            if value <= 0x10FFFF { value = value * (isHexadecimal ? 16 : 10) + digit }
            position += 1
        }
        guard position > digits else { return nil }
        if position < html.count, html[position] == UInt8(ascii: ";") { position += 1 }
        return (value, position)
    }

    private static func digit(_ byte: UInt8, isHexadecimal: Bool) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46 where isHexadecimal, 0x61...0x66 where isHexadecimal: UInt32((byte | 0x20) - 0x61) + 10
        default: nil
        }
    }

    /// The characters for numbers from 0x80 to 0x9F, as in windows-1252; 0 if it has none.
    private static let windows1252: InlineArray<32, UInt16> = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]

    private static func character(_ number: UInt32) -> Unicode.Scalar {
        if number == 0 { return "\u{FFFD}" }
        if (0x80...0x9F).contains(number), case let mapped = windows1252[Int(number - 0x80)], mapped != 0 {
            return Unicode.Scalar(mapped) ?? "\u{FFFD}"
        }
        return Unicode.Scalar(number) ?? "\u{FFFD}"
    }

    // MARK: Names

    /// The longest name that needs no semicolon.
    private static let maxOpenNameLength = 6

    private init?(nameAt start: Int, in html: Span<UInt8>, inAttribute: Bool) {
        var end = start
        while end < html.count, end - start <= ReferenceTable.maxNameLength, Self.isAlphanumeric(html[end]) { end += 1 }
        guard end > start else { return nil }
        if end < html.count, html[end] == UInt8(ascii: ";"), let entry = ReferenceTable.entry(for: html, start..<end) {
            self.init(entry, length: end + 1 - start + 1)
            return
        }
        for length in stride(from: min(end - start, Self.maxOpenNameLength), to: 1, by: -1) {
            guard let entry = ReferenceTable.entry(for: html, start..<start + length), entry.needsNoSemicolon else { continue }
            let next = start + length
            if inAttribute, next < html.count, html[next] == UInt8(ascii: "=") || Self.isAlphanumeric(html[next]) { return nil }
            self.init(entry, length: length + 1)
            return
        }
        return nil
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }
}
