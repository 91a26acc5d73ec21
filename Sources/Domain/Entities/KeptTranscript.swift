/// What the library knows of one episode's transcript: what is kept, or why there is nothing, and when to ask again.
public struct TranscriptEntry: Hashable, Sendable {
    public let episodeID: EpisodeID
    /// What the feed offered when it was asked for last (`TranscriptOffer.digest`).
    public var offer: UInt64
    /// `Episode.changedAt` at that time.
    public var episodeChangedAt: Timestamp
    public var askedAt: Timestamp
    /// nil where none could be had yet.
    public var kept: KeptTranscript?
    /// Since the last answer that was one.
    public var failure: FetchFailureState?
    /// With a failure: not before.
    public var retryAt: Timestamp?

    public init(episodeID: EpisodeID, offer: UInt64, episodeChangedAt: Timestamp, askedAt: Timestamp) {
        self.episodeID = episodeID
        self.offer = offer
        self.episodeChangedAt = episodeChangedAt
        self.askedAt = askedAt
    }
}

/// Where a transcript that is kept came from.
public struct KeptTranscript: Hashable, Sendable {
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
public struct TranscriptState: Hashable, Sendable {
    /// Counts the writes of transcripts. Noted before each write, so that the index asks again after one that was cut
    /// short.
    public var revision = 0
    /// The revision that the list of transcripts is known to have.
    public var written = 0
    /// The revision of the episodes whose transcripts were looked for last.
    public var seen = 0
    /// When the next of those that wait may be asked for; nil where none waits.
    public var dueAt: Timestamp?

    public init() {}
}
