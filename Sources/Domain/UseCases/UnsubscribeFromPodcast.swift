/// Ends subscriptions: the podcasts, their episodes with their transcripts, their queue entries and their index entries.
public struct UnsubscribeFromPodcast: Sendable {
    let podcasts: any PodcastRepository
    let queue: any QueueRepository
    let tags: any TagRepository
    let dump: DumpTags
    let index: any SearchIndex

    public init(
        podcasts: any PodcastRepository, episodes: any EpisodeRepository, queue: any QueueRepository,
        tags: any TagRepository, index: any SearchIndex
    ) {
        self.podcasts = podcasts
        self.queue = queue
        self.tags = tags
        dump = DumpTags(podcasts: podcasts, episodes: episodes, tags: tags)
        self.index = index
    }

    /// An index that cannot be written drops its entries of unknown podcasts in any later run.
    public func callAsFunction(_ leaving: [Podcast], keepingEpisodes: Bool) async throws {
        let ids = leaving.map(\.id)
        let gone = Set(ids)
        if try await queue.entries().contains(where: { gone.contains($0.episodeID.podcastID) }) {
            try await queue.update { entries in entries.removeAll { gone.contains($0.episodeID.podcastID) } }
        }
        if !keepingEpisodes { try await setTagsAside(of: gone) }
        try await podcasts.remove(ids, keepingEpisodes: keepingEpisodes)
        try? await index.apply(ids.map { .removed($0) })
    }

    /// The owner's tags wait for a new subscription. After a crash before the removal, the next refresh gives them back.
    private func setTagsAside(of podcasts: Set<PodcastID>) async throws {
        let tagged = try await tags.taggedEpisodes().filter { podcasts.contains($0.id.podcastID) }
        guard !tagged.isEmpty else { return }
        var changes = TagChanges()
        for episodes in Dictionary(grouping: tagged, by: \.id.podcastID).values {
            // Episodes that are damaged cannot be named. Their tags stay under their ids, which a new subscription gives again.
            guard let lines = try? await dump.lines(of: episodes) else { continue }
            changes.waiting += lines
            for episode in episodes { changes.tags[episode.id] = [] }
        }
        try await tags.apply(changes)
    }
}
