/// The subscriptions, as `jimmy podcasts` lists them: by title.
public struct FetchPodcasts: Sendable {
    let podcasts: any PodcastRepository

    public init(podcasts: any PodcastRepository) {
        self.podcasts = podcasts
    }

    /// - Parameter failingOnly: only those whose last fetch failed.
    public func callAsFunction(failingOnly: Bool = false) async throws -> [Podcast] {
        var listed: [(key: String, podcast: Podcast)] = []
        try await podcasts.forEach { podcast in
            if !failingOnly || podcast.isFailing { listed.append((podcast.displayTitle.lowercased(), podcast)) }
            return true
        }
        return listed.sorted { ($0.key, $0.podcast.id) < ($1.key, $1.podcast.id) }.map(\.podcast)
    }
}

extension Podcast {
    /// Its last fetch failed, or the server said that it is gone.
    public var isFailing: Bool { fetch.failure != nil || fetch.isGone }
}
