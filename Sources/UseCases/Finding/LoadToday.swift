public import Domain

public struct LoadToday: Sendable {
    let status: LoadStatus
    let podcasts: any PodcastRepository
    let episodes: ListEpisodes

    public init(_ library: Repositories, status: LoadStatus, episodes: ListEpisodes) {
        self.status = status
        podcasts = library.podcasts
        self.episodes = episodes
    }

    public func callAsFunction(now: Timestamp) async throws -> Today {
        var filter = ListEpisodes.Filter()
        filter.onlyNew = true
        async let new = episodes(filter)
        let status = try await status(now: now)
        return Today(
            status: status, new: try await new,
            needingAttention: try await podcasts.podcasts(status.overview.needingAttention))
    }
}
