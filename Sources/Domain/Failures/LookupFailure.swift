/// Why a name on the command line does not identify one podcast or episode.
public enum LookupFailure: Error, Sendable {
    case noSuchPodcast(String)
    case ambiguousPodcast(String, candidates: [Podcast])
    case noSuchEpisode(String)
    case ambiguousEpisode(String, candidates: [Episode])
}
