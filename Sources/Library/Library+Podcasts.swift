public import Domain

extension Library: PodcastRepository {
    // MARK: Reading

    public func podcasts(_ ids: [PodcastID]) throws -> [Podcast] { try ask { try $0.podcasts(ids) } }
    public func podcasts(at feedURLs: [String]) throws -> [Podcast] { try ask { try $0.podcasts(at: feedURLs) } }

    public func podcasts(withIDPrefix prefix: String, limit: Int) throws -> [Podcast] {
        try ask { try $0.podcasts(withIDPrefix: prefix, limit: limit) }
    }

    public func lengths(of ids: [PodcastID]) throws -> [PodcastID: Int] {
        try ask { records in
            var lengths: [PodcastID: Int] = [:]
            for id in ids {
                let others = records.ids(withPrefix: String(id.text.prefix(ShortIDs.shortest))).map(\.text)
                lengths[id] = ShortIDs.length(of: id.text, among: others)
            }
            return lengths
        }
    }

    public func podcasts(titled name: TitleName, limit: Int) throws -> [Podcast] {
        try ask { try $0.podcasts(titled: name, limit: limit) }
    }

    public func page(of listing: PodcastListing, after last: Podcast?, limit: Int) throws -> [Podcast] {
        try ask { try $0.page(of: listing, after: last, limit: limit) }
    }

    public func overview(now: Timestamp) throws -> LibraryOverview { try ask { $0.overview(now: now) } }
    public func revision() throws -> Int { try ask { $0.contentRevision } }
    public func changes(since revision: Int) throws -> LibraryChanges? { try ask { $0.changes(since: revision) } }

    // MARK: Writing

    public func add(_ subscriptions: [NewSubscription]) async throws -> [AddResult] {
        guard !subscriptions.isEmpty else { return [] }
        return try await write { try $0.store(subscriptions) }
    }

    /// Requires a batch.
    private func store(_ subscriptions: [NewSubscription]) throws -> [AddResult] {
        var (results, new, changes) = ([AddResult](), [Podcast](), [PodcastChanges]())
        let table = try self.table()
        let existingPodcasts = table.podcasts(at: subscriptions.map(\.podcast.feedURL))
        var byURL = Dictionary(existingPodcasts.map { ($0.feedURL, $0) }, uniquingKeysWith: { first, _ in first })
        var ids: Set<PodcastID> = []
        for subscription in subscriptions {
            let url = subscription.podcast.feedURL
            if let existing = byURL[url] {
                results.append(.existing(existing))
                continue
            }
            var (podcast, change) = (subscription.podcast, subscription.changes)
            if table[podcast.id] != nil || ids.contains(podcast.id) {
                podcast = podcast.unfetched { table[$0] != nil || ids.contains($0) }
                change = nil
            }
            if let change { changes.append(change) } else { podcast = try describedByStoredFile(podcast) }
            podcast.revision = 1
            if podcast.episodesRevision > 0 { podcast.contentRevision = table.contentRevision + 1 }
            byURL[url] = podcast
            ids.insert(podcast.id)
            new.append(podcast)
            results.append(.added(podcast))
        }
        guard !new.isEmpty else { return results }
        try writeEpisodes(changes)
        try change { table in
            try table.addSecrets(of: new, disk)
            try table.save(new, disk)
        }
        for podcast in new { try episodeFiles.restore(podcast.id) }
        return results
    }

    /// A subscription that was not fetched yet takes over the episodes stored from an earlier one.
    private func describedByStoredFile(_ podcast: Podcast) throws -> Podcast {
        guard podcast.episodesRevision == 0, try episodeFiles.exists(podcast.id, in: EpisodeFiles.keptFolder) else {
            return podcast
        }
        do {
            guard let file = try episodeFiles.read(podcast.id, .checked, atLeast: 0, isAlone: true) else { return podcast }
            return try podcast.described(by: file)
        } catch LibraryFailure.damaged {
            return podcast
        }
    }

    public func update(_ podcasts: [Podcast]) async throws -> [WriteResult] {
        guard !podcasts.isEmpty else { return [] }
        return try await write { try $0.store(podcasts.map { Settlement($0) }) }
    }

    /// Stores the settlements that win the compare-and-set: episodes first, then the records with the validators that
    /// vouch for them.
    func store(_ settlements: [Settlement]) throws -> [WriteResult] {
        let stored = try current(settlements.map(\.podcast.id))
        let contentRevision = try ask { $0.contentRevision } + 1
        var seen: Set<PodcastID> = []
        var episodes: [PodcastChanges] = []
        var changes: [Catalogue.Change] = []
        var results: [WriteResult] = []
        for settlement in settlements {
            let current = stored[settlement.podcast.id]
            guard let current, current.revision == settlement.podcast.revision, seen.insert(current.id).inserted else {
                results.append(.lost(current: current))
                continue
            }
            var podcast = settlement.podcast
            podcast.revision += 1
            podcast.contentRevision = podcast.hasContent(unlike: current) ? contentRevision : current.contentRevision
            if let changes = settlement.changes { episodes.append(changes) }
            changes.append(Catalogue.Change(podcast: podcast, earlier: current))
            results.append(.stored(podcast))
        }
        guard !changes.isEmpty else { return results }
        try writeEpisodes(episodes)
        defer { run?.forget(changes.lazy.map(\.podcast.id)) }
        try save(changes)
        return results
    }

    /// The stored records. Those that the run has claimed need not be read again, unless another process has written.
    private func current(_ ids: [PodcastID]) throws -> [PodcastID: Podcast] {
        let claimed = watch.isOutdated(disk) ? [:] : run?.claimed ?? [:]
        var podcasts: [PodcastID: Podcast] = [:]
        for id in ids { podcasts[id] = claimed[id] }
        for podcast in try self.podcasts(ids.filter { podcasts[$0] == nil }) { podcasts[podcast.id] = podcast }
        return podcasts
    }

    private func writeEpisodes(_ changes: [PodcastChanges]) throws {
        guard !changes.isEmpty else { return }
        // Tags first: after a crash between the two writes, a fetched episode counts as new again and gets its tags.
        try tags.assumeIsolated { try $0.commitNew(of: changes) }
        try episodeFiles.write(changes) { try file($0, .checked) }
    }

    /// Removes the record before its files. In the opposite order, a crash would leave validators that vouch for
    /// episodes which are gone. Episodes to be kept are moved first, so they can be read at every moment.
    public func remove(_ ids: [PodcastID], keepingEpisodes: Bool) async throws {
        guard !ids.isEmpty else { return }
        try await write { library in
            if keepingEpisodes { try library.episodeFiles.keep(ids) }
            try library.change { table in
                try table.remove(ids, keepingEpisodes: keepingEpisodes, library.disk)
                try table.dropSecrets(library.disk)
            }
            if !keepingEpisodes {
                try library.transcriptFiles.remove(ids)
                try library.episodeFiles.remove(ids)
            }
        }
    }
}
