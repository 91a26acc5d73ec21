/// Ends subscriptions: the podcasts, their episodes with their transcripts, their queue entries and their index entries.
public struct UnsubscribeFromPodcast: Sendable {
    let podcasts: any PodcastRepository
    let queue: any QueueRepository
    let index: any SearchIndex

    public init(
        podcasts: any PodcastRepository, queue: any QueueRepository, index: any SearchIndex
    ) {
        self.podcasts = podcasts
        self.queue = queue
        self.index = index
    }

    /// An index that cannot be written drops its entries of unknown podcasts in any later run.
    public func callAsFunction(_ leaving: [Podcast], keepingEpisodes: Bool) async throws {
        let ids = leaving.map(\.id)
        let gone = Set(ids)
        if try await queue.entries().contains(where: { gone.contains($0.episodeID.podcastID) }) {
            try await queue.update { entries in entries.removeAll { gone.contains($0.episodeID.podcastID) } }
        }
        try await podcasts.remove(ids, keepingEpisodes: keepingEpisodes)
        try? await index.apply(ids.map { .removed($0) })
    }
}
