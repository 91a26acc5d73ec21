public import Domain

/// The transcript of an episode, with times. In a pipe: time, speaker, text, and `ad` for what several episodes have.
public struct TranscriptView: View {
    let segments: [TranscriptSegment]

    public init(_ segments: [TranscriptSegment]) { self.segments = segments }

    public func lines(for display: Display) -> [String] {
        guard display.isTerminal else {
            return segments.map { segment in
                ([segment.start.map(position) ?? "", segment.speaker ?? "", segment.text] + (segment.isAd ? ["ad"] : [])).map(
                    \.oneLine
                ).joined(separator: "\t")
            }
        }
        var lines: [String] = []
        var speaker: String?
        var isAd = false
        for segment in segments {
            if let next = segment.speaker, next != speaker {
                lines.append(display.styled(next.oneLine, .bold))
                speaker = next
            }
            if segment.isAd != isAd {
                lines.append(display.styled(segment.isAd ? "(advertising, as in other episodes)" : "(end of advertising)", .dim))
                isAd = segment.isAd
            }
            let time = segment.start.map { position($0) + "  " } ?? ""
            for (number, part) in segment.text.oneLine.wrapped(to: max(min(display.width, 100) - time.count, 20)).enumerated() {
                lines.append((number == 0 ? display.styled(time, .dim) : String(repeating: " ", count: time.count)) + part)
            }
        }
        return lines
    }

    public func jsonLines(_ emit: (String) -> Void) {
        for segment in segments { emit(jsonLine(Row(segment: segment))) }
    }

    private struct Row: Fields {
        let segment: TranscriptSegment

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.number("start", segment.start)
            visitor.text("speaker", segment.speaker)
            visitor.text("text", segment.text)
            visitor.flag("ad", segment.isAd ? true : nil)
        }
    }
}
