public import Domain
public import Results

/// Lists episodes by `EpisodeOrder`, newest first unless the filter says otherwise; episodes without a date come last.
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
        /// Whether the oldest episode comes first.
        public var oldestFirst = false
        /// nil for no limit.
        public var limit: Int?

        /// Only a listing of all podcasts, newest first, is in date order, so that it can end early.
        fileprivate var canEndEarly: Bool { podcasts == nil && !oldestFirst }

        public init() {}
    }

    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository
    let tags: any TagRepository
    let order: OrderEpisodes

    public init(_ library: Repositories) {
        podcasts = library.podcasts
        episodes = library.episodes
        tags = library.tags
        order = OrderEpisodes(library)
    }

    /// Reads no more podcasts than needed: those whose newest episode is too old for the listing are not read.
    ///
    /// - Parameter damaged: called for each podcast whose file is damaged, which is then left out; nil to throw instead.
    public func callAsFunction(
        _ filter: Filter, damaged: ((UnreadablePodcast) -> Void)? = nil
    ) async throws -> [ListedEpisode] {
        if filter.onlyNew { return try await new(filter, damaged) }
        let archived = try await archived(filter)
        var matching: [(order: EpisodeOrder, listed: ListedEpisode)] = []
        func sort() { matching.sort { EpisodeOrder.precedes($0.order, $1.order, oldestFirst: filter.oldestFirst) } }
        try await forEachCandidate(filter) { podcast in
            if filter.canEndEarly, let limit = filter.limit,
                Self.isComplete(matching.last?.listed, matching.count, limit, before: podcast)
            {
                return false
            }
            let stored = try await EpisodeReading.skipping(podcast.id, damaged) { try await episodes.episodes(of: podcast.id) }
            for (place, episode) in stored.enumerated()
            where Self.matches(episode, filter) && !archived.contains(episode.id) {
                matching.append((EpisodeOrder(episode, place: place), ListedEpisode(podcast: podcast, episode: episode)))
            }
            if let limit = filter.limit {
                sort()
                matching.removeLast(max(0, matching.count - limit))
            }
            return true
        }
        if filter.limit == nil { sort() }
        return try await withTags(matching.map(\.listed))
    }

    /// The episodes with these ids, in that order. Those of unsubscribed podcasts are left out.
    ///
    /// - Parameter damaged: called for each podcast whose file is damaged, which is then left out; nil to throw instead.
    public func listed(
        _ ids: [EpisodeID], damaged: ((UnreadablePodcast) -> Void)? = nil
    ) async throws -> [ListedEpisode] {
        guard !ids.isEmpty else { return [] }
        // Together they take one round trip to a server.
        async let podcasts = podcasts.podcasts(Array(Set(ids.map(\.podcastID))))
        async let tagged = tags.tags(of: ids)
        let episodes = try await episodes.episodes(ids, damaged: damaged)
        let owners = Dictionary(try await podcasts.map { ($0.id, $0) }, uniquingKeysWith: { a, _ in a })
        let tags = try await tagged
        return episodes.compactMap { episode in
            owners[episode.podcastID].map { ListedEpisode(podcast: $0, episode: episode, tags: tags[episode.id] ?? []) }
        }
    }

    /// The number of episodes, ignoring the filter's limit.
    public func count(_ filter: Filter) async throws -> Int {
        if filter.onlyNew {
            let isDated = filter.since != nil || filter.until != nil
            return isDated ? try await new(filter, nil).count : try await newIDs(filter).count
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

    /// Episodes with the tag `new` that pass the filter, in order. Only they are read, and of many only the newest.
    private func new(_ filter: Filter, _ damaged: ((UnreadablePodcast) -> Void)?) async throws -> [ListedEpisode] {
        let ids = try await newIDs(filter)
        let limit = filter.limit ?? .max
        var matching: [ListedEpisode] = []
        func read(_ ids: [EpisodeID]) async throws {
            matching += try await listed(ids, damaged: damaged).filter { Self.matches($0.episode, filter) }
            matching = Array(try await order(matching, oldestFirst: filter.oldestFirst).prefix(limit))
        }
        guard ids.count > limit, filter.canEndEarly else {
            try await read(ids)
            return matching
        }
        var unread = Dictionary(grouping: ids, by: \.podcastID)
        var next: [EpisodeID] = []
        try await forEachCandidate(filter) { podcast in
            if Self.isComplete(matching.last, matching.count, limit, before: podcast) { return false }
            next += unread.removeValue(forKey: podcast.id) ?? []
            if next.count >= limit {
                try await read(next)
                next = []
            }
            return !unread.isEmpty
        }
        try await read(next)
        return matching
    }

    /// True if neither this podcast nor those after it in a listing by date have episodes that belong to the newest.
    ///
    /// - Parameters:
    ///   - last: the oldest of the newest found so far.
    ///   - count: how many those are.
    private static func isComplete(_ last: ListedEpisode?, _ count: Int, _ limit: Int, before podcast: Podcast) -> Bool {
        guard count >= limit, let latest = podcast.latestEpisodeAt else { return false }
        guard let last else { return true }
        return last.episode.orderedAt.map { latest < $0 } ?? false
    }

    /// New episodes of any date.
    private func newIDs(_ filter: Filter) async throws -> [EpisodeID] {
        let tagged = try await tags.episodes(tagged: filter.includesArchived ? [.new] : [.new, .archived])
        let (new, archived) = (tagged[.new] ?? [], Set(tagged[.archived] ?? []))
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
        guard let published = episode.orderedAt else { return false }
        return published >= filter.since ?? published && published <= filter.until ?? published
    }
}
