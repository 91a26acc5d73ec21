/// Why a name on the command line does not identify one podcast or episode.
public enum LookupFailure: Error, Sendable {
    case noSuchPodcast(String)
    case ambiguousPodcast(String, candidates: [Podcast])
    case noSuchEpisode(String)
    case ambiguousEpisode(String, EpisodeCandidates)
}

/// The episodes that an ambiguous name may mean.
public struct EpisodeCandidates: Sendable {
    /// Newest first, at most `limit`.
    public let shown: [ListedEpisode]
    public let total: Int
    public let shortIDs: ShortIDs

    public static let limit = 10

    /// - Parameter total: how many episodes match.
    public init(shown: [ListedEpisode], total: Int, shortIDs: ShortIDs) {
        (self.shown, self.total, self.shortIDs) = (shown, total, shortIDs)
    }
}
