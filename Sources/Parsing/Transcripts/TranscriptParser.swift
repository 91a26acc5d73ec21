public import Domain

/// Reads the files that `podcast:transcript` names (SubRip, WebVTT, JSON, HTML, plain text), and those that
/// `podcast:chapters` names.
///
/// Publishers' media types are often wrong, so the format is detected from the text. Unreadable parts are left out; a
/// file without text, or one that is not a transcript, gives no segments. An HTML page counts only if HTML was offered
/// or the page has times or speakers, because servers often send "not found" pages with status 200.
/// Source: https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/transcripts/transcripts.md
public enum TranscriptParser {
    public static func segments(of bytes: [UInt8], _ hints: TranscriptHints) -> [TranscriptSegment] {
        let labels = [hints.contentType, hints.type].compactMap { TextEncoding.charset(ofContentType: $0) }
        let text = DecodedText(bytes, labels: labels).utf8
        // Refuses PDF, word processor and audio files.
        guard !text.contains(0), !text.starts(with: Array("%PDF".utf8)) else { return [] }
        if hints.text == .chapters { return ChaptersFile.segments(of: text) }
        return merged(read(text, isPageOffered: hints.type?.lowercased().contains("html") ?? false))
    }

    private static func read(_ text: [UInt8], isPageOffered: Bool) -> [TranscriptSegment] {
        let first = text.first { $0 > 32 }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), let segments = TranscriptJSON.segments(of: text) {
            return segments
        }
        let lines = self.lines(of: text)
        if lines.first?.hasPrefix("WEBVTT") == true || lines.prefix(50).contains(where: { CueTimes($0) != nil }) {
            return TranscriptCues.segments(of: lines)
        }
        guard first == UInt8(ascii: "<") else { return TranscriptText.segments(of: lines) }
        let page = TranscriptPage.segments(of: text)
        return isPageOffered || page.contains { $0.start != nil || $0.speaker != nil } ? page : []
    }

    /// Trimmed lines, with any line breaks.
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

    // MARK: Length

    /// Average bytes of a segment below which segments are merged into sentences, because the file gives a time to each
    /// word.
    private static let wordLength = 16
    private static let minMergedLength = 80
    private static let maxMergedLength = 200
    /// Seconds of silence that end a segment.
    private static let silence = 4.0

    private static func merged(_ segments: [TranscriptSegment]) -> [TranscriptSegment] {
        let length = segments.reduce(0) { $0 + $1.text.utf8.count }
        guard segments.count > 8, length < segments.count * wordLength else { return segments }
        var merged: [TranscriptSegment] = []
        var lastStart: Double?
        for segment in segments {
            if let open = merged.last, open.speaker == segment.speaker, (segment.start ?? 0) - (lastStart ?? 0) < silence,
                open.text.utf8.count < maxMergedLength, open.text.utf8.count < minMergedLength || !open.text.endsSentence
            {
                let isPunctuation = segment.text.utf8.count == 1 && segment.text.first?.isPunctuation == true
                merged[merged.count - 1].text += (isPunctuation ? "" : " ") + segment.text
            } else {
                merged.append(segment)
            }
            lastStart = segment.start
        }
        return merged
    }
}

extension String {
    fileprivate var endsSentence: Bool { last.map { ".!?…。！？".contains($0) } ?? false }
}

/// Reads the times of transcripts, in seconds.
enum TranscriptTime {
    /// `1:02`, `00:01:02.5`, `00:01:02,500`, and `00:01:02:500`; nil for anything else.
    static func clock(_ text: Substring) -> Double? {
        var total = 0.0
        var parts = 0
        for part in text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
            guard parts < 4, let first = part.first, isDigit(first), let number = decimal(part) else { return nil }
            parts += 1
            total = parts == 4 ? total + number / 1_000 : total * 60 + number
        }
        return parts >= 2 ? total : nil
    }

    /// The same, or plain seconds: `62.5`, `62.5s`.
    static func seconds(_ text: Substring) -> Double? {
        if let clock = clock(text) { return clock }
        let digits = text.hasSuffix("s") ? text.utf8.dropLast() : text.utf8[...]
        guard let first = digits.first, isDigit(first) else { return nil }
        return decimal(digits)
    }

    /// Reads a number with a point or a comma; nil for 100,000 and more, which no episode lasts.
    private static func decimal(_ bytes: Substring.UTF8View) -> Double? {
        var value = 0.0
        var scale = 0.0
        for byte in bytes {
            if byte == UInt8(ascii: ".") || byte == UInt8(ascii: ","), scale == 0 {
                scale = 1
            } else if isDigit(byte) {
                value = value * 10 + Double(byte - 48)
                scale *= 10
            } else {
                return nil
            }
        }
        value /= max(scale, 1)
        return value < 100_000 ? value : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
