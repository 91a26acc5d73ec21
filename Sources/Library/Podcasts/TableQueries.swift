import Domain

/// How the records in memory are found.
extension PodcastTable: RecordSource {
    func podcasts(at feedURLs: [String]) -> [Podcast] {
        guard !feedURLs.isEmpty else { return [] }
        let wanted = Set(feedURLs)
        var found: [String: Podcast] = [:]
        for podcast in all where wanted.contains(podcast.feedURL) { found[podcast.feedURL] = podcast }
        return feedURLs.compactMap { found[$0] }
    }

    func podcasts(withIDPrefix prefix: String, limit: Int) -> [Podcast] {
        Array(all.filter { $0.id.text.hasPrefix(prefix) }.sorted { $0.id < $1.id }.prefix(limit))
    }

    func podcasts(titled name: TitleName, limit: Int) -> [Podcast] { name.best(among: all, limit: limit) }

    func page(of listing: PodcastListing, after last: Podcast?, limit: Int) -> [Podcast] {
        let remaining = all.filter { podcast in
            listing.includes(podcast) && (last.map { listing.isBefore($0, podcast) } ?? true)
        }
        return Array(remaining.sorted { listing.isBefore($0, $1) }.prefix(limit))
    }

    func overview(now: Timestamp) -> LibraryOverview {
        var overview = LibraryOverview()
        var troubled: [(title: String, id: PodcastID)] = []
        for podcast in all {
            let health = Health(of: podcast, now: now)
            let isFetched = !podcast.fetch.isGone && !podcast.settings.isPaused
            overview.count(
                health, episodes: podcast.episodeCount, isFailing: podcast.isFailing,
                dueAt: isFetched ? podcast.fetch.nextDueAt ?? podcast.subscribedAt : nil)
            if health.needsAttention { troubled.append((podcast.displayTitle.lowercased(), podcast.id)) }
        }
        overview.setNeedingAttention(troubled)
        return overview
    }

    func changes(since revision: Int) -> LibraryChanges? {
        guard revision >= forgottenRevision, revision <= contentRevision else { return nil }
        var changes = LibraryChanges(revision: contentRevision)
        for podcast in all where podcast.contentRevision > revision { changes.changed[podcast.id] = podcast.contentRevision }
        changes.removed = Set(removedAt.filter { $0.revision > revision && self[$0.id] == nil }.map(\.id))
        return changes
    }

    func contains(_ id: PodcastID) -> Bool { self[id] != nil }
    func podcasts(_ ids: [PodcastID]) -> [Podcast] { ids.compactMap { self[$0] } }

    func forEachDue(_ body: (PodcastID, Schedule.DueFacts, _ host: UInt64) -> Void) {
        for podcast in sorted() { body(podcast.id, Schedule.DueFacts(podcast), CatalogueEntry.hash(podcast.hostKey)) }
    }

    var lastAddedAt: Timestamp? { all.lazy.compactMap(\.lastAddedAt).max() }
}

extension TitleName {
    /// At most `limit` of the podcasts whose own or channel title fits best, in id order.
    func best(among podcasts: some Sequence<Podcast>, limit: Int) -> [Podcast] {
        var best: [PodcastID: Podcast] = [:]
        var bestFit = Fit.beginnings
        for podcast in podcasts {
            let fits = [podcast.displayTitle, podcast.title].compactMap { $0.flatMap(fit) }
            guard let fit = fits.min(), fit <= bestFit else { continue }
            if fit < bestFit { best = [:] }
            bestFit = fit
            best[podcast.id] = podcast
        }
        return Array(best.values.sorted { $0.id < $1.id }.prefix(limit))
    }
}
