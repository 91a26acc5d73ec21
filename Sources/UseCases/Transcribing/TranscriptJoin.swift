import Domain

/// Joins the transcripts of pieces to one of the whole file. Words that two pieces share stand once.
///
/// The time is linear in the words: only the few words around a cut are compared with each other.
struct TranscriptJoin: Sendable {
    private(set) var segments: [TranscriptSegment] = []
    private var last: AudioPiece?

    init() {}

    /// Words on each side of a cut that are compared.
    private static let maxCompared = 48
    /// Seconds by which a recogniser's times may be off.
    private static let slack = 2.0

    /// - Parameters:
    ///   - added: in order of time, with seconds of the piece.
    ///   - piece: follows the one added before.
    mutating func add(_ added: [TranscriptSegment], of piece: AudioPiece) {
        var added = added.map { segment in
            var segment = segment
            segment.start = min(max(segment.start ?? 0, 0), piece.length) + piece.start
            return segment
        }
        if let last, piece.start < last.end, !added.isEmpty {
            let cut = cut(added, of: piece, after: last)
            dropLast(words: cut.left)
            added = Self.suffix(from: cut.right, of: added, end: piece.end)
        }
        segments += added
        last = piece
    }

    /// How many words are left out at the end of the joined transcript, and how many at the beginning of the added one.
    private func cut(
        _ added: [TranscriptSegment], of piece: AudioPiece, after last: AudioPiece
    ) -> (left: Int, right: Int) {
        let ending = Self.words(of: segments.suffix(Self.maxCompared), end: last.end)
        let left = ending.filter { $0.time >= piece.start - Self.slack }.suffix(Self.maxCompared)
        let right = Self.words(of: added.prefix(Self.maxCompared), end: piece.end)
            .filter { $0.time <= last.end + Self.slack }.prefix(Self.maxCompared)
        guard !left.isEmpty, !right.isEmpty else { return (0, 0) }
        if let run = Self.longestRun(Array(left), Array(right)), run.length > 1 || min(left.count, right.count) <= 2 {
            let (lastLeft, lastRight) = (left.startIndex + run.left + run.length - 1, run.right + run.length - 1)
            return (ending.count - 1 - left[lastLeft].index, right[lastRight].index + 1)
        }
        // Without a common word, the time decides.
        let middle = (piece.start + last.end) / 2
        return (
            left.first { $0.time >= middle }.map { ending.count - $0.index } ?? 0,
            right.first { $0.time >= middle }?.index ?? right[right.endIndex - 1].index + 1
        )
    }

    /// The longest run of equal words; among equals the last.
    private static func longestRun(_ left: [Word], _ right: [Word]) -> (left: Int, right: Int, length: Int)? {
        var best: (left: Int, right: Int, length: Int)?
        var row = [Int](repeating: 0, count: right.count + 1)
        for (i, a) in left.enumerated() {
            var diagonal = 0
            for (j, b) in right.enumerated() {
                let above = row[j + 1]
                row[j + 1] = a.text == b.text ? diagonal + 1 : 0
                diagonal = above
                let length = row[j + 1]
                if length > 0, length >= best?.length ?? 1 { best = (i - length + 1, j - length + 1, length) }
            }
        }
        return best
    }

    private struct Word {
        /// Without case, accents and punctuation.
        var text: String
        var time: Double
        /// Counted from the first word of these segments.
        var index: Int
    }

    /// The words with times, which are spread evenly over a segment.
    private static func words(of segments: ArraySlice<TranscriptSegment>, end: Double) -> [Word] {
        var words: [Word] = []
        for place in segments.indices {
            let start = segments[place].start ?? 0
            let next = place + 1 < segments.endIndex ? segments[place + 1].start ?? end : end
            let texts = segments[place].words
            // Nobody speaks slower than a word a second; what remains is silence.
            let step = min(max(next - start, 0) / Double(max(texts.count, 1)), 1)
            for (offset, text) in texts.enumerated() {
                let folded = TitleName.foldedWords(of: String(text)).joined()
                words.append(Word(text: folded, time: start + step * Double(offset), index: words.count))
            }
        }
        return words
    }

    private mutating func dropLast(words surplus: Int) {
        var surplus = surplus
        while surplus > 0, let last = segments.popLast() {
            let words = last.words
            if words.count > surplus {
                var shortened = last
                shortened.text = words.dropLast(surplus).joined(separator: " ")
                segments.append(shortened)
            }
            surplus -= min(words.count, surplus)
        }
    }

    /// All words but the first `count`. A segment that loses words starts later.
    private static func suffix(from count: Int, of segments: [TranscriptSegment], end: Double) -> [TranscriptSegment] {
        var count = count
        for (place, segment) in segments.enumerated() {
            let words = segment.words
            guard words.count <= count else {
                var remaining = Array(segments[place...])
                if count > 0 {
                    remaining[0].text = words.dropFirst(count).joined(separator: " ")
                    remaining[0].start = Self.words(of: segments[place...].prefix(2), end: end)[count].time
                }
                return remaining
            }
            count -= words.count
        }
        return []
    }
}

extension TranscriptSegment {
    fileprivate var words: [Substring] { text.split(whereSeparator: \.isWhitespace) }
}
