/// The transcripts and the chapters of episodes: one file each, and one list a podcast.
public protocol TranscriptRepository: Sendable {
    /// The entries of a podcast's transcripts; empty if none was ever fetched.
    func known(of podcast: PodcastID) async throws -> KnownTranscripts
    /// The chapters that are kept of these episodes, and what is said in their transcripts, in this order. Damaged ones are left
    /// out: a search goes on without them, and `verify` finds them.
    func segments(of episodes: [EpisodeID]) async throws -> [EpisodeID: [TranscriptSegment]]
    /// The stored transcript of one episode; nil if there is none.
    func transcript(of episode: EpisodeID) async throws -> StoredTranscript?
    /// The stored chapters of one episode, as segments with their titles; nil if there are none.
    func chapters(of episode: EpisodeID) async throws -> StoredTranscript?
    /// Stores transcripts of many podcasts with their records; all is durable when it returns. `transcripts.revision` of
    /// each record whose podcast gets a new transcript grows by the write.
    ///
    /// - Returns: one result for each, in order, as of `WorkSource.settle`.
    func settle(_ settlements: [TranscriptSettlement]) async throws -> [WriteResult]
}

public struct StoredTranscript: Sendable {
    public var file: String
    public var kept: KeptTranscript
    public var segments: [TranscriptSegment]

    public init(file: String, kept: KeptTranscript, segments: [TranscriptSegment]) {
        self.file = file
        self.kept = kept
        self.segments = segments
    }
}

public struct KnownTranscripts: Sendable {
    /// 0 if there is no list yet.
    public var revision: Int
    public var entries: [EpisodeID: TranscriptEntry]
    public var chapters: [EpisodeID: TranscriptEntry]

    public init(
        revision: Int = 0, entries: [EpisodeID: TranscriptEntry] = [:], chapters: [EpisodeID: TranscriptEntry] = [:]
    ) {
        self.revision = revision
        self.entries = entries
        self.chapters = chapters
    }

    public func entries(_ text: EpisodeText) -> [EpisodeID: TranscriptEntry] { text == .transcript ? entries : chapters }
}

/// What a run found out about one podcast's transcripts or chapters, ready to be written.
public struct TranscriptSettlement: Sendable {
    public var text: EpisodeText
    /// The record the run worked with.
    public var podcast: Podcast
    /// Entries that are new, or replace the one of the same episode.
    public var entries: [TranscriptEntry] = []
    /// What is said, of those entries whose transcript is new.
    public var segments: [EpisodeID: [TranscriptSegment]] = [:]

    public init(_ podcast: Podcast, _ text: EpisodeText = .transcript) { (self.podcast, self.text) = (podcast, text) }
}

/// Reads a transcript in any format; returns no segments if it is not one.
///
/// - Parameter type: the media type that the feed gives, or else the server; both are often wrong.
public typealias ReadTranscript = @Sendable (_ bytes: [UInt8], _ hints: TranscriptHints) -> [TranscriptSegment]

public struct TranscriptHints: Equatable, Sendable {
    /// What the file was offered as.
    public var text = EpisodeText.transcript
    /// The media type that the feed gives.
    public var type: String?
    /// The Content-Type header of the answer.
    public var contentType: String?

    public init(type: String? = nil, contentType: String? = nil) {
        self.type = type
        self.contentType = contentType
    }
}
