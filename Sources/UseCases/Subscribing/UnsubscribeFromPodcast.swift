public import Domain

/// Removes podcasts with their episodes, transcripts, queue entries and index entries.
public struct UnsubscribeFromPodcast: Sendable {
    let podcasts: any PodcastRepository
    let queue: any QueueRepository
    let tags: any TagRepository
    let dump: DumpTags
    let undo: any UndoRepository
    let index: any SearchIndex

    public init(
        podcasts: any PodcastRepository, episodes: any EpisodeRepository, queue: any QueueRepository,
        tags: any TagRepository, undo: any UndoRepository, index: any SearchIndex
    ) {
        self.podcasts = podcasts
        self.queue = queue
        self.tags = tags
        dump = DumpTags(podcasts: podcasts, episodes: episodes, tags: tags)
        self.undo = undo
        self.index = index
    }

    /// If the index cannot be written now, a later run drops the entries.
    public func callAsFunction(_ leaving: [Podcast], keepingEpisodes: Bool, now: Timestamp) async throws {
        let ids = leaving.map(\.id)
        let gone = Set(ids)
        let tagChanges = keepingEpisodes ? TagChanges() : try await settingTagsAside(of: gone)
        let entries = try await queue.entries()

        var step = UndoStep(.unsubscribe, at: now)
        step.removed = try await podcasts.podcasts(ids)
        step.tags = TagReversal(
            of: tagChanges, tags: try await tags.tags(of: Array(tagChanges.tags.keys)), waiting: try await tags.waitingTags())
        step.queue = entries.enumerated().filter { gone.contains($0.element.episodeID.podcastID) }
            .map { FormerQueueEntry(index: $0.offset, entry: $0.element) }
        try await undo.record(step)

        if !step.queue.isEmpty {
            try await queue.update { entries in entries.removeAll { gone.contains($0.episodeID.podcastID) } }
        }
        // After a crash before the removal, the next refresh restores the tags.
        try await tags.apply(tagChanges)
        try await podcasts.remove(ids, keepingEpisodes: keepingEpisodes)
        try? await index.apply(ids.map { .removed($0) })
    }

    /// Lets the owner's tags wait for a new subscription.
    private func settingTagsAside(of podcasts: Set<PodcastID>) async throws -> TagChanges {
        var changes = TagChanges()
        let tagged = try await tags.taggedEpisodes().filter { podcasts.contains($0.id.podcastID) }
        for episodes in Dictionary(grouping: tagged, by: \.id.podcastID).values {
            // Damaged episodes cannot be named in lines. Their tags stay under their ids, which a new subscription
            // assigns again.
            guard let lines = try? await dump.lines(of: episodes) else { continue }
            changes.waiting += lines
            for episode in episodes { changes.tags[episode.id] = [] }
        }
        return changes
    }
}
