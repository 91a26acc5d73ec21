internal import CLibXML
internal import Domain

/// The HTML form: `cite` names the speaker, `time` the second, `p` holds what is said.
///
/// libxml2's HTML parser tells of each element; the one owner of its pointers.
final class TranscriptPage {
    private var segments: [TranscriptSegment] = []
    private var text: [UInt8] = []
    private var start: Double?
    private var speaker: String?

    static func segments(of html: [UInt8]) -> [TranscriptSegment] {
        xmlInitParser()
        guard let context = htmlNewParserCtxt() else { return [] }
        defer { htmlFreeParserCtxt(context) }
        let page = TranscriptPage()
        var handler = htmlSAXHandler()
        handler.characters = { user, characters, count in
            TranscriptPage.of(user)?.text.append(contentsOf: UnsafeBufferPointer(start: characters, count: Int(count)))
        }
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = { _, _, _ in }  // scripts and styles
        handler.startElement = { user, name, attributes in
            guard let name, let page = TranscriptPage.of(user) else { return }
            page.boundary(at: String(cString: name), isEnd: false)
            page.readTime(attributes)
        }
        handler.endElement = { user, name in name.map { TranscriptPage.of(user)?.boundary(at: String(cString: $0), isEnd: true) }
        }
        context.pointee.sax.pointee = handler
        context.pointee.userData = Unmanaged.passUnretained(page).toOpaque()
        html.withUnsafeBytes { bytes in
            let options =
                HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
                | HTML_PARSE_NONET.rawValue
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let document = htmlCtxtReadMemory(context, start, Int32(clamping: bytes.count), nil, "UTF-8", Int32(options))
            if let document { xmlFreeDoc(document) }
        }
        return withExtendedLifetime(page) {
            page.endSegment()
            return page.segments
        }
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> TranscriptPage? {
        user.map { Unmanaged<TranscriptPage>.fromOpaque($0).takeUnretainedValue() }
    }

    private func boundary(at name: String, isEnd: Bool) {
        switch (name, isEnd) {
        case ("cite", true):
            let words = self.words
            speaker = words.hasSuffix(":") ? String(words.dropLast()) : words
            text = []
        case ("time", true):
            start = TranscriptTime.clock(words[...]) ?? start
            text = []
        case ("cite", false), ("time", false), ("p", _), ("div", _), ("br", false), ("li", _), ("tr", _), ("body", _),
            ("h1", _), ("h2", _), ("h3", _), ("h4", _):
            endSegment()
        case ("title", true):
            text = []
        default:
            break
        }
    }

    /// `begin` of the Timed Text Markup Language.
    private func readTime(_ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) {
        var next = attributes
        while let name = next?.pointee, let value = next?.advanced(by: 1).pointee {
            if String(cString: name) == "begin" { start = TranscriptTime.seconds(String(cString: value)[...]) ?? start }
            next = next?.advanced(by: 2)
        }
    }

    /// The text since the last boundary, its blanks folded.
    private var words: String {
        text.split(whereSeparator: { $0 <= 32 }).map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    private func endSegment() {
        let words = self.words
        text = []
        guard !words.isEmpty else { return }
        // Pages without these elements may still say `[00:12:34]`.
        let stamp = TranscriptText.Stamp(words)
        if let stamp { (start, speaker) = (stamp.start, stamp.speaker ?? speaker) }
        let said = stamp?.rest ?? words
        if !said.isEmpty { segments.append(TranscriptSegment(start: start, text: said, speaker: speaker)) }
    }
}
