/// The subscriptions, as `jimmy podcasts` lists them: by title.
public struct FetchPodcasts: Sendable {
    let podcasts: any PodcastRepository

    public init(podcasts: any PodcastRepository) {
        self.podcasts = podcasts
    }

    /// - Parameter failingOnly: only those whose last fetch failed.
    public func callAsFunction(failingOnly: Bool = false) async throws -> [Podcast] {
        try await podcasts.podcasts()
            .filter { !failingOnly || $0.fetch.failure != nil || $0.fetch.isGone }
            .map { (key: $0.displayTitle.lowercased(), podcast: $0) }
            .sorted { ($0.key, $0.podcast.id) < ($1.key, $1.podcast.id) }
            .map(\.podcast)
    }
}
