/// The full-text index: derived from the library, and thrown away without loss.
public protocol SearchIndex: Sendable {
    /// Brings the index in line with these podcasts, in one transaction.
    func apply(_ changes: [IndexChange]) async throws
    /// The podcasts whose indexed revision is not the given one, and those indexed that are not given at all.
    func stale(_ revisions: [PodcastID: Int]) async throws -> [PodcastID]
    func search(_ request: SearchRequest) async throws -> SearchResults
    /// Marks what matched in the episode's own text.
    func snippet(of hit: SearchHit, in episode: Episode, for request: SearchRequest) -> Snippet
}

/// What changed in one podcast, for the index.
public enum IndexChange: Sendable {
    /// Episodes that are new or replace the one with the same id.
    case episodes(of: Podcast, Channel, [Episode])
    /// All episodes of a podcast; others that the index may have are dropped.
    case whole(Podcast, Channel, [Episode])
    case removed(PodcastID)
}
