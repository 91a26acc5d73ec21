/// A podcast that could not be read for the index, and so stays as it was indexed before.
public struct UnreadablePodcast: Sendable {
    public var id: PodcastID
    public var failure: LibraryFailure

    public init(id: PodcastID, failure: LibraryFailure) {
        self.id = id
        self.failure = failure
    }
}

/// Brings the index in line with the library: re-indexes the podcasts whose changes it has not seen, and only those.
///
/// Needed after a crash between a commit and the index, after a channel changed, and where the index is missing.
public struct MendIndex: Sendable {
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let transcripts: any TranscriptRepository
    private let index: any SearchIndex

    public init(
        podcasts: any PodcastRepository, episodes: any EpisodeRepository, transcripts: any TranscriptRepository,
        index: any SearchIndex
    ) {
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.index = index
    }

    /// - Parameters:
    ///   - known: the library's podcasts, where they have been read already.
    ///   - progress: told how many of how many podcasts are done, where there are any.
    /// - Throws: `IndexFailure`; `LibraryFailure` where not even the podcasts can be read.
    @discardableResult
    public func run(
        known: [Podcast]? = nil, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> [UnreadablePodcast] {
        let all: [Podcast]
        if let known { all = known } else { all = try await podcasts.podcasts() }
        let revisions = Dictionary(all.lazy.map { ($0.id, $0.indexRevision) }, uniquingKeysWith: { first, _ in first })
        let stale = try await index.stale(revisions)
        let isStale = Set(stale)
        let byID = Dictionary(
            all.lazy.filter { isStale.contains($0.id) }.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var unreadable: [UnreadablePodcast] = []
        for (done, id) in stale.enumerated() {
            if let podcast = byID[id] {
                do {
                    try await index.add(whole: podcast, episodes, transcripts)
                } catch let failure as LibraryFailure {
                    unreadable.append(UnreadablePodcast(id: id, failure: failure))
                }
            } else {
                try await index.add([.removed(id)])
            }
            progress(done + 1, stale.count)
        }
        if !stale.isEmpty { try await index.save() }
        return unreadable
    }
}
