public import Domain
public import Results

public struct LoadToday: Sendable {
    let status: LoadStatus
    let podcasts: any PodcastRepository
    let episodes: ListEpisodes

    public init(_ library: Repositories, status: LoadStatus, episodes: ListEpisodes) {
        self.status = status
        podcasts = library.podcasts
        self.episodes = episodes
    }

    /// - Parameter limit: the most new episodes to list; nil for all.
    public func callAsFunction(limit: Int?, now: Timestamp) async throws -> Today {
        var filter = ListEpisodes.Filter()
        (filter.onlyNew, filter.limit) = (true, limit)
        async let listed = episodes(filter)
        let status = try await status(now: now)
        let new = try await listed
        return Today(
            status: status, new: new, newCount: new.count == limit ? try await episodes.count(filter) : new.count,
            needingAttention: try await podcasts.podcasts(status.overview.needingAttention))
    }
}
