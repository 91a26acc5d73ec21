/// How far the owner has heard an episode that is not finished.
public struct PlayPosition: Equatable, Sendable {
    public var episodeID: EpisodeID
    /// Seconds into the episode.
    public var seconds: Double
    /// Seconds, as the player found it; nil if it does not know.
    public var duration: Double?
    /// When it was heard there.
    public var at: Timestamp

    public init(episodeID: EpisodeID, seconds: Double, duration: Double? = nil, at: Timestamp) {
        self.episodeID = episodeID
        self.seconds = seconds
        self.duration = duration
        self.at = at
    }
}
