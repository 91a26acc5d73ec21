public import Domain

/// The full-text index. It is derived from the library and can be deleted without loss.
public protocol SearchIndex: Sendable {
    /// The revision of the library that the index was reconciled with last; nil if it never was.
    ///
    /// - Throws: `IndexFailure`. So do the other methods.
    func revision() async throws -> Int?
    /// The indexed content revision of each of these podcasts; podcasts that are not indexed are left out.
    func contentRevisions(of podcasts: [PodcastID]) async throws -> [PodcastID: Int]
    /// All indexed podcasts. Needed only if the library cannot tell what changed.
    func podcasts() async throws -> Set<PodcastID>
    /// Adds changes, which become visible at `save`. After a crash before that, their podcasts are still outdated.
    func add(_ changes: [IndexChange]) async throws
    /// Makes the added changes durable.
    ///
    /// - Parameter revision: the new value of `revision()`; nil leaves it unchanged.
    func save(revision: Int?) async throws
    /// Empties the index, so that everything is outdated.
    func reset() async throws
    func search(_ request: SearchRequest) async throws -> SearchResults
    /// All matching episodes, newest first: at most `request.limit` after the first `offset`. `sort` is ignored.
    ///
    /// - Throws: `IndexFailure`.
    func episodes(matching request: SearchRequest) async throws -> [EpisodeID]
    /// How many episodes match, whatever the limit.
    func count(matching request: SearchRequest) async throws -> Int
    /// When the episodes with a date from `first` to `last` were published, by podcast.
    func publications(from first: Timestamp, to last: Timestamp) async throws -> [PodcastID: [Publication]]
    /// At most `limit` episodes that share the most distinctive words with this one, best first, those of other
    /// podcasts before its own.
    func similar(to episode: Episode, of podcast: Podcast, limit: Int) async throws -> [SimilarHit]
    /// The language in which a podcast's words are searched, as a two-letter ISO 639 code; nil if the podcast is not
    /// indexed, or neither its feed nor its words show the language.
    func language(of podcast: PodcastID) async throws -> String?
    /// Makes snippets for the hits of this request.
    func snippets(for request: SearchRequest) -> any SnippetMaking
}

/// The date of an episode, as lists are ordered by, and its length.
public struct Publication: Equatable, Sendable {
    public var at: Timestamp
    /// Seconds; 0 if the feed does not say.
    public var duration: Double

    public init(at: Timestamp, duration: Double) { (self.at, self.duration) = (at, duration) }
}

/// Makes the snippets that show why episodes matched a request.
public protocol SnippetMaking {
    /// A snippet of the episode's own text with the matches marked.
    func snippet(of hit: SearchHit, in episode: Episode, of podcast: Podcast) -> Snippet
    /// A snippet of the episode's transcript with the matches marked and the time of the first one.
    func snippet(of hit: SearchHit, in transcript: [TranscriptSegment]) -> Snippet
    /// At most `limit` places of the transcript that show as much of the query as any, in order of time; and the number
    /// of all of them.
    func moments(of hit: SearchHit, in transcript: [TranscriptSegment], limit: Int) -> (shown: [Snippet], count: Int)
}

extension SearchIndex {
    /// Adds changes and makes them durable.
    public func apply(_ changes: [IndexChange]) async throws {
        try await add(changes)
        try await save(revision: nil)
    }

    /// Marks an empty index as reconciled with an empty library. If the run that fills it is killed, searches use what
    /// it has, whereas an index without a revision would be rebuilt.
    package func begin() async throws {
        if try await revision() == nil, try await podcasts().isEmpty { try await save(revision: 0) }
    }

    /// Adds the episodes that changed since the podcast was indexed.
    package func add(
        _ changed: [Episode], of podcast: Podcast, after indexed: Int, _ episodes: any EpisodeRepository,
        _ transcripts: any TranscriptRepository
    ) async throws {
        async let channel = episodes.channel(of: podcast.id)
        let segments = changed.isEmpty ? [:] : try await transcripts.segments(of: changed.map(\.id))
        try await add([.episodes(of: podcast, after: indexed, channel ?? Channel(), changed, transcripts: segments)])
    }

    /// Adds a podcast as stored now. Its transcripts may be hundreds of megabytes, so only about `size` bytes of them
    /// are in memory at once. The podcast is outdated until the last part has been added.
    package func add(
        whole podcast: Podcast, _ episodes: any EpisodeRepository, _ transcripts: any TranscriptRepository, size: Int = 4 << 20
    ) async throws {
        // Together they take one round trip to a server.
        async let storedChannel = episodes.channel(of: podcast.id)
        async let storedTranscripts = transcripts.transcribed(of: podcast.id)
        var remaining = try await episodes.episodes(of: podcast.id)[...]
        let (channel, transcribed) = (try await storedChannel ?? Channel(), try await storedTranscripts)
        var added: [EpisodeID] = []
        var part: [Episode] = []
        var segments: [EpisodeID: [TranscriptSegment]] = [:]
        var segmentsSize = 0
        while !remaining.isEmpty {
            let next = remaining.prefix(16)
            remaining = remaining.dropFirst(16)
            part += next
            let spokenIDs = transcribed.isEmpty ? [] : next.map(\.id).filter(transcribed.contains)
            for (id, spoken) in spokenIDs.isEmpty ? [:] : try await transcripts.segments(of: spokenIDs) {
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

/// A change of one podcast, for the index. `transcripts` holds the segments of all stored transcripts of the episodes.
public enum IndexChange: Sendable {
    /// Episodes that are new or replace the one with the same id. If the indexed revision was `after` (0 for a new
    /// podcast), it becomes the podcast's `contentRevision`; otherwise the podcast stays outdated.
    case episodes(of: Podcast, after: Int, Channel, [Episode], transcripts: [EpisodeID: [TranscriptSegment]] = [:])
    /// Some episodes of a podcast, which stays outdated until `whole` is added.
    case part(of: Podcast, Channel, [Episode], transcripts: [EpisodeID: [TranscriptSegment]] = [:])
    /// All episodes of a podcast except those already `added` in parts. Any other indexed episode of it is dropped.
    case whole(Podcast, Channel, [Episode], transcripts: [EpisodeID: [TranscriptSegment]] = [:], added: [EpisodeID] = [])
    case removed(PodcastID)
}

/// Why the index could not be used. It is derived: the library is unharmed by any of these.
public enum IndexFailure: Error, Equatable, Sendable {
    /// Another process is writing it.
    case busy
    /// The index must not be read or written. The folder is nil for a temporary index.
    case denied(folder: String?)
    /// No space is left.
    case full
    /// It was unreadable and has been reset; now every podcast is outdated.
    case damaged
    /// A system call failed.
    case io(errno: Int32)
}
