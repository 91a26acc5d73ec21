/// An episode and the podcast it belongs to.
public struct ListedEpisode: Sendable {
    public var podcast: Podcast
    public var episode: Episode

    public init(podcast: Podcast, episode: Episode) {
        self.podcast = podcast
        self.episode = episode
    }
}

/// Episodes of the library, newest first; those without a date come last.
public struct FetchEpisodes: Sendable {
    public struct Filter: Sendable {
        /// nil for all that are subscribed; one that is not may be named where its episodes were kept.
        public var podcast: PodcastID?
        /// Published at or after.
        public var since: Timestamp?
        /// Published at or before.
        public var until: Timestamp?
        /// First seen by the last refresh.
        public var onlyNew = false
        /// nil for no limit.
        public var limit: Int?

        public init() {}
    }

    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository

    public init(podcasts: any PodcastRepository, episodes: any EpisodeRepository) {
        self.podcasts = podcasts
        self.episodes = episodes
    }

    /// Opens no more files than needed: podcasts whose newest episode is too old for the answer stay closed.
    public func callAsFunction(_ filter: Filter) async throws -> [ListedEpisode] {
        var newSince: Timestamp?
        if filter.onlyNew {
            newSince = try await podcasts.ledger().lastRefreshAt
            if newSince == nil { return [] }
        }
        var all = try await podcasts.podcasts()
        if let wanted = filter.podcast, !all.contains(where: { $0.id == wanted }) { all = try await episodes.unsubscribed() }
        let candidates =
            all
            .filter { podcast in
                if let wanted = filter.podcast, podcast.id != wanted { return false }
                if let newSince, (podcast.lastAddedAt ?? podcast.subscribedAt) < newSince { return false }
                if let since = filter.since, let latest = podcast.latestEpisodeAt, latest < since { return false }
                return podcast.episodeCount > 0
            }
            .sorted { ($0.latestEpisodeAt ?? .distantFuture) > ($1.latestEpisodeAt ?? .distantFuture) }

        var found: [ListedEpisode] = []
        for podcast in candidates {
            if let limit = filter.limit, found.count >= limit, let latest = podcast.latestEpisodeAt {
                let oldestThatCounts = limit > 0 ? found[limit - 1].episode.item.publishedAt : .distantFuture
                if let oldestThatCounts, latest < oldestThatCounts { break }
            }
            for episode in try await episodes.episodes(of: podcast.id)
            where Self.matches(episode, filter, newSince: newSince) {
                found.append(ListedEpisode(podcast: podcast, episode: episode))
            }
            if let limit = filter.limit {
                found.sort(by: Self.isNewer)
                found.removeLast(max(0, found.count - limit))
            }
        }
        return filter.limit == nil ? found.sorted(by: Self.isNewer) : found
    }

    private static func matches(_ episode: Episode, _ filter: Filter, newSince: Timestamp?) -> Bool {
        if let newSince, episode.firstSeenAt < newSince { return false }
        guard filter.since != nil || filter.until != nil else { return true }
        guard let published = episode.item.publishedAt else { return false }
        return published >= filter.since ?? published && published <= filter.until ?? published
    }

    private static func isNewer(_ a: ListedEpisode, _ b: ListedEpisode) -> Bool {
        let (first, second) = (a.episode.item.publishedAt, b.episode.item.publishedAt)
        if first != second { return (first ?? .distantPast) > (second ?? .distantPast) }
        return a.episode.id < b.episode.id
    }
}

extension Timestamp {
    static let distantPast = Timestamp(seconds: .min)
    static let distantFuture = Timestamp(seconds: .max)
}
