/// What a recogniser's output is worth: the lines spoken in a piece, or why there are none.
public struct PieceVerdict: Equatable, Sendable {
    /// Seconds of the piece.
    public var segments: [TranscriptSegment] = []
    /// Why the piece is tried again later. Lines may stand beside it.
    public var failure: PieceFailure?

    public init(segments: [TranscriptSegment] = [], failure: PieceFailure? = nil) {
        (self.segments, self.failure) = (segments, failure)
    }

    /// Lines in a row that may be equal: a refrain. More are made up.
    public static let maxRepeated = 5

    /// - Parameters:
    ///   - text: what the recogniser wrote; nil if it wrote nothing.
    ///   - read: as `ReadTranscript`.
    public init(_ text: [UInt8]?, ofLength length: Double, _ read: ([UInt8]) -> [TranscriptSegment]) {
        guard let text else {
            failure = PieceFailure(.noOutput)
            return
        }
        let read = read(text).filter { !$0.text.isEmpty }
        if read.isEmpty {
            if !Self.isEmptyTranscript(text) { failure = PieceFailure(.rubbish) }
            return
        }
        // A recogniser may round the end of the piece up.
        let timed = read.filter { segment in segment.start.map { $0 >= 0 && $0 <= length + 1 } ?? false }
        guard timed.count * 2 > read.count else {
            failure = PieceFailure(.rubbish)
            return
        }
        var repeated: String?
        (segments, repeated) = Self.withoutRepetitions(timed.sorted { ($0.start ?? 0) < ($1.start ?? 0) })
        if let repeated { failure = PieceFailure(.repeated, words: repeated) }
    }

    /// Drops each line that stands more than `maxRepeated` times in a row.
    ///
    /// - Returns: the other lines, and the first line that was dropped.
    static func withoutRepetitions(_ segments: [TranscriptSegment]) -> ([TranscriptSegment], dropped: String?) {
        var others: [TranscriptSegment] = []
        var dropped: String?
        var first = segments.startIndex
        while first < segments.endIndex {
            let folded = TitleName.foldedWords(of: segments[first].text)
            let end = segments[first...].firstIndex { TitleName.foldedWords(of: $0.text) != folded } ?? segments.endIndex
            if end - first > maxRepeated {
                dropped = dropped ?? segments[first].text
            } else {
                others += segments[first..<end]
            }
            first = end
        }
        return (others, dropped)
    }

    /// A transcript of silence: a header, an empty list, or nothing but blanks in a file.
    private static func isEmptyTranscript(_ text: [UInt8]) -> Bool {
        let text = String(decoding: text.prefix(4_096), as: UTF8.self)
        let words = text.split(whereSeparator: { $0.isWhitespace || $0 == "\u{FEFF}" }).prefix(2)
        guard let first = words.first else { return true }
        if first == "WEBVTT" { return true }
        return first.hasPrefix("{") && (text.contains("\"segments\"") || text.contains("\"transcription\"")) || text == "[]"
    }
}

/// Why a recogniser did not give the lines of a piece.
public struct PieceFailure: Error, Equatable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// It ended with an exit code other than 0, or by a signal.
        case failed
        case timedOut
        case noOutput
        /// Its output is no transcript with times.
        case rubbish
        /// It wrote more than any transcript of a piece has.
        case tooMuch
        /// It made up one line again and again.
        case repeated
    }

    public var kind: Kind
    /// Its exit code; 128 and the signal if one ended it.
    public var status: Int32?
    /// Its last line on standard error, or the line that it repeated.
    public var words: String?

    public init(_ kind: Kind, status: Int32? = nil, words: String? = nil) {
        (self.kind, self.status, self.words) = (kind, status, words)
    }
}
