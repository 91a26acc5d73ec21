/// The transcripts and chapters of episodes: one file per episode, and one list of entries per podcast.
public protocol TranscriptRepository: Sendable {
    /// The entries of a podcast; empty if no transcript was ever fetched.
    func entries(of podcast: PodcastID) async throws -> TranscriptEntries
    /// The episodes of a podcast that may have stored segments.
    func transcribed(of podcast: PodcastID) async throws -> Set<EpisodeID>
    /// The stored segments of these episodes, chapters before transcript. Damaged files are left out; `verify` finds
    /// them.
    func segments(of episodes: [EpisodeID]) async throws -> [EpisodeID: [TranscriptSegment]]
    /// The stored transcript of one episode; nil if there is none.
    func transcript(of episode: EpisodeID) async throws -> StoredTranscript?
    /// The stored chapters of one episode, as segments with their titles; nil if there are none.
    func chapters(of episode: EpisodeID) async throws -> StoredTranscript?
    /// Stores transcripts of many podcasts with their records; durable when it returns. A record's
    /// `transcripts.revision` grows if the podcast gets a new transcript.
    ///
    /// - Returns: one result for each, in order, as of `WorkSource.settle`.
    func settle(_ settlements: [TranscriptSettlement]) async throws -> [WriteResult]
    /// Claims an episode for one run among those of all machines that share the library.
    ///
    /// - Parameter holder: identifies the machine, which may renew a claim that a killed run of its own left behind.
    /// - Returns: nil if another machine has it.
    func claim(_ episode: EpisodeID, by holder: UInt64) async throws -> (any TranscriptionClaim)?
}

/// The right to transcribe an episode, until it is released.
public protocol TranscriptionClaim: Sendable {
    /// False if it was lost, so that another machine may have begun.
    var isHeld: Bool { get }
    func release() async
}

public struct StoredTranscript: Sendable {
    public var file: String
    public var source: TranscriptSource
    public var segments: [TranscriptSegment]

    public init(file: String, source: TranscriptSource, segments: [TranscriptSegment]) {
        self.file = file
        self.source = source
        self.segments = segments
    }
}

/// The list of one podcast's transcripts and chapters.
public struct TranscriptEntries: Sendable {
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

/// A run's results for one podcast's transcripts or chapters, ready to be written.
public struct TranscriptSettlement: Sendable {
    public var text: EpisodeText
    /// The podcast's record as the run read it.
    public var podcast: Podcast
    /// Entries that are new or replace the one of the same episode.
    public var entries: [TranscriptEntry] = []
    /// The segments of the entries whose transcript is new.
    public var segments: [EpisodeID: [TranscriptSegment]] = [:]

    public init(_ podcast: Podcast, _ text: EpisodeText = .transcript) { (self.podcast, self.text) = (podcast, text) }
}

/// Reads a transcript in any format; returns no segments if it is not one.
///
/// - Parameter type: the media type that the feed gives, or else the server; both are often wrong.
public typealias ReadTranscript = @Sendable (_ bytes: [UInt8], _ hints: TranscriptHints) -> [TranscriptSegment]

public struct TranscriptHints: Equatable, Sendable {
    /// Whether the feed offers the file as a transcript or as chapters.
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
