public import Domain

public struct FetchToday: Sendable {
    let status: FetchStatus
    let podcasts: any PodcastRepository
    let episodes: FetchEpisodes

    public init(status: FetchStatus, podcasts: any PodcastRepository, episodes: FetchEpisodes) {
        self.status = status
        self.podcasts = podcasts
        self.episodes = episodes
    }

    public func callAsFunction(now: Timestamp) async throws -> Today {
        var filter = FetchEpisodes.Filter()
        filter.onlyNew = true
        let status = try await status(now: now)
        return Today(
            status: status, new: try await episodes(filter),
            needingAttention: try await podcasts.podcasts(status.overview.needingAttention))
    }
}
