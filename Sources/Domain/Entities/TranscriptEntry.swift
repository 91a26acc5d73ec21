/// A text of an episode that is fetched from a separate file. Both kinds are timed lines, and are fetched, stored and
/// searched alike.
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
    /// The stored transcript's source; nil if none could be fetched yet.
    public var stored: TranscriptSource?
    /// The failures since the last success.
    public var failure: FetchFailureState?
    /// When to try again after a failure.
    public var retryAt: Timestamp?
    /// Failures to make a transcript from the audio, on any machine; nil after a success.
    public var attempts: TranscriptionAttempts?

    public init(episodeID: EpisodeID, offer: UInt64, episodeChangedAt: Timestamp, askedAt: Timestamp) {
        self.episodeID = episodeID
        self.offer = offer
        self.episodeChangedAt = episodeChangedAt
        self.askedAt = askedAt
    }
}

/// Failed attempts to make a transcript.
public struct TranscriptionAttempts: Equatable, Sendable {
    public var failures: Int
    public var retryAt: Timestamp

    public init(failures: Int = 0, retryAt: Timestamp = Timestamp(seconds: 0)) {
        (self.failures, self.retryAt) = (failures, retryAt)
    }
}

/// The source of a stored transcript.
public struct TranscriptSource: Equatable, Sendable {
    /// As the feed names it.
    public var url = ""
    public var type: String?
    public var language: String?
    public var validators: Validators?
    /// XXH64 of the body's bytes as they were sent.
    public var bodyHash: UInt64?
    public var at = Timestamp(seconds: 0)
    public var segments = 0
    /// The revision of the podcast's transcripts that added it.
    public var revision = 0
    /// nil if the publisher made it.
    public var making: TranscriptMaking?

    public init() {}
}

/// The part of a podcast's record about its transcripts, which tells a refresh that nothing is due without opening
/// their list.
public struct TranscriptState: Equatable, Sendable {
    /// Counts the writes of transcripts. Raised before each write, so that the index reads them again after a write
    /// that was cut short.
    public var revision = 0
    /// The last confirmed revision of the list of transcripts.
    public var written = 0
    /// The `episodesRevision` at which transcripts were last looked for.
    public var seen = 0
    /// When the next waiting transcript may be fetched; nil if none waits.
    public var dueAt: Timestamp?
    /// The same two values for chapters.
    public var chaptersSeen = 0
    public var chaptersDueAt: Timestamp?

    public init() {}

    public func seen(_ text: EpisodeText) -> Int { text == .transcript ? seen : chaptersSeen }
    public func dueAt(_ text: EpisodeText) -> Timestamp? { text == .transcript ? dueAt : chaptersDueAt }

    package mutating func look(for text: EpisodeText, seen revision: Int, dueAt time: Timestamp?) {
        switch text {
        case .transcript: (seen, dueAt) = (revision, time)
        case .chapters: (chaptersSeen, chaptersDueAt) = (revision, time)
        }
    }
}
