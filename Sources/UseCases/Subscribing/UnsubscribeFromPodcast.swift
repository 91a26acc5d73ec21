public import Domain
public import Searching

/// Removes podcasts with their episodes, transcripts, queue entries and index entries.
public struct UnsubscribeFromPodcast: Sendable {
    private let podcasts: any PodcastRepository
    private let tags: any TagRepository
    private let queue: any QueueRepository
    private let dump: DumpTags
    private let undo: any UndoRepository
    private let index: (any SearchIndex)?

    public init(_ library: Repositories, index: (any SearchIndex)?) {
        podcasts = library.podcasts
        tags = library.tags
        queue = library.queue
        dump = DumpTags(library)
        undo = library.undo
        self.index = index
    }

    /// If the index cannot be written now, a later run drops the entries.
    public func callAsFunction(_ leaving: [Podcast], keepingEpisodes: Bool, now: Timestamp) async throws {
        var step = UndoStep(.unsubscribe, at: now)
        if keepingEpisodes { step.keepingEpisodes = Set(leaving.map(\.id)) }
        _ = try await remove(leaving, leaving: step, reverting: nil)
    }

    /// Takes back the step of a command that added podcasts.
    ///
    /// - Returns: the step that takes this back, in place of that one.
    func callAsFunction(_ leaving: [Podcast], reverting numbered: NumberedStep) async throws -> UndoStep {
        var step = UndoStep(numbered.step.mark)
        step.keepingEpisodes = numbered.step.keepingEpisodes
        step.isRedo = !numbered.step.isRedo
        return try await remove(leaving, leaving: step, reverting: numbered)
    }

    /// - Parameter template: the step to be left, without what is changed here.
    private func remove(
        _ leaving: [Podcast], leaving template: UndoStep, reverting numbered: NumberedStep?
    ) async throws -> UndoStep {
        let ids = leaving.map(\.id)
        let (gone, kept) = (Set(ids), template.keepingEpisodes)
        // What an unsubscription set aside is set aside again if that is done again.
        let aside = try await setAside(of: gone, kept, isSubscriptionUndone: numbered.map { !$0.step.isRedo } ?? false)
        let removed = try await podcasts.podcasts(ids)
        let step = try await undo.changeOwned(
            of: Array(aside.tags.keys) + (numbered?.step.episodes ?? []), settling: numbered?.number
        ) { state in
            let before = state
            state.queue.removeAll { gone.contains($0.episodeID.podcastID) }
            for id in aside.tags.keys { state.tags[id] = state.tags[id]?.contains(.downloaded) == true ? [.downloaded] : nil }
            // After a crash before the removal, the next refresh restores the tags.
            state.waiting = TagLine.waiting(state.waiting, settling: [], adding: aside.waiting)
            numbered?.step.revert(&state)
            var step = UndoStep(template.mark, from: before, to: state)
            (step.removed, step.keepingEpisodes, step.isRedo) = (removed, kept, template.isRedo)
            return (step, step)
        }
        try await podcasts.remove(ids.filter { !kept.contains($0) }, keepingEpisodes: false)
        try await podcasts.remove(ids.filter(kept.contains), keepingEpisodes: true)
        try? await index?.apply(ids.map { .removed($0) })
        return step
    }

    /// Lets the owner's tags, positions and bookmarks wait for a new subscription. The tag `downloaded` stays with the
    /// record of the file, under the episode's id; so do all tags of kept episodes.
    ///
    /// - Parameter isSubscriptionUndone: true if things are to be as before the subscription: what was new by it waits for
    ///   nothing, and what it took from waiting lines into the queue waits again.
    private func setAside(
        of podcasts: Set<PodcastID>, _ kept: Set<PodcastID>, isSubscriptionUndone: Bool
    ) async throws -> TagChanges {
        var changes = TagChanges()
        let tagged = try await tags.taggedEpisodes().map(\.id).filter { podcasts.contains($0.podcastID) }
        let queued = isSubscriptionUndone ? try await queue.entries().map(\.episodeID) : []
        for podcast in podcasts.sorted() {
            // Damaged episodes cannot be named in lines. Their tags stay under their ids, which a new subscription
            // assigns again; so do all positions and bookmarks.
            let ignored: Set<Tag> = isSubscriptionUndone && !kept.contains(podcast) ? [.new, .downloaded] : [.downloaded]
            let dumped = try? await dump.lines(queued: queued.filter { podcasts.contains($0.podcastID) }, without: ignored) {
                $0 == podcast
            }
            guard let dumped else { continue }
            changes.waiting += dumped.lines
            // The address of a podcast whose episodes are kept is stored in these lines alone.
            guard !kept.contains(podcast) else { continue }
            for id in tagged where id.podcastID == podcast { changes.tags[id] = [] }
        }
        return changes
    }
}
