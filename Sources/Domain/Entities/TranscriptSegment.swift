/// A piece of a transcript, or a chapter.
public struct TranscriptSegment: Equatable, Sendable {
    /// Seconds into the episode; nil if the transcript has no times.
    public var start: Double?
    public var text: String
    /// The speaker, if the transcript names one.
    public var speaker: String?
    /// True if `text` is the title of a chapter.
    public var isChapter = false
    /// True if jimmy made the transcript.
    public var isHomemade = false
    /// True if it is read in several episodes nearly word for word, as advertising is.
    public var isAd = false

    public init(start: Double?, text: String, speaker: String? = nil, isChapter: Bool = false) {
        self.start = start
        self.text = text
        self.speaker = speaker
        self.isChapter = isChapter
    }
}
