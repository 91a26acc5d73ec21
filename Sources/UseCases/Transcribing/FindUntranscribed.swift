public import Domain

/// Finds the episodes to transcribe when none is named.
public struct FindUntranscribed: Sendable {
    /// The episodes of podcasts without a setting of their own.
    public enum Scope: String, CaseIterable, Sendable {
        /// None; and of podcasts that are turned on, the new ones.
        case off
        case new
        case all
    }

    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let transcripts: any TranscriptRepository
    private let tags: any TagRepository
    private let queue: any QueueRepository
    private let store: any TranscriptionStore
    private let clock: @Sendable () -> Timestamp

    public init(_ library: Repositories, store: any TranscriptionStore, clock: @escaping @Sendable () -> Timestamp) {
        podcasts = library.podcasts
        episodes = library.episodes
        transcripts = library.transcripts
        tags = library.tags
        queue = library.queue
        self.store = store
        self.clock = clock
    }

    /// In the order of work. Only ids are held, since a library may have millions of episodes.
    public func callAsFunction(_ scope: Scope) async throws -> [EpisodeID] {
        let now = clock()
        let queued = try await queue.entries().map(\.episodeID)
        let places = Dictionary(queued.enumerated().map { ($1, $0) }) { first, _ in first }
        let new = Set(try await tags.episodes(tagged: [.new])[.new] ?? [])
        let newByPodcast = Dictionary(grouping: new.union(queued), by: \.podcastID)
        var due: [(order: TranscriptionOrder, id: EpisodeID)] = []
        try await podcasts.forEach(in: .all) { podcast in
            guard podcast.settings.transcribe ?? (scope != .off) else { return true }
            let candidates: [Episode]
            if scope == .all {
                candidates = try await episodes.episodes(of: podcast.id)
            } else if let ids = newByPodcast[podcast.id] {
                candidates = try await episodes.episodes(ids)
            } else {
                return true
            }
            let entries = try await transcripts.entries(of: podcast.id).entries
            for episode in candidates where !episode.isWithdrawn && isDue(episode, entries[episode.id], now) {
                let order = TranscriptionOrder(
                    episode.id, queued: places[episode.id], isNew: new.contains(episode.id), date: episode.orderedAt)
                due.append((order, episode.id))
            }
            return true
        }
        return due.sorted { $0.order < $1.order }.map(\.id)
    }

    private func isDue(_ episode: Episode, _ entry: TranscriptEntry?, _ now: Timestamp) -> Bool {
        guard episode.item.chosenEnclosure != nil else { return false }
        if let stored = entry?.stored, (stored.making?.missingPieces ?? 0) == 0 { return false }
        if TranscribeEpisodes.isOffered(episode, entry) { return false }
        if TranscribeEpisodes.isWaiting(until: entry?.attempts?.retryAt, now) { return false }
        let state = try? store.state(of: episode.id)
        return !TranscribeEpisodes.isWaiting(until: state?.retryAt, now)
    }

    /// The number of finished pieces of an episode's audio, and of all; nil if none is known.
    public func progress(of episode: EpisodeID) throws -> (finished: Int, pieces: Int)? { try store.progress(of: episode) }

    /// See `TranscriptionStore.takeTurn`.
    public func takeTurn() throws -> (any AnyObject & Sendable)? { try store.takeTurn() }

    /// Removes unfinished transcriptions of episodes that are not in the library any more.
    public func sweep() async throws {
        let unfinished = try store.episodes()
        guard !unfinished.isEmpty else { return }
        let stored = Set(try await episodes.episodes(unfinished).map(\.id))
        let subscribed = Set(try await podcasts.podcasts(Array(Set(unfinished.map(\.podcastID)))).map(\.id))
        for id in unfinished where !stored.contains(id) || !subscribed.contains(id.podcastID) { try store.remove(id) }
    }
}
