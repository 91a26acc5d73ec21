public import Domain
public import Results

/// What was heard, and when.
public struct ListHistory: Sendable {
    private let positions: any PositionRepository
    private let listing: ListEpisodes

    public init(_ library: Repositories, listing: ListEpisodes) {
        positions = library.positions
        self.listing = listing
    }

    /// The times of listening, latest first. Those of episodes that are no longer stored are left out.
    ///
    /// - Parameters:
    ///   - since: only those that began then or later; nil for all.
    ///   - podcasts: only episodes of these; nil for all.
    public func callAsFunction(since: Timestamp?, of podcasts: Set<PodcastID>?) async throws -> [HeardEpisode] {
        let positions = try await positions.positions().values.filter { podcasts?.contains($0.episodeID.podcastID) ?? true }
        let spans = positions.flatMap { position in
            position.heard.filter { span in since.map { span.at >= $0 } ?? true }.map { (id: position.episodeID, span: $0) }
        }
        let listed = try await listing.listed(Array(Set(spans.map(\.id))))
        let byID = Dictionary(listed.map { ($0.episode.id, $0) }) { first, _ in first }
        return spans.sorted { ($1.span.at, $0.id) < ($0.span.at, $1.id) }
            .compactMap { id, span in byID[id].map { HeardEpisode($0, span) } }
    }
}
