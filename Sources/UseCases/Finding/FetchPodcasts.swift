public import Domain
import Scheduling

/// Lists subscriptions by title, as `jimmy podcasts` prints them.
public struct FetchPodcasts: Sendable {
    let podcasts: any PodcastRepository

    public init(_ library: Repositories) {
        podcasts = library.podcasts
    }

    /// - Parameters:
    ///   - failingOnly: only podcasts whose last fetch failed.
    ///   - tag: only podcasts with this tag, in any letter case.
    public func callAsFunction(failingOnly: Bool = false, tag: String? = nil) async throws -> [Podcast] {
        let tag = tag?.lowercased()
        var listed: [(key: String, podcast: Podcast)] = []
        try await podcasts.forEach { podcast in
            if failingOnly, !podcast.isFailing { return true }
            if let tag, !podcast.settings.tags.contains(where: { $0.lowercased() == tag }) { return true }
            listed.append((podcast.displayTitle.lowercased(), podcast))
            return true
        }
        return listed.sorted { ($0.key, $0.podcast.id) < ($1.key, $1.podcast.id) }.map(\.podcast)
    }
}
