/// A part of an episode's audio, which is recognised at once. Times are seconds of the whole file.
public struct AudioPiece: Equatable, Sendable {
    /// Counted from 0.
    public var number: Int
    public var start: Double
    public var end: Double

    public var length: Double { end - start }

    public init(number: Int, start: Double, end: Double) { (self.number, self.start, self.end) = (number, start, end) }

    /// Seconds of a piece, unless a silence near by is a better place to cut.
    public static let usualLength = 300.0
    /// How far before and after the usual length a silence is looked for.
    private static let before = 60.0
    private static let after = 15.0
    /// Seconds that two pieces share if the cut is in speech: a word at the cut is whole in one of them.
    static let overlap = 6.0

    /// Cuts audio into pieces, in the longest silence near each cut. Where there is none, pieces overlap.
    ///
    /// - Parameters:
    ///   - duration: seconds of the whole audio.
    ///   - silences: in order of time.
    ///   - usual: the length of a piece; the other lengths are in proportion.
    public static func pieces(
        duration: Double, silences: [ClosedRange<Double>], usual: Double = usualLength
    ) -> [AudioPiece] {
        guard duration > 0, duration.isFinite, usual > 0 else { return [] }
        let scale = min(usual / usualLength, 1)
        let (before, after, overlap) = (before * scale, after * scale, min(overlap, usual / 10))
        var pieces: [AudioPiece] = []
        // The last cut, and where the next piece starts: at the cut, or before it.
        var (cut, start) = (0.0, 0.0)
        var next = silences.startIndex
        while true {
            let nominal = cut + usual
            // A remainder that is hardly longer than a piece is one.
            guard duration > nominal + before else {
                pieces.append(AudioPiece(number: pieces.count, start: start, end: duration))
                return pieces
            }
            let window = (nominal - before)...(nominal + after)
            while next < silences.endIndex, silences[next].upperBound <= window.lowerBound { next += 1 }
            let near = silences[next...].prefix { $0.lowerBound < window.upperBound }.map { $0.clamped(to: window) }
            let silence = near.max { $0.width < $1.width }
            let shared: Double
            if let silence, silence.width > 0 {
                (cut, shared) = (silence.lowerBound + silence.width / 2, 0)
            } else {
                (cut, shared) = (nominal, overlap / 2)
            }
            pieces.append(AudioPiece(number: pieces.count, start: start, end: cut + shared))
            start = cut - shared
        }
    }
}

extension ClosedRange<Double> {
    fileprivate var width: Double { upperBound - lowerBound }
}
