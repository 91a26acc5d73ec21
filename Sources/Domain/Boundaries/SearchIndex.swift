/// The full-text index: derived from the library, and thrown away without loss.
public protocol SearchIndex: Sendable {
    /// The revision of the library that the index was reconciled with last; nil if it never was.
    ///
    /// - Throws: `IndexFailure`. So do the other methods.
    func revision() async throws -> Int?
    /// The content revision that the index has of each of these podcasts; podcasts it does not have are left out.
    func contentRevisions(of podcasts: [PodcastID]) async throws -> [PodcastID: Int]
    /// All podcasts that the index has. Asked only when the library cannot tell what changed.
    func podcasts() async throws -> Set<PodcastID>
    /// Adds changes, which others see after `save`. Until then a crash leaves their podcasts outdated.
    func add(_ changes: [IndexChange]) async throws
    /// Makes durable what was added.
    ///
    /// - Parameter revision: what `revision()` is from now on; nil leaves it.
    func save(revision: Int?) async throws
    func search(_ request: SearchRequest) async throws -> SearchResults
    /// All episodes that match, newest first, at most `request.limit` of them behind the first `offset`. `sort` does not
    /// count.
    ///
    /// - Throws: `IndexFailure`.
    func episodes(matching request: SearchRequest) async throws -> [EpisodeID]
    /// How many episodes match, whatever the limit.
    func count(matching request: SearchRequest) async throws -> Int
    /// At most `limit` episodes that share the most telling words with this one: those of other podcasts first, best first.
    func similar(to episode: Episode, of podcast: Podcast, limit: Int) async throws -> [SimilarHit]
    /// Shows why the hits of this request matched.
    func snippets(for request: SearchRequest) -> any SnippetMaking
}

/// Cuts out of episodes what shows why they matched one request.
public protocol SnippetMaking {
    /// Marks what matched in the episode's own text.
    func snippet(of hit: SearchHit, in episode: Episode, of podcast: Podcast) -> Snippet
    /// Marks what matched in the episode's transcript, and says when it is said.
    func snippet(of hit: SearchHit, in transcript: [TranscriptSegment]) -> Snippet
}

extension SearchIndex {
    /// Adds changes and makes them durable.
    public func apply(_ changes: [IndexChange]) async throws {
        try await add(changes)
        try await save(revision: nil)
    }

    /// Puts an empty index in line with an empty library. If the run that fills it is killed, searches use what it has;
    /// an index without a revision is rebuilt.
    func begin() async throws {
        if try await revision() == nil, try await podcasts().isEmpty { try await save(revision: 0) }
    }

    /// Adds a podcast as the library has it now. Its transcripts may be hundreds of megabytes: at most about `size` bytes
    /// of them are in memory at once, and the podcast is outdated until the last part was added.
    func add(
        whole podcast: Podcast, _ episodes: any EpisodeRepository, _ transcripts: any TranscriptRepository, size: Int = 4 << 20
    ) async throws {
        let channel = try await episodes.channel(of: podcast.id) ?? Channel()
        var remaining = try await episodes.episodes(of: podcast.id)[...]
        var added: [EpisodeID] = []
        var part: [Episode] = []
        var segments: [EpisodeID: [TranscriptSegment]] = [:]
        var segmentsSize = 0
        while !remaining.isEmpty {
            let next = remaining.prefix(16)
            remaining = remaining.dropFirst(16)
            part += next
            for (id, spoken) in try await transcripts.segments(of: next.map(\.id)) {
                segments[id] = spoken
                segmentsSize += spoken.reduce(0) { $0 + $1.text.utf8.count }
            }
            if segmentsSize < size || remaining.isEmpty { continue }
            try await add([.part(of: podcast, channel, part, transcripts: segments)])
            added += part.map(\.id)
            (part, segments, segmentsSize) = ([], [:], 0)
        }
        try await add([.whole(podcast, channel, part, transcripts: segments, added: added)])
    }
}

/// A change of one podcast, for the index. `transcripts` has the segments of every stored transcript of the given episodes.
public enum IndexChange: Sendable {
    /// Episodes that are new or replace the one with the same id. The index has `contentRevision` of the podcast afterwards
    /// if it had the revision `after` before (0 for a new podcast); otherwise the podcast stays outdated.
    case episodes(of: Podcast, after: Int, Channel, [Episode], transcripts: [EpisodeID: [TranscriptSegment]] = [:])
    /// Some episodes of a podcast that is outdated until it is given `whole`.
    case part(of: Podcast, Channel, [Episode], transcripts: [EpisodeID: [TranscriptSegment]] = [:])
    /// All episodes of a podcast except those that were `added` in parts. Other episodes that the index has are dropped.
    case whole(Podcast, Channel, [Episode], transcripts: [EpisodeID: [TranscriptSegment]] = [:], added: [EpisodeID] = [])
    case removed(PodcastID)
}

/// A piece of a transcript, or a chapter.
public struct TranscriptSegment: Equatable, Sendable {
    /// Seconds into the episode; nil if the transcript has no times.
    public var start: Double?
    public var text: String
    /// The speaker, if the transcript names one.
    public var speaker: String?
    /// `text` is the title of a chapter.
    public var isChapter = false

    public init(start: Double?, text: String, speaker: String? = nil, isChapter: Bool = false) {
        self.start = start
        self.text = text
        self.speaker = speaker
        self.isChapter = isChapter
    }
}

/// Why the index could not be used. It is derived: the library is unharmed by any of these.
public enum IndexFailure: Error, Equatable, Sendable {
    /// Another process is writing it.
    case busy
    /// The file or its folder must not be written.
    case denied
    /// No space is left.
    case full
    /// It was unreadable and has been set back to empty: every podcast is outdated now.
    case damaged
    /// A system call failed.
    case io(errno: Int32)
}
