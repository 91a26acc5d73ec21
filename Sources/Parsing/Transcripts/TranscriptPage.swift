internal import Domain
internal import HTML

/// Reads the HTML form: `cite` names the speaker, `time` gives the time, `p` holds the spoken text.
struct TranscriptPage {
    private var segments: [TranscriptSegment] = []
    private var text: [UInt8] = []
    private var start: Double?
    private var speaker: String?

    static func segments(of html: [UInt8]) -> [TranscriptSegment] {
        var page = TranscriptPage()
        page.read(html.span)
        page.endSegment()
        return page.segments
    }

    private mutating func read(_ html: Span<UInt8>) {
        var tokenizer = HTMLTokenizer()
        while let token = tokenizer.next(in: html) {
            switch token {
            case .text(let range): for index in range { text.append(html[index]) }
            case .reference(let reference):
                for case let scalar? in [reference.first, reference.second] {
                    text.append(contentsOf: String(Character(scalar)).utf8)
                }
            case .start(let tag):
                passBoundary(at: tag, isEnd: false)
                // `begin` of the Timed Text Markup Language.
                if let begin = tag.attribute("begin", in: html) { start = TranscriptTime.seconds(begin[...]) ?? start }
            case .end(let tag):
                passBoundary(at: tag, isEnd: true)
            }
        }
    }

    private mutating func passBoundary(at tag: HTMLTag, isEnd: Bool) {
        switch (tag.name, isEnd) {
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

    /// The text since the last boundary, with blanks collapsed.
    private var words: String {
        text.split(whereSeparator: { $0 <= 32 }).map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    private mutating func endSegment() {
        let words = self.words
        text = []
        guard !words.isEmpty else { return }
        // Pages without these elements may still have stamps such as `[00:12:34]`.
        let stamp = TranscriptText.Stamp(words)
        if let stamp { (start, speaker) = (stamp.start, stamp.speaker ?? speaker) }
        let spoken = stamp?.text ?? words
        if !spoken.isEmpty { segments.append(TranscriptSegment(start: start, text: spoken, speaker: speaker)) }
    }
}
