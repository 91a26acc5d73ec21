/// Feeds' HTML as text to read: tags gone, paragraphs and list items on lines of their own, entities decoded.
///
/// Only for showing; what is searched is stripped by a real HTML parser.
struct HTMLText {
    static func text(_ html: String) -> String {
        var reader = HTMLText(html)
        return reader.read()
    }

    private let source: [UInt8]
    private var index = 0
    private var text: [UInt8] = []
    /// Line breaks that are due before the next word.
    private var breaks = 0
    private var hasSpace = false

    private init(_ html: String) { source = Array(html.utf8) }

    private mutating func read() -> String {
        while index < source.count {
            switch source[index] {
            case UInt8(ascii: "<") where looksLikeTag: readTag()
            case UInt8(ascii: "&"): readEntity()
            case 0x20, 0x09, 0x0A, 0x0D:
                hasSpace = true
                index += 1
            default:
                append([source[index]])
                index += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func append(_ bytes: some Collection<UInt8>) {
        if !text.isEmpty {
            if breaks > 0 {
                text.append(contentsOf: repeatElement(UInt8(ascii: "\n"), count: breaks))
            } else if hasSpace {
                text.append(UInt8(ascii: " "))
            }
        }
        (breaks, hasSpace) = (0, false)
        text.append(contentsOf: bytes)
    }

    /// `5 < 6` is no tag.
    private var looksLikeTag: Bool {
        guard index + 1 < source.count else { return false }
        switch source[index + 1] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "/"),
            UInt8(ascii: "!"), UInt8(ascii: "?"):
            return true
        default: return false
        }
    }

    private mutating func readTag() {
        let isComment = source[index...].starts(with: "<!--".utf8)
        let isEnd = source[index + 1] == UInt8(ascii: "/")
        let nameStart = index + (isEnd ? 2 : 1)
        var end = nameStart
        if isComment {
            while end < source.count, !source[end...].starts(with: "-->".utf8) { end += 1 }
            index = min(end + 3, source.count)
            return
        }
        while end < source.count, source[end] != UInt8(ascii: ">") { end += 1 }
        let name = String(
            decoding: source[nameStart..<end].prefix { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || (0x30...0x39).contains($0) },
            as: UTF8.self
        )
        .lowercased()
        index = min(end + 1, source.count)
        switch name {
        case "br": breaks = min(breaks + 1, 2)
        case "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table", "ul", "ol", "pre", "hr": breaks = 2
        case "div", "tr", "section", "article", "dd", "dt": breaks = max(breaks, 1)
        case "li":
            breaks = max(breaks, 1)
            if !isEnd { append("- ".utf8) }
        case "script", "style":
            if !isEnd { skip(to: name) }
        default: break
        }
    }

    private mutating func skip(to name: String) {
        let end = Array("</\(name)".utf8)
        while index < source.count, !source[index...].starts(with: end) { index += 1 }
    }

    private static let named: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
        "hellip": "…", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "laquo": "«", "raquo": "»",
        "bull": "•", "middot": "·", "copy": "©", "reg": "®", "trade": "™", "eacute": "é", "auml": "ä", "ouml": "ö",
        "uuml": "ü", "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü", "szlig": "ß", "euro": "€",
    ]

    private mutating func readEntity() {
        let end = source[index...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
        let name = end.map { String(decoding: source[(index + 1)..<$0], as: UTF8.self) } ?? ""
        if let end, let meaning = Self.named[name] ?? Self.numeric(name) {
            index = end + 1
            if meaning == " " { hasSpace = true } else { append(meaning.utf8) }
        } else {
            append([UInt8(ascii: "&")])
            index += 1
        }
    }

    private static func numeric(_ name: String) -> String? {
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let value = digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
