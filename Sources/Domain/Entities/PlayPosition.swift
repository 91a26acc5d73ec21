/// How far the owner has heard an episode that is not finished.
public struct PlayPosition: Equatable, Sendable {
    public var episodeID: EpisodeID
    /// Seconds into the episode.
    public var seconds: Double
    /// Seconds, as measured by the player; nil if unknown.
    public var duration: Double?
    /// When the owner reached this position.
    public var at: Timestamp

    public init(episodeID: EpisodeID, seconds: Double, duration: Double? = nil, at: Timestamp) {
        self.episodeID = episodeID
        self.seconds = seconds
        self.duration = duration
        self.at = at
    }
}
