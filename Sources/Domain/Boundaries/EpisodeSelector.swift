/// Tells which episodes of a feed match a query, before they are stored.
public protocol EpisodeSelector: Sendable {
    /// - Throws: `IndexFailure`.
    func matching(
        _ query: String, among episodes: [Episode], of podcast: Podcast, _ channel: Channel, now: Timestamp
    ) async throws -> Set<EpisodeID>
}
