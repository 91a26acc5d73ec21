public import Domain
public import Results
public import Searching

/// Finds episodes similar to one, by their indexed words. Those of other podcasts come first.
///
/// An episode that a network lists in several podcasts appears once, and is not similar to itself.
public struct FindSimilarEpisodes: Sendable {
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let index: any SearchIndex
    private let reconcile: ReconcileIndex

    public init(_ library: Repositories, index: any SearchIndex, reconcile: ReconcileIndex) {
        podcasts = library.podcasts
        episodes = library.episodes
        self.index = index
        self.reconcile = reconcile
    }

    /// - Throws: `IndexFailure`, `LibraryFailure`.
    public func callAsFunction(_ episode: Episode, of podcast: Podcast, limit: Int) async throws -> [SimilarEpisode] {
        try await reconcile()
        // A few more, since some may be the same episode in another podcast.
        let hits = try await index.similar(to: episode, of: podcast, limit: min(limit, 1 << 20) + min(limit, 20))
        let owners = Dictionary(
            try await podcasts.podcasts(Array(Set(hits.map(\.episodeID.podcastID)))).map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        let stored = Dictionary(
            try await episodes.episodes(hits.map(\.episodeID)).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var seen: Set<SameEpisode> = SameEpisode(episode.item).map { [$0] } ?? []
        let similar = hits.compactMap { hit -> SimilarEpisode? in
            guard let episode = stored[hit.episodeID], let owner = owners[episode.podcastID] else { return nil }
            if let same = SameEpisode(episode.item), !seen.insert(same).inserted { return nil }
            return SimilarEpisode(
                listed: ListedEpisode(podcast: owner, episode: episode), score: hit.score, terms: hit.terms)
        }
        return Array(similar.prefix(limit))
    }
}
