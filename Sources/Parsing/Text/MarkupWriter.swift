/// Reads an Atom text construct: text as it is, xhtml serialized, base64 decoded.
///
/// Source: RFC 4287, sections 3.1 and 4.1.3; Atom 0.3 has media types and a `mode` instead.
struct MarkupWriter {
    enum Kind {
        case text, markup, base64, other
    }

    let kind: Kind
    /// True if a `div` around everything is left out.
    private let dropsOuterDiv: Bool
    private var depth = 0
    private var isInOuterDiv = false

    init(attributes: AttributeView) {
        let type = attributes.text("type", in: .plain).value?.lowercased() ?? "text"
        let mode = attributes.text("mode", in: .plain).value?.lowercased()
        dropsOuterDiv = true
        switch (type, mode) {
        case (_, "base64"): kind = Self.isText(type) ? .base64 : .other
        case (_, "escaped"): kind = Self.isText(type) ? .text : .other
        case ("xhtml", _), ("application/xhtml+xml", _), ("application/xhtml", _): kind = .markup
        case ("text/html", "xml"): kind = .markup
        default: kind = Self.isText(type) ? .text : .other
        }
    }

    /// The inner markup of an element of the XHTML namespace, such as `xhtml:body` in RSS.
    static var body: MarkupWriter { MarkupWriter(kind: .markup, dropsOuterDiv: false) }

    private init(kind: Kind, dropsOuterDiv: Bool) {
        self.kind = kind
        self.dropsOuterDiv = dropsOuterDiv
    }

    private static func isText(_ type: String) -> Bool {
        type == "text" || type == "html" || type == "xhtml" || type == "plain" || type.hasPrefix("text/")
            || type.hasPrefix("application/xhtml") || !type.contains("/")
    }

    mutating func start(_ name: String, _ attributes: XMLAttributes, into text: inout TextBuffer) {
        depth += 1
        guard kind == .markup else { return }
        if dropsOuterDiv, depth == 1, name == "div" {
            isInOuterDiv = true
            return
        }
        text.append("<")
        text.append(name)
        for index in 0..<attributes.count {
            guard let name = attributes.localName(at: index) else { continue }
            text.append(attributes.space(at: index) == .xml ? " xml:" : " ")
            text.append(String(cString: name))
            text.append("=\"")
            escape(String(decoding: attributes.value(at: index), as: UTF8.self), quotes: true, into: &text)
            text.append("\"")
        }
        text.append(Self.voidElements.contains(name) ? "/>" : ">")
    }

    mutating func end(_ name: String, into text: inout TextBuffer) {
        defer { depth -= 1 }
        guard kind == .markup else { return }
        if isInOuterDiv, depth == 1 {
            isInOuterDiv = false
        } else if !Self.voidElements.contains(name) {
            text.append("</")
            text.append(name)
            text.append(">")
        }
    }

    func characters(_ bytes: UnsafeBufferPointer<UInt8>, into text: inout TextBuffer) {
        switch kind {
        case .text, .base64: text.append(bytes)
        case .markup: escape(String(decoding: bytes, as: UTF8.self), quotes: false, into: &text)
        case .other: break
        }
    }

    func finish(_ text: inout TextBuffer) {
        guard kind == .base64 else { return }
        let decoded = decodeBase64(text.trimmed)
        text.removeAll()
        if let decoded { text.append(String(decoding: decoded, as: UTF8.self)) }
    }

    private func escape(_ string: String, quotes: Bool, into text: inout TextBuffer) {
        var remaining = string.utf8[...]
        while let index = remaining.firstIndex(where: { $0 == 38 || $0 == 60 || $0 == 62 || (quotes && $0 == 34) }) {
            text.append(String(decoding: remaining[..<index], as: UTF8.self))
            switch remaining[index] {
            case 38: text.append("&amp;")
            case 60: text.append("&lt;")
            case 62: text.append("&gt;")
            default: text.append("&quot;")
            }
            remaining = remaining[remaining.index(after: index)...]
        }
        text.append(String(decoding: remaining, as: UTF8.self))
    }

    private static let voidElements: Set<String> = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
    ]
}

/// nil if the text is not base64. White space is skipped.
func decodeBase64(_ text: Text) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var bits: UInt32 = 0
    var count = 0
    for byte in text.bytes {
        let value: UInt8
        switch byte {
        case 65...90: value = byte - 65
        case 97...122: value = byte - 71
        case 48...57: value = byte + 4
        case 43, 45: value = 62
        case 47, 95: value = 63
        case 61: continue
        case let blank where Text.isBlank(blank): continue
        default: return nil
        }
        bits = bits << 6 | UInt32(value)
        count += 6
        if count >= 8 {
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
    }
    return bytes
}
