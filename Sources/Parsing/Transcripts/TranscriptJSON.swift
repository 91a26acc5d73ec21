internal import Domain
internal import JSON

/// Reads transcripts as JSON: the Podcast namespace's form, and those of programs that transcribe or display them
/// (Whisper, Podlove). All are lists of pieces with text and usually a time, under various names.
enum TranscriptJSON {
    /// Names of the list.
    private static let lists: Set<String> = [
        "segments", "transcripts", "transcript", "transcription", "utterances", "cues", "chunks", "words",
    ]
    private static let texts: Set<String> = ["body", "text", "line", "value", "word", "content"]
    private static let times: Set<String> = ["startTime", "start", "start_time", "begin", "timestamp", "timestamps"]
    private static let milliseconds: Set<String> = ["start_ms", "startMs", "tStartMs"]
    /// In order of preference: Podlove's `speaker` is an id, its `voice` a name.
    private static let speakers = ["voice", "speakerName", "speaker"]

    /// nil if the text is not JSON. If it is damaged, the segments before the damage.
    static func segments(of text: [UInt8]) -> [TranscriptSegment]? {
        var reader = JSONReader(text)
        guard let kind = try? reader.peek() else { return nil }
        var segments: [TranscriptSegment] = []
        var whole = ""
        do {
            if kind == .array {
                try readList(&reader, &segments)
            } else {
                try reader.object { reader, name in
                    switch try reader.peek() {
                    case .array where lists.contains(name) && segments.isEmpty: try readList(&reader, &segments)
                    case .string where name == "text" || name == "transcript": whole = try reader.string()
                    default: try reader.skip()
                    }
                }
            }
        } catch {
            // `[00:12] Hello` is plain text; `{\rtf1` is not a transcript.
            if segments.isEmpty, kind == .array { return nil }
        }
        if segments.isEmpty, !whole.isEmpty { return [TranscriptSegment(start: nil, text: whole)] }
        // No episode lasts two days, so these are milliseconds under a name for seconds.
        let areMilliseconds = segments.contains { ($0.start ?? 0) > 172_800 }
        return areMilliseconds
            ? segments.map { TranscriptSegment(start: $0.start.map { $0 / 1_000 }, text: $0.text, speaker: $0.speaker) }
            : segments
    }

    private static func readList(_ reader: inout JSONReader, _ segments: inout [TranscriptSegment]) throws {
        try reader.array { reader in
            guard try reader.peek() == .object else {
                try reader.skip()
                return
            }
            var segment = TranscriptSegment(start: nil, text: "")
            var names: [String: String] = [:]
            try reader.object { reader, name in
                let kind = try reader.peek()
                if texts.contains(name), kind == .string, segment.text.isEmpty {
                    segment.text = try reader.string().trimmedValue ?? ""
                } else if times.contains(name) {
                    segment.start = try time(&reader) ?? segment.start
                } else if milliseconds.contains(name), kind == .number {
                    segment.start = try reader.number() / 1_000
                } else if speakers.contains(name), kind == .string {
                    names[name] = try reader.string().trimmedValue
                } else {
                    try reader.skip()
                }
            }
            segment.speaker = speakers.lazy.compactMap { names[$0] }.first
            if !segment.text.isEmpty { segments.append(segment) }
        }
    }

    /// Reads seconds as a number or string, a clock time, a pair `[from, to]`, or an object `{from, to}`.
    static func time(_ reader: inout JSONReader) throws -> Double? {
        var first: Double?
        switch try reader.peek() {
        case .number:
            first = try reader.number()
        case .string:
            first = TranscriptTime.seconds(try reader.string()[...])
        case .array:
            var isFirst = true
            try reader.array { reader in
                if isFirst { first = try time(&reader) } else { try reader.skip() }
                isFirst = false
            }
        case .object:
            try reader.object { reader, name in
                if name == "from" { first = try time(&reader) } else { try reader.skip() }
            }
        case .bool, .null:
            try reader.skip()
        }
        return first.flatMap { $0 >= 0 ? $0 : nil }
    }
}
