/// The state of the whole library.
public struct LibraryStatus: Sendable {
    /// By title.
    public var podcasts: [(podcast: Podcast, health: Health)]
    public var queued: Int
    public var ledger: RefreshLedger
    /// Podcasts whose changes the index has not seen; nil where the index could not be read.
    public var staleInIndex: Int?
    /// Bytes on disk, the index apart.
    public var librarySize: Int?
    public var indexSize: Int?

    public var episodes: Int { podcasts.reduce(0) { $0 + $1.podcast.episodeCount } }
    /// When the first podcast is due; in the past where one is due now.
    public var nextDueAt: Timestamp? {
        podcasts.lazy.filter { !$0.podcast.fetch.isGone && !$0.podcast.settings.isPaused }.map {
            $0.podcast.fetch.nextDueAt ?? $0.podcast.subscribedAt
        }.min()
    }
    public var needingAttention: Int { podcasts.count { $0.health.needsAttention } }
}

/// Counts and grades everything, without opening an episode file.
public struct FetchStatus: Sendable {
    let podcasts: any PodcastRepository
    let queue: any QueueRepository
    let index: any SearchIndex

    public init(podcasts: any PodcastRepository, queue: any QueueRepository, index: any SearchIndex) {
        self.podcasts = podcasts
        self.queue = queue
        self.index = index
    }

    public func callAsFunction(now: Timestamp) async throws -> LibraryStatus {
        let known = try await FetchPodcasts(podcasts: podcasts)()
        let revisions = Dictionary(known.map { ($0.id, $0.indexRevision) }, uniquingKeysWith: { first, _ in first })
        return LibraryStatus(
            podcasts: known.map { ($0, Health(of: $0, now: now)) },
            queued: try await queue.entries().count,
            ledger: try await podcasts.ledger(),
            staleInIndex: try? await index.stale(revisions).count)
    }
}
