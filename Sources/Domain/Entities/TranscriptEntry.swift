/// What is fetched of an episode beside its feed. Both are lines with times, and are asked for, kept and found alike.
public enum EpisodeText: String, CaseIterable, Sendable {
    case transcript
    /// The file that `podcast:chapters` names.
    case chapters
}

/// The state of one episode's transcript: what is stored, or why nothing is, and when to fetch it again.
public struct TranscriptEntry: Equatable, Sendable {
    public var episodeID: EpisodeID
    /// What the feed offered at the last fetch (`TranscriptOffer.digest`).
    public var offer: UInt64
    /// `Episode.changedAt` at that time.
    public var episodeChangedAt: Timestamp
    public var askedAt: Timestamp
    /// nil if none could be fetched yet.
    public var kept: KeptTranscript?
    /// The failures since the last transcript that arrived.
    public var failure: FetchFailureState?
    /// With a failure: when to try again.
    public var retryAt: Timestamp?

    public init(episodeID: EpisodeID, offer: UInt64, episodeChangedAt: Timestamp, askedAt: Timestamp) {
        self.episodeID = episodeID
        self.offer = offer
        self.episodeChangedAt = episodeChangedAt
        self.askedAt = askedAt
    }
}

/// The source of a stored transcript.
public struct KeptTranscript: Equatable, Sendable {
    /// As the feed names it.
    public var url = ""
    public var type: String?
    public var language: String?
    public var validators: Validators?
    /// XXH64 of the body's bytes as they were sent.
    public var bodyHash: UInt64?
    public var at = Timestamp(seconds: 0)
    public var segments = 0
    /// The revision of its podcast's transcripts that brought it.
    public var revision = 0

    public init() {}
}

/// What a podcast's record says of its transcripts, so that a refresh need not open their list to see that nothing is due.
public struct TranscriptState: Equatable, Sendable {
    /// Counts the writes of transcripts. Noted before each write, so that the index asks again after one that was cut
    /// short.
    public var revision = 0
    /// The revision that the list of transcripts is known to have.
    public var written = 0
    /// The revision of the episodes whose transcripts were looked for last.
    public var seen = 0
    /// When the next transcript that waits may be fetched; nil if none waits.
    public var dueAt: Timestamp?
    /// The same two for chapters.
    public var chaptersSeen = 0
    public var chaptersDueAt: Timestamp?

    public init() {}

    public func seen(_ text: EpisodeText) -> Int { text == .transcript ? seen : chaptersSeen }
    public func dueAt(_ text: EpisodeText) -> Timestamp? { text == .transcript ? dueAt : chaptersDueAt }

    mutating func look(for text: EpisodeText, seen revision: Int, dueAt time: Timestamp?) {
        switch text {
        case .transcript: (seen, dueAt) = (revision, time)
        case .chapters: (chaptersSeen, chaptersDueAt) = (revision, time)
        }
    }
}
