public import Domain

/// Removes podcasts with their episodes, transcripts, queue entries and index entries.
public struct UnsubscribeFromPodcast: Sendable {
    let podcasts: any PodcastRepository
    let tags: any TagRepository
    let dump: DumpTags
    let undo: any UndoRepository
    let index: (any SearchIndex)?

    public init(_ library: Repositories, index: (any SearchIndex)?) {
        podcasts = library.podcasts
        tags = library.tags
        dump = DumpTags(library)
        undo = library.undo
        self.index = index
    }

    /// If the index cannot be written now, a later run drops the entries.
    ///
    /// - Parameters:
    ///   - mark: the command; nil for `unsubscribe` itself.
    ///   - number: the step that this takes back, which the new step replaces; nil for none.
    ///   - isRedo: see `UndoStep`.
    ///   - other: the step of a command that changed more, which is taken back as well; nil for none.
    /// - Returns: the step that takes it back.
    @discardableResult
    public func callAsFunction(
        _ leaving: [Podcast], keepingEpisodes: Bool, as mark: UndoMark? = nil, settling number: Int? = nil,
        isRedo: Bool = false, reverting other: UndoStep? = nil, now: Timestamp
    ) async throws -> UndoStep {
        let ids = leaving.map(\.id)
        let gone = Set(ids)
        // The address of a podcast whose episodes are kept is stored in these lines alone.
        var changes = try await settingTagsAside(of: gone)
        if keepingEpisodes { changes.tags = [:] }
        let aside = changes
        var step = UndoStep(mark ?? UndoMark(.unsubscribe, at: now))
        (step.removed, step.keepsEpisodes, step.isRedo) = (try await podcasts.podcasts(ids), keepingEpisodes, isRedo)
        let podcastStep = step
        step = try await undo.changeOwned(of: Array(aside.tags.keys) + (other?.episodes ?? []), settling: number) {
            state in
            let before = state
            state.queue.removeAll { gone.contains($0.episodeID.podcastID) }
            for id in aside.tags.keys { state.tags[id] = state.tags[id]?.contains(.downloaded) == true ? [.downloaded] : nil }
            // After a crash before the removal, the next refresh restores the tags.
            state.waiting = TagLine.waiting(state.waiting, settling: [], adding: aside.waiting)
            other?.revert(&state)
            var step = UndoStep(podcastStep.mark, from: before, to: state)
            (step.removed, step.keepsEpisodes, step.isRedo) = (podcastStep.removed, keepingEpisodes, isRedo)
            return (step, step)
        }
        try await podcasts.remove(ids, keepingEpisodes: keepingEpisodes)
        try? await index?.apply(ids.map { .removed($0) })
        return step
    }

    /// Lets the owner's tags, positions and bookmarks wait for a new subscription. The tag `downloaded` stays with the
    /// record of the file, under the episode's id.
    private func settingTagsAside(of podcasts: Set<PodcastID>) async throws -> TagChanges {
        var changes = TagChanges()
        let tagged = try await tags.taggedEpisodes().map(\.id).filter { podcasts.contains($0.podcastID) }
        for podcast in podcasts.sorted() {
            // Damaged episodes cannot be named in lines. Their tags stay under their ids, which a new subscription
            // assigns again; so do all positions and bookmarks.
            guard let lines = try? await dump.lines(of: { $0 == podcast }).lines else { continue }
            changes.waiting += lines
            for id in tagged where id.podcastID == podcast { changes.tags[id] = [] }
        }
        return changes
    }
}
