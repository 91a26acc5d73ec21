import Domain

/// Writes podcasts together with what belongs to them, in an order in which a crash does no harm. All methods require a batch.
///
/// ```
/// added, settled:  tags of new episodes ─▶ episodes ─▶ passwords ─▶ records, with the validators that vouch for the episodes
/// removed:         kept episodes aside ─▶ records ─▶ transcripts ─▶ episodes
/// ```
/// Tags come first: after a crash a fetched episode counts as new again and gets its tag. Validators never come before the
/// episodes, and never outlive them.
final class PodcastWriter: Sendable {
    private let records: PodcastRecords
    private let episodes: EpisodeStore
    private let transcripts: TranscriptStore
    private let tags: TagStore

    init(_ records: PodcastRecords, _ episodes: EpisodeStore, _ transcripts: TranscriptStore, _ tags: TagStore) {
        self.records = records
        self.episodes = episodes
        self.transcripts = transcripts
        self.tags = tags
    }

    func add(_ subscriptions: [NewSubscription]) throws -> [AddResult] {
        let prepared = try records.assumeIsolated { records in
            try PreparedSubscriptions(subscriptions, among: try records.table()) { podcast in
                try self.episodes.assumeIsolated { try $0.described(podcast) }
            }
        }
        guard !prepared.podcasts.isEmpty else { return prepared.results }
        try store(prepared.episodes)
        try add(prepared.podcasts)
        return prepared.results
    }

    /// Adds records whose episodes are stored already. An earlier subscription's files are moved back after that.
    func add(_ podcasts: [Podcast]) throws {
        try records.assumeIsolated { try $0.add(podcasts) }
        try episodes.assumeIsolated { episodes in for podcast in podcasts { try episodes.restore(podcast.id) } }
    }

    func settle(_ settlements: [Settlement]) throws -> [WriteResult] {
        let prepared = try records.assumeIsolated { try $0.prepare(settlements) }
        try store(prepared.episodes)
        try records.assumeIsolated { try $0.save(prepared.records) }
        return prepared.results
    }

    private func store(_ changes: [PodcastChanges]) throws {
        guard !changes.isEmpty else { return }
        try tags.assumeIsolated { try $0.commitNew(of: changes) }
        try episodes.assumeIsolated { try $0.store(changes) }
    }

    func remove(_ ids: [PodcastID], keepingEpisodes: Bool) throws {
        // Episodes to be kept are moved first, so that they can be read at every moment.
        let kept = keepingEpisodes ? try episodes.assumeIsolated { try $0.keep(ids) } : []
        let gone = ids.filter { !kept.contains($0) }
        try records.assumeIsolated { try $0.remove(gone, keeping: kept) }
        try removeFiles(of: gone)
    }

    private func removeFiles(of ids: [PodcastID]) throws {
        guard !ids.isEmpty else { return }
        try transcripts.assumeIsolated { try $0.remove(ids) }
        try episodes.assumeIsolated { try $0.remove(ids) }
    }

    /// Begins a batch.
    func prepareBatch() throws {
        try records.assumeIsolated { try $0.forgetOutdated() }
        do {
            try finishRemovals()
        } catch LibraryFailure.damaged {
            // A damaged log proves nothing, so nothing is removed.
        }
        records.assumeIsolated { $0.beginBatch() }
    }

    /// Completes a removal that was killed after removing the records and before removing all files. Anything appended to
    /// the log afterwards would hide that these files were to be removed.
    private func finishRemovals() throws {
        let removed = try records.assumeIsolated { try $0.lastRemoved() }
        guard !removed.isEmpty else { return }
        let remaining = try episodes.assumeIsolated { episodes in try removed.filter(episodes.isStored) }
        if !remaining.isEmpty { try removeFiles(of: remaining) }
    }

    func completeBatch() { records.assumeIsolated { $0.completeBatch() } }
}
