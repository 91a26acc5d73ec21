/// The full-text index: derived from the library, and thrown away without loss.
public protocol SearchIndex: Sendable {
    /// Takes over changes, which others see from `save` on. Until then a crash leaves their podcasts stale.
    ///
    /// - Throws: `IndexFailure`.
    func add(_ changes: [IndexChange]) async throws
    /// Makes durable what was added.
    ///
    /// - Throws: `IndexFailure`.
    func save() async throws
    /// The podcasts whose indexed revision is not the given one, and those indexed that are not given at all.
    ///
    /// - Throws: `IndexFailure`.
    func stale(_ revisions: [PodcastID: Int]) async throws -> [PodcastID]
    /// - Throws: `IndexFailure`.
    func search(_ request: SearchRequest) async throws -> SearchResults
    /// Marks what matched in the episode's own text.
    func snippet(of hit: SearchHit, in episode: Episode, of podcast: Podcast, for request: SearchRequest) -> Snippet
    /// Marks what matched in the episode's transcript, and says when it is said.
    func snippet(of hit: SearchHit, in transcript: [TranscriptSegment], for request: SearchRequest) -> Snippet
}

extension SearchIndex {
    /// Brings the index in line with these podcasts at once.
    ///
    /// - Throws: `IndexFailure`.
    public func apply(_ changes: [IndexChange]) async throws {
        try await add(changes)
        try await save()
    }

    /// Adds a podcast as the library has it now. Its transcripts may be hundreds of megabytes: not more than about
    /// `size` bytes of them are in memory at once, and the podcast is in line with the last of them.
    func add(
        whole podcast: Podcast, _ episodes: any EpisodeRepository, _ transcripts: any TranscriptRepository, size: Int = 4 << 20
    ) async throws {
        let channel = try await episodes.channel(of: podcast.id) ?? Channel()
        var rest = try await episodes.episodes(of: podcast.id)[...]
        var given: [EpisodeID] = []
        var part: [Episode] = []
        var spoken: [EpisodeID: [TranscriptSegment]] = [:]
        var weight = 0
        while !rest.isEmpty {
            let some = rest.prefix(16)
            rest = rest.dropFirst(16)
            part += some
            for (id, segments) in try await transcripts.segments(of: some.map(\.id)) {
                spoken[id] = segments
                weight += segments.reduce(0) { $0 + $1.text.utf8.count }
            }
            if weight < size || rest.isEmpty { continue }
            try await add([.episodes(of: podcast.asUnfinished, channel, part, transcripts: spoken)])
            given += part.map(\.id)
            (part, spoken, weight) = ([], [:], 0)
        }
        try await add([.whole(podcast.asIndexed, channel, part, transcripts: spoken, given: given)])
    }
}

/// What changed in one podcast, for the index.
///
/// The podcasts in it are `Podcast.asIndexed`: the index takes over such a revision where it has seen all before it;
/// otherwise the podcast stays stale. One without a revision makes it stale.
/// `transcripts` has the segments of every transcript the library keeps of the given episodes.
public enum IndexChange: Sendable {
    /// Episodes that are new or replace the one with the same id.
    case episodes(of: Podcast, Channel, [Episode], transcripts: [EpisodeID: [TranscriptSegment]] = [:])
    /// All episodes of a podcast, but for those `given` by changes before it; others that the index may have are dropped.
    case whole(Podcast, Channel, [Episode], transcripts: [EpisodeID: [TranscriptSegment]] = [:], given: [EpisodeID] = [])
    case removed(PodcastID)
}

extension Podcast {
    /// Counts the writes of its episodes and those of their transcripts: what the index must have seen.
    public var indexRevision: Int { revision + transcripts.revision }

    var asIndexed: Podcast {
        var podcast = self
        podcast.revision = indexRevision
        return podcast
    }

    /// Without a revision: it is stale until it is given whole.
    fileprivate var asUnfinished: Podcast {
        var podcast = self
        podcast.revision = 0
        return podcast
    }
}

/// A piece of a transcript.
public struct TranscriptSegment: Hashable, Sendable {
    /// Seconds into the episode; nil where the transcript has no times.
    public var start: Double?
    public var text: String
    /// Who speaks, where the transcript says.
    public var speaker: String?

    public init(start: Double?, text: String, speaker: String? = nil) {
        self.start = start
        self.text = text
        self.speaker = speaker
    }
}

/// Why the index could not be used. It is derived: the library is unharmed by any of these.
public enum IndexFailure: Error, Hashable, Sendable {
    /// Another process is writing it.
    case busy
    /// The file or its folder must not be written.
    case denied
    /// No space is left.
    case full
    /// It was unreadable and has been set back to empty: every podcast is stale now.
    case damaged
    /// A system call failed.
    case io(errno: Int32)
}
