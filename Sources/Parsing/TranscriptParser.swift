internal import CLibXML
public import Domain
internal import JSON

/// Reads the files that `podcast:transcript` names: SubRip, WebVTT, the Podcast namespace's JSON and HTML, plain text.
///
/// Publishers' media types are often wrong, so the text itself is asked first; the type decides only between HTML and
/// plain text. Whatever cannot be read is left out; a file without any text gives no segments.
/// Source: https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/transcripts/transcripts.md
public enum TranscriptParser {
    public static func segments(of bytes: [UInt8], _ hints: TranscriptHints) -> [TranscriptSegment] {
        segments(of: bytes, type: hints.type ?? hints.contentType)
    }

    public static func segments(of bytes: [UInt8], type: String?) -> [TranscriptSegment] {
        let text = DecodedText(bytes, labels: [TextEncoding.charset(ofContentType: type)].compactMap { $0 }).utf8
        let first = text.first { $0 > 32 }
        if first == UInt8(ascii: "{") { return jsonSegments(text) }
        let lines = self.lines(of: text)
        if lines.prefix(50).contains(where: { CueTimes($0) != nil }) || lines.first?.hasPrefix("WEBVTT") == true {
            return cueSegments(lines)
        }
        let isHTML = first == UInt8(ascii: "<") || type?.lowercased().hasPrefix("text/html") == true
        return isHTML ? TranscriptPage.segments(of: text) : plainSegments(lines)
    }

    /// Lines without blanks around them, whatever ends them.
    private static func lines(of text: [UInt8]) -> [String] {
        var lines: [String] = []
        var start = 0
        for (index, byte) in text.enumerated() where byte == 10 || byte == 13 {
            if !(byte == 10 && index > 0 && text[index - 1] == 13) {
                lines.append(trimmed(text[start..<index]))
            }
            start = index + 1
        }
        return lines + [trimmed(text[start...])]
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        guard let first = bytes.firstIndex(where: { $0 > 32 }), let last = bytes.lastIndex(where: { $0 > 32 }) else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    // MARK: SubRip and WebVTT

    /// A cue is a line of times and the lines behind it up to an empty one; numbers, notes and styles have no times.
    private static func cueSegments(_ lines: [String]) -> [TranscriptSegment] {
        var segments: [TranscriptSegment] = []
        var isInCue = false
        for line in lines {
            if let times = CueTimes(line) {
                segments.append(TranscriptSegment(start: times.start, text: ""))
                isInCue = true
            } else if line.isEmpty {
                isInCue = false
            } else if isInCue, let last = segments.indices.last {
                let (text, speaker) = withoutTags(line)
                if !text.isEmpty { segments[last].text += (segments[last].text.isEmpty ? "" : " ") + text }
                segments[last].speaker = segments[last].speaker ?? speaker
            }
        }
        return segments.filter { !$0.text.isEmpty }
    }

    /// Takes out `<i>`, `<00:01.000>` and `{\an8}`; `<v Ada>` says who speaks.
    private static func withoutTags(_ line: String) -> (text: String, speaker: String?) {
        var text = ""
        var rest = line[...]
        var speaker: String?
        while let open = rest.firstIndex(where: { $0 == "<" || $0 == "{" }) {
            let isBrace = rest[open] == "{"
            let close = rest[open...].firstIndex(of: isBrace ? "}" : ">")
            let inside = rest[rest.index(after: open)...]
            guard let close, !isBrace || inside.hasPrefix("\\") else {
                text += rest[...open]
                rest = inside
                continue
            }
            text += rest[..<open]
            let tag = rest[rest.index(after: open)..<close]
            if tag.hasPrefix("v "), speaker == nil { speaker = String(tag.dropFirst(2)) }
            rest = rest[rest.index(after: close)...]
        }
        return (text + rest, speaker)
    }

    // MARK: JSON

    private static func jsonSegments(_ text: [UInt8]) -> [TranscriptSegment] {
        var segments: [TranscriptSegment] = []
        var reader = JSONReader(text)
        // What was read before a mistake in the file is kept.
        try? reader.object { reader, name in
            guard name == "segments" else {
                _ = try reader.skip()
                return
            }
            try reader.array { reader in
                var segment = TranscriptSegment(start: nil, text: "")
                try reader.object { reader, name in
                    switch (name, try reader.peek()) {
                    case ("body", .string): segment.text = try reader.string()
                    case ("speaker", .string): segment.speaker = try reader.string()
                    case ("startTime", .number): segment.start = try reader.number()
                    default: _ = try reader.skip()
                    }
                }
                if !segment.text.isEmpty { segments.append(segment) }
            }
        }
        return segments
    }

    // MARK: Plain text

    /// A paragraph is a segment.
    private static func plainSegments(_ lines: [String]) -> [TranscriptSegment] {
        lines.split(whereSeparator: \.isEmpty)
            .map { TranscriptSegment(start: nil, text: $0.joined(separator: " ")) }
    }
}

/// `00:01:02,500 --> 00:01:05,000`, with or without hours, with a comma or a point, and settings behind it.
private struct CueTimes {
    var start: Double

    init?(_ line: String) {
        guard let arrow = line.range(of: "-->"), let start = CueTimes.seconds(line[..<arrow.lowerBound]) else { return nil }
        self.start = start
    }

    /// `1:02`, `00:01:02.5`; nil for anything else.
    static func seconds(_ text: Substring) -> Double? {
        let text = text.filter { $0 != " " && $0 != "\t" }.replacing(",", with: ".")
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        var total = 0.0
        for part in parts {
            guard part.first?.isNumber == true, let number = Double(part), number < 100_000 else { return nil }
            total = total * 60 + number
        }
        return total
    }
}

/// The HTML form: `cite` names the speaker, `time` the second, `p` holds what is said.
///
/// libxml2's HTML parser tells of each element; the one owner of its pointers.
private final class TranscriptPage {
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
        handler.startElement = { user, name, _ in name.map { TranscriptPage.of(user)?.boundary(at: String(cString: $0), isEnd: false) } }
        handler.endElement = { user, name in name.map { TranscriptPage.of(user)?.boundary(at: String(cString: $0), isEnd: true) } }
        context.pointee.sax.pointee = handler
        context.pointee.userData = Unmanaged.passUnretained(page).toOpaque()
        html.withUnsafeBytes { bytes in
            let options = HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
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
            start = CueTimes.seconds(words[...])
            text = []
        case ("cite", false), ("time", false), ("p", _), ("div", _), ("br", false), ("li", _), ("body", _):
            endSegment()
        case ("title", true):
            text = []
        default:
            break
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
        segments.append(TranscriptSegment(start: start, text: words, speaker: speaker))
    }
}
