internal import CLibXML
internal import Glibc

/// The text of a field that may hold HTML, as a reader would see it: without tags, entities decoded.
///
/// Text without `<` and `&` is text already; anything else goes through libxml2's HTML parser, which reads whatever
/// it is given. One instance is used by one task at a time, for as many texts as it likes.
final class PlainText {
    private let context: htmlParserCtxtPtr
    /// Where the text goes, and where in it the current one begins.
    private var collected = ByteBuffer()
    private var beginning = 0

    /// nil where memory is short.
    init?() {
        _ = PlainText.library
        guard let context = htmlNewParserCtxt() else { return nil }
        self.context = context
        var handler = htmlSAXHandler()
        handler.characters = { user, characters, count in
            PlainText.of(user)?.collected.append(UnsafeRawBufferPointer(start: characters, count: Int(count)))
        }
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = { _, _, _ in }  // scripts and styles
        handler.startElement = { user, name, _ in PlainText.of(user)?.separate(at: name) }
        handler.endElement = { user, name in PlainText.of(user)?.separate(at: name) }
        context.pointee.sax.pointee = handler
        // Unretained: the context lives and dies with this object.
        context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit { htmlFreeParserCtxt(context) }

    func text(of html: String) -> String {
        let text = ByteBuffer()
        append(html, to: text)
        return withExtendedLifetime(text) { String(decoding: text.bytes, as: UTF8.self) }
    }

    func append(_ html: String, to text: ByteBuffer) {
        var html = html
        html.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return }
            guard memchr(start, 0x3C, bytes.count) != nil || memchr(start, 0x26, bytes.count) != nil else {
                return text.append(UnsafeRawBufferPointer(bytes))
            }
            collected = text
            beginning = text.count
            bytes.withMemoryRebound(to: CChar.self) { characters in
                let options = HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
                    | HTML_PARSE_NONET.rawValue | HTML_PARSE_NODEFDTD.rawValue
                let document = htmlCtxtReadMemory(
                    context, characters.baseAddress, Int32(clamping: characters.count), nil, "UTF-8", Int32(options))
                if let document { xmlFreeDoc(document) }
            }
        }
    }

    /// libxml2 must be made ready once before several threads use it: they would wait for each other for ever.
    private static let library: Void = xmlInitParser()

    private static func of(_ user: UnsafeMutableRawPointer?) -> PlainText? {
        user.map { Unmanaged<PlainText>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Words on both sides of a paragraph's end are two words; those around a bold letter are one.
    private func separate(at name: UnsafePointer<UInt8>?) {
        guard let name, collected.count > beginning, collected.bytes[collected.count - 1] > 32,
            !PlainText.inline.contains(String(cString: name))
        else { return }
        collected.append(fixed: UInt8(ascii: " "))
    }

    private static let inline: Set<String> = [
        "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "label", "mark",
        "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
    ]
}
