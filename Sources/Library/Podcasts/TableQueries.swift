import Domain

/// How the records in memory are found.
extension PodcastTable {
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

    func podcasts(titled title: String, limit: Int) -> [Podcast] {
        let title = title.lowercased()
        return Array(
            all.filter { $0.displayTitle.lowercased() == title || $0.title?.lowercased() == title }
                .sorted { $0.id < $1.id }.prefix(limit))
    }

    func page(of listing: PodcastListing, after last: Podcast?, limit: Int) -> [Podcast] {
        let remaining = all.filter { podcast in
            listing.includes(podcast) && (last.map { listing.isBefore($0, podcast) } ?? true)
        }
        return Array(remaining.sorted(by: listing.isBefore).prefix(limit))
    }

    func overview(now: Timestamp) -> LibraryOverview {
        var overview = LibraryOverview()
        var troubled: [(title: String, id: PodcastID)] = []
        for podcast in all {
            overview.podcasts += 1
            overview.episodes += podcast.episodeCount
            let health = Health(of: podcast, now: now)
            overview.health[health, default: 0] += 1
            if health.needsAttention { troubled.append((podcast.displayTitle.lowercased(), podcast.id)) }
            if podcast.isFailing { overview.failing += 1 }
            if !podcast.fetch.isGone, !podcast.settings.isPaused {
                let due = podcast.fetch.nextDueAt ?? podcast.subscribedAt
                overview.nextDueAt = min(overview.nextDueAt ?? due, due)
            }
        }
        overview.needingAttention = troubled.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
            .prefix(LibraryOverview.attentionLimit).map(\.id)
        return overview
    }

    func changes(since revision: Int) -> LibraryChanges? {
        guard revision >= forgottenRevision, revision <= contentRevision else { return nil }
        var changes = LibraryChanges(revision: contentRevision)
        for podcast in all where podcast.contentRevision > revision { changes.changed[podcast.id] = podcast.contentRevision }
        changes.removed = Set(removedAt.filter { $0.revision > revision && self[$0.id] == nil }.map(\.id))
        return changes
    }

    var lastAddedAt: Timestamp? { all.lazy.compactMap(\.lastAddedAt).max() }
}

extension PodcastListing {
    func includes(_ podcast: Podcast) -> Bool {
        switch self {
        case .all: return true
        case .latestEpisodes(let publishedSince, let addedSince):
            if let publishedSince, let latest = podcast.latestEpisodeAt, latest < publishedSince { return false }
            if let addedSince, (podcast.lastAddedAt ?? podcast.subscribedAt) < addedSince { return false }
            return podcast.episodeCount > 0
        case .transcripts(let now, let byDefault, let all):
            return podcast.episodesRevision > 0 && !podcast.settings.isPaused && podcast.settings.transcripts ?? byDefault
                && (all || podcast.hasTranscriptsDue(now))
        }
    }

    func isBefore(_ a: Podcast, _ b: Podcast) -> Bool {
        switch self {
        case .all: return a.id < b.id
        case .latestEpisodes: return isNewer(a, b, undated: .max)
        case .transcripts: return isNewer(a, b, undated: .min)
        }
    }

    private func isNewer(_ a: Podcast, _ b: Podcast, undated: Int64) -> Bool {
        let (first, second) = (a.latestEpisodeAt?.seconds ?? undated, b.latestEpisodeAt?.seconds ?? undated)
        return first == second ? a.id < b.id : first > second
    }
}
