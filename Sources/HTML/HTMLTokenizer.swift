internal import Glibc

/// Reads HTML as a sequence of tokens. The search index, `jimmy show` and the web pages all use it.
///
/// It accepts any text: characters that begin no tag and no reference stand for themselves. Comments and declarations
/// are skipped, and so is the content of scripts and styles. There is no tree: elements need not be closed or nested.
/// Source: "Tokenization" of the HTML standard, https://html.spec.whatwg.org/multipage/parsing.html#tokenization
public struct HTMLTokenizer {
    public enum Token {
        /// Bytes that stand for themselves.
        case text(Range<Int>)
        case reference(CharacterReference)
        case start(HTMLTag)
        case end(HTMLTag)
    }

    private var position = 0
    /// Positions of the next `<` and `&`; before `position` if unknown.
    private var nextBracket = -1
    private var nextAmpersand = -1
    /// True if no tag from here on has an end. Such tags are text, and are not examined, since each look would scan the
    /// whole remainder.
    private var lacksTagEnd = false
    /// The same for elements that contain only text, such as `title`.
    private var lacksTextEnd = false

    public init() {}

    /// The next token; nil at the end.
    ///
    /// - Parameter html: the same bytes at each call.
    public mutating func next(in html: Span<UInt8>) -> Token? {
        while position < html.count {
            if nextBracket < position { nextBracket = html.index(of: "<", from: position) }
            if nextAmpersand < position { nextAmpersand = html.index(of: "&", from: position) }
            let mark = min(nextBracket, nextAmpersand)
            if mark > position { return takeText(to: mark) }
            if mark == nextAmpersand {
                guard let reference = CharacterReference(at: mark, in: html) else { return takeText(to: mark + 1) }
                position += reference.length
                return .reference(reference)
            }
            if let token = readMarkup(in: html) { return token }
        }
        return nil
    }

    private mutating func takeText(to end: Int) -> Token {
        defer { position = end }
        return .text(position..<end)
    }

    /// Reads the markup at a `<`; nil if it was skipped.
    private mutating func readMarkup(in html: Span<UInt8>) -> Token? {
        guard position + 1 < html.count else { return takeText(to: html.count) }
        switch html[position + 1] {
        case UInt8(ascii: "!"):
            if html.has("<!--", at: position) {
                passComment(in: html)
            } else if html.has("<![CDATA[", at: position) {
                // Text that was wrapped in CDATA twice; its markup is read like any other.
                position += 9
            } else {
                position = html.index(of: ">", from: position) + 1
            }
            return nil
        case UInt8(ascii: "?"):
            position = html.index(of: ">", from: position) + 1
            return nil
        case UInt8(ascii: "/"):
            guard position + 2 < html.count, Self.isLetter(html[position + 2]) else { return takeText(to: position + 1) }
            return readTag(nameAt: position + 2, in: html)
        case let byte where Self.isLetter(byte):
            return readTag(nameAt: position + 1, in: html)
        default:
            return takeText(to: position + 1)
        }
    }

    private mutating func passComment(in html: Span<UInt8>) {
        let start = position + 2
        var close = position + 3
        repeat {
            close = html.index(of: ">", from: close + 1)
            // `<!-->` ends a comment too, and so does `--!>`.
        } while close < html.count && !(html[close - 1] == UInt8(ascii: "-") && html[close - 2] == UInt8(ascii: "-"))
            && !(close >= start + 5 && html.has("--!", at: close - 3))
        position = close + 1
    }

    private mutating func readTag(nameAt start: Int, in html: Span<UInt8>) -> Token {
        var end = start
        let name = HTMLName(in: html, at: &end)
        var close = end
        if !lacksTagEnd { while HTMLTag.passAttribute(in: html, at: &close) != nil {} }
        guard !lacksTagEnd, close < html.count else {
            lacksTagEnd = true
            return takeText(to: end)
        }
        let isEnd = start == position + 2
        position = close + 1
        let tag = HTMLTag(name: name, attributes: end..<close)
        if isEnd { return .end(tag) }
        if name == "script" || name == "style" {
            position = endTag(of: start..<end, in: html)
        } else if name == "title" || name == "textarea", !lacksTextEnd {
            // The content is text and references, but no tags.
            let textEnd = endTag(of: start..<end, in: html)
            if textEnd < html.count { nextBracket = textEnd } else { lacksTextEnd = true }
        }
        return .start(tag)
    }

    /// The position of an element's end tag, or the end of the text.
    private func endTag(of name: Range<Int>, in html: Span<UInt8>) -> Int {
        var open = html.index(of: "<", from: position)
        while open < html.count {
            let behind = open + 2 + name.count
            if behind < html.count, html[open + 1] == UInt8(ascii: "/"),
                (0..<name.count).allSatisfy({ html[open + 2 + $0] | 0x20 == html[name.lowerBound + $0] | 0x20 }),
                HTMLTag.isBlank(html[behind]) || html[behind] == UInt8(ascii: "/") || html[behind] == UInt8(ascii: ">")
            {
                return open
            }
            open = html.index(of: "<", from: open + 1)
        }
        return html.count
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

extension Span<UInt8> {
    /// The next position of a byte; `count` if there is none.
    func index(of byte: Unicode.Scalar, from start: Int) -> Int {
        guard start < count else { return count }
        return withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress, let hit = memchr(base + start, Int32(byte.value), bytes.count - start) else {
                return bytes.count
            }
            return UnsafeRawPointer(base).distance(to: hit)
        }
    }

    func has(_ text: StaticString, at start: Int) -> Bool {
        guard start + text.utf8CodeUnitCount <= count else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { self[start + $0] == text.utf8Start[$0] }
    }
}
