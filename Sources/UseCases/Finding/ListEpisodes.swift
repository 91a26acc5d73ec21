public import Domain

/// Lists episodes, newest first; episodes without a date come last.
public struct ListEpisodes: Sendable {
    public struct Filter: Sendable {
        /// nil for all subscriptions. May include podcasts unsubscribed with their episodes kept.
        public var podcasts: Set<PodcastID>?
        /// Published at or after.
        public var since: Timestamp?
        /// Published at or before.
        public var until: Timestamp?
        /// Only episodes with the tag `new`.
        public var onlyNew = false
        /// Whether to include archived episodes.
        public var includesArchived = false
        /// nil for no limit.
        public var limit: Int?

        public init() {}
    }

    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository
    let tags: any TagRepository

    public init(podcasts: any PodcastRepository, episodes: any EpisodeRepository, tags: any TagRepository) {
        self.podcasts = podcasts
        self.episodes = episodes
        self.tags = tags
    }

    /// Reads no more podcasts than needed: those whose newest episode is too old for the listing are not read.
    public func callAsFunction(_ filter: Filter) async throws -> [ListedEpisode] {
        if filter.onlyNew {
            let new = try await new(filter)
            return filter.limit.map { Array(new.prefix($0)) } ?? new
        }
        let archived = try await archived(filter)
        var listed: [ListedEpisode] = []
        try await forEachCandidate(filter) { podcast in
            // Only a listing of all podcasts is in date order, so that it can end early.
            if filter.podcasts == nil, let limit = filter.limit, listed.count >= limit, let latest = podcast.latestEpisodeAt {
                let oldestListed = limit > 0 ? listed[limit - 1].episode.item.publishedAt : .distantFuture
                if let oldestListed, latest < oldestListed { return false }
            }
            for episode in try await episodes.episodes(of: podcast.id)
            where Self.matches(episode, filter) && !archived.contains(episode.id) {
                listed.append(ListedEpisode(podcast: podcast, episode: episode))
            }
            if let limit = filter.limit {
                listed.sort(by: Self.isNewer)
                listed.removeLast(max(0, listed.count - limit))
            }
            return true
        }
        return try await withTags(filter.limit == nil ? listed.sorted(by: Self.isNewer) : listed)
    }

    /// The episodes with these ids, in that order. Those of unsubscribed podcasts are left out.
    public func listed(_ ids: [EpisodeID]) async throws -> [ListedEpisode] {
        guard !ids.isEmpty else { return [] }
        let owners = Dictionary(
            try await podcasts.podcasts(Array(Set(ids.map(\.podcastID)))).map { ($0.id, $0) }, uniquingKeysWith: { a, _ in a })
        let episodes = try await episodes.episodes(ids)
        return try await withTags(
            episodes.compactMap { episode in
                owners[episode.podcastID].map { ListedEpisode(podcast: $0, episode: episode) }
            })
    }

    /// The number of episodes, ignoring the filter's limit.
    public func count(_ filter: Filter) async throws -> Int {
        if filter.onlyNew {
            let isDated = filter.since != nil || filter.until != nil
            return isDated ? try await new(filter).count : try await newIDs(filter).count
        }
        let archived = try await archived(filter)
        if filter.podcasts == nil, filter.since == nil, filter.until == nil, archived.isEmpty {
            // The count does not depend on the time.
            return try await podcasts.overview(now: Timestamp(seconds: 0)).episodes
        }
        var count = 0
        try await forEachCandidate(filter) { podcast in
            count += try await episodes.episodes(of: podcast.id).count {
                Self.matches($0, filter) && !archived.contains($0.id)
            }
            return true
        }
        return count
    }

    /// Episodes with the tag `new` that pass the filter, newest first. Only they are read.
    private func new(_ filter: Filter) async throws -> [ListedEpisode] {
        try await listed(newIDs(filter)).filter { Self.matches($0.episode, filter) }.sorted(by: Self.isNewer)
    }

    /// New episodes of any date.
    private func newIDs(_ filter: Filter) async throws -> [EpisodeID] {
        let archived = try await archived(filter)
        let new = try await tags.episodes(tagged: [.new])[.new] ?? []
        if archived.isEmpty, filter.podcasts == nil { return new }
        return new.filter { !archived.contains($0) && filter.podcasts?.contains($0.podcastID) ?? true }
    }

    /// Episodes that the filter excludes because they are archived.
    private func archived(_ filter: Filter) async throws -> Set<EpisodeID> {
        filter.includesArchived ? [] : Set(try await tags.episodes(tagged: [.archived])[.archived] ?? [])
    }

    private func withTags(_ listed: [ListedEpisode]) async throws -> [ListedEpisode] {
        let tags = try await tags.tags(of: listed.map(\.episode.id))
        guard !tags.isEmpty else { return listed }
        return listed.map { ListedEpisode(podcast: $0.podcast, episode: $0.episode, tags: tags[$0.episode.id] ?? []) }
    }

    /// Visits the podcasts that may have matching episodes, according to their records. Unless podcasts are named,
    /// those with the newest episodes come first, and `body` may return false to stop.
    private func forEachCandidate(_ filter: Filter, _ body: (Podcast) async throws -> Bool) async throws {
        guard let wanted = filter.podcasts else {
            let listing = PodcastListing.latestEpisodes(publishedSince: filter.since)
            return try await podcasts.forEach(in: listing, pageSize: min(filter.limit ?? 255, 255) + 1, body)
        }
        for id in wanted.sorted() {
            var podcast = try await podcasts.podcast(id)
            if podcast == nil { podcast = try await episodes.unsubscribed(withIDPrefix: id.text, limit: 1).first }
            if let podcast { _ = try await body(podcast) }
        }
    }

    private static func matches(_ episode: Episode, _ filter: Filter) -> Bool {
        guard filter.since != nil || filter.until != nil else { return true }
        guard let published = episode.item.publishedAt else { return false }
        return published >= filter.since ?? published && published <= filter.until ?? published
    }

    static func newestFirst(_ listed: [ListedEpisode]) -> [ListedEpisode] { listed.sorted(by: isNewer) }

    private static func isNewer(_ a: ListedEpisode, _ b: ListedEpisode) -> Bool {
        let (first, second) = (a.episode.item.publishedAt, b.episode.item.publishedAt)
        if first != second { return (first ?? .distantPast) > (second ?? .distantPast) }
        return a.episode.id < b.episode.id
    }
}
