public import Domain

/// Finds out how far ids can be shortened.
public struct ShortenIDs: Sendable {
    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository

    public init(_ library: Repositories) {
        podcasts = library.podcasts
        episodes = library.episodes
    }

    public func callAsFunction(_ ids: [PodcastID], _ episodeIDs: [EpisodeID]) async throws -> ShortIDs {
        let owners = Set(ids).union(episodeIDs.map(\.podcastID))
        guard !owners.isEmpty else { return ShortIDs() }
        return ShortIDs(
            podcasts: try await podcasts.lengths(of: owners.sorted()), episodes: try await episodes.lengths(of: episodeIDs))
    }
}
