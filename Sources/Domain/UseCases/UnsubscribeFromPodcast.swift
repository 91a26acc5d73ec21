/// Ends subscriptions: the podcasts, their episodes with their transcripts, their queue entries and their index entries.
public struct UnsubscribeFromPodcast: Sendable {
    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository
    let transcripts: any TranscriptRepository
    let queue: any QueueRepository
    let index: any SearchIndex

    public init(
        podcasts: any PodcastRepository, episodes: any EpisodeRepository, transcripts: any TranscriptRepository,
        queue: any QueueRepository, index: any SearchIndex
    ) {
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.queue = queue
        self.index = index
    }

    /// The subscription goes before its episodes: were it the other way round, a crash between them would leave
    /// validators that vouch for episodes which are gone. Episodes that are kept move first: nothing of them is ever
    /// out of sight. An index that cannot be written drops its entries of unknown podcasts in any later run.
    public func callAsFunction(_ leaving: [Podcast], keepingEpisodes: Bool) async throws {
        let ids = leaving.map(\.id)
        let gone = Set(ids)
        if try await queue.entries().contains(where: { gone.contains($0.episodeID.podcastID) }) {
            try await queue.update { entries in entries.removeAll { gone.contains($0.episodeID.podcastID) } }
        }
        if keepingEpisodes {
            try await episodes.remove(ids, keepingEpisodes: true)
            try await podcasts.remove(ids, keepingEpisodes: true)
        } else {
            try await podcasts.remove(ids, keepingEpisodes: false)
            try await transcripts.remove(ids)
            try await episodes.remove(ids, keepingEpisodes: false)
        }
        try? await index.apply(ids.map { .removed($0) })
    }
}
