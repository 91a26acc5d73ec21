internal import HTML

/// HTML of feeds made safe for our own pages: an allow-list of elements, links only to the web, and nothing that runs,
/// loads or changes the page's look.
///
/// Elements are closed where their parent ends, or at the end of the text, so that the remainder of the page is not
/// affected.
public struct SafeHTML {
    /// HTML that is safe to insert. Plain text keeps its line breaks.
    public static func of(_ html: String) -> String {
        var safe = SafeHTML()
        safe.isPlain = !html.contains("<")
        safe.read(html.utf8Span.span)
        return String(decoding: safe.bytes, as: UTF8.self)
    }

    /// The text escaped for HTML, in elements and in attributes.
    public static func escaped(_ text: String) -> String {
        var safe = SafeHTML()
        for byte in text.utf8 { safe.append(byte) }
        return String(decoding: safe.bytes, as: UTF8.self)
    }

    private var bytes: [UInt8] = []
    private var open: [Element] = []
    private var isPlain = false

    /// Allowed elements, as written to the page. Headings become smaller, since the page has its own.
    private enum Element: String {
        case p, ul, ol, li, blockquote, pre, code, em, strong, b, i, u, s, sub, sup, small, a, h4, h5, dl, dt, dd, q, cite
        case br, hr

        var isVoid: Bool { self == .br || self == .hr }
    }

    private static let elements: [(name: HTMLName, element: Element)] = [
        ("p", .p), ("br", .br), ("a", .a), ("ul", .ul), ("ol", .ol), ("li", .li), ("em", .em), ("strong", .strong), ("b", .b),
        ("i", .i), ("blockquote", .blockquote), ("pre", .pre), ("code", .code), ("hr", .hr), ("h1", .h4), ("h2", .h4),
        ("h3", .h4), ("h4", .h5), ("h5", .h5), ("h6", .h5), ("u", .u), ("s", .s), ("sub", .sub), ("sup", .sup),
        ("small", .small), ("dl", .dl), ("dt", .dt), ("dd", .dd), ("q", .q), ("cite", .cite), ("div", .p), ("section", .p),
    ]

    /// Most levels of nesting. Nobody writes deeper ones, and browsers would slow down.
    private static let deepest = 40

    private mutating func read(_ html: Span<UInt8>) {
        var tokenizer = HTMLTokenizer()
        while let token = tokenizer.next(in: html) {
            switch token {
            case .text(let range): for index in range { append(html[index]) }
            case .reference(let reference):
                append(reference.first)
                if let second = reference.second { append(second) }
            case .start(let tag): start(tag, in: html)
            case .end(let tag): if let element = Self.element(tag.name) { end(element) }
            }
        }
        while let element = open.popLast() { write("</\(element.rawValue)>") }
    }

    private static func element(_ name: HTMLName) -> Element? { elements.first { $0.name == name }?.element }

    private mutating func start(_ tag: HTMLTag, in html: Span<UInt8>) {
        guard let element = Self.element(tag.name) else { return }
        if element.isVoid { return write("<\(element.rawValue)>") }
        guard open.count < Self.deepest else { return }
        // A paragraph ends the one before it, and a link cannot contain a link.
        if element == .p || element == .a { end(element) }
        guard element == .a else {
            open.append(element)
            return write("<\(element.rawValue)>")
        }
        guard let link = tag.attribute("href", in: html).flatMap(Self.link) else { return }
        open.append(.a)
        write("<a href=\"\(Self.escaped(link))\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">")
    }

    /// nil if the link is neither a web nor a mail address.
    private static func link(_ text: String) -> String? {
        let text = text.filter { !$0.isNewline && $0 != "\t" }
        let start = text.prefix(8).lowercased()
        return ["https://", "http://", "mailto:"].contains { start.hasPrefix($0) } ? text : nil
    }

    private mutating func end(_ element: Element) {
        guard open.contains(element) else { return }
        while let last = open.popLast() {
            write("</\(last.rawValue)>")
            if last == element { return }
        }
    }

    private mutating func append(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "<"): write("&lt;")
        case UInt8(ascii: ">"): write("&gt;")
        case UInt8(ascii: "&"): write("&amp;")
        case UInt8(ascii: "\""): write("&quot;")
        case UInt8(ascii: "'"): write("&#39;")
        case UInt8(ascii: "\n") where isPlain: write("<br>\n")
        case 0x00..<0x09, 0x0B..<0x20, 0x7F: break
        default: bytes.append(byte)
        }
    }

    private mutating func append(_ character: Unicode.Scalar) {
        if character.isASCII { return append(UInt8(character.value)) }
        bytes.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
    }

    private mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
