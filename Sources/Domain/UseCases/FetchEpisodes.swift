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
        /// nil for all subscriptions; also podcasts that were unsubscribed with their episodes kept.
        public var podcasts: Set<PodcastID>?
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
    let work: any WorkSource

    public init(podcasts: any PodcastRepository, episodes: any EpisodeRepository, work: any WorkSource) {
        self.podcasts = podcasts
        self.episodes = episodes
        self.work = work
    }

    /// Reads no more podcasts than needed: those whose newest episode is too old for the answer stay unread.
    public func callAsFunction(_ filter: Filter) async throws -> [ListedEpisode] {
        var newSince: Timestamp?
        if filter.onlyNew {
            newSince = try await work.lastRefresh().startedAt
            if newSince == nil { return [] }
        }
        var listed: [ListedEpisode] = []
        try await forEachCandidate(filter, newSince) { podcast in
            // Only a listing by date can end early.
            if filter.podcasts == nil, let limit = filter.limit, listed.count >= limit, let latest = podcast.latestEpisodeAt {
                let oldestListed = limit > 0 ? listed[limit - 1].episode.item.publishedAt : .distantFuture
                if let oldestListed, latest < oldestListed { return false }
            }
            try await add(podcast, filter, newSince, to: &listed)
            return true
        }
        return filter.limit == nil ? listed.sorted(by: Self.isNewer) : listed
    }

    private func add(
        _ podcast: Podcast, _ filter: Filter, _ newSince: Timestamp?, to listed: inout [ListedEpisode]
    ) async throws {
        for episode in try await episodes.episodes(of: podcast.id) where Self.matches(episode, filter, newSince: newSince) {
            listed.append(ListedEpisode(podcast: podcast, episode: episode))
        }
        if let limit = filter.limit {
            listed.sort(by: Self.isNewer)
            listed.removeLast(max(0, listed.count - limit))
        }
    }

    /// How many episodes there are without the filter's limit.
    public func count(_ filter: Filter) async throws -> Int {
        if filter.podcasts == nil, filter.since == nil, filter.until == nil, !filter.onlyNew {
            // Counts do not depend on the time.
            return try await podcasts.overview(now: Timestamp(seconds: 0)).episodes
        }
        let newSince = filter.onlyNew ? try await work.lastRefresh().startedAt : nil
        var count = 0
        try await forEachCandidate(filter, newSince) { podcast in
            count += try await episodes.episodes(of: podcast.id).count { Self.matches($0, filter, newSince: newSince) }
            return true
        }
        return count
    }

    /// The podcasts that may have matching episodes, as far as their records tell. Without named podcasts, those with the
    /// newest episodes first, until `body` returns false.
    private func forEachCandidate(
        _ filter: Filter, _ newSince: Timestamp?, _ body: (Podcast) async throws -> Bool
    ) async throws {
        guard let wanted = filter.podcasts else {
            let listing = PodcastListing.latestEpisodes(publishedSince: filter.since, addedSince: newSince)
            return try await podcasts.forEach(in: listing, pageSize: filter.limit.map { min($0 + 1, 256) } ?? 256, body)
        }
        for id in wanted.sorted() {
            var podcast = try await podcasts.podcast(id)
            if podcast == nil { podcast = try await episodes.unsubscribed(withIDPrefix: id.text, limit: 1).first }
            if let podcast { _ = try await body(podcast) }
        }
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
