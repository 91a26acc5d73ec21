public import Domain

/// Stores playing positions from any device; the latest one wins.
public struct PlaybackPositions: Sendable {
    private let positions: any PositionRepository
    private let play: PlayEpisode

    public init(positions: any PositionRepository, play: PlayEpisode) {
        self.positions = positions
        self.play = play
    }

    /// nil if the episode has not been started, or was finished.
    public func callAsFunction(of episode: EpisodeID) async throws -> PlayPosition? { try await positions.positions()[episode] }

    public func all() async throws -> [EpisodeID: PlayPosition] { try await positions.positions() }

    /// Unfinished episodes, most recently heard first.
    public func begun(limit: Int) async throws -> [PlayPosition] {
        let all = try await positions.positions().values
        return Array(all.sorted { ($1.at, $0.episodeID) < ($0.at, $1.episodeID) }.prefix(limit))
    }

    /// - Returns: false if the stored position is later and was therefore kept.
    @discardableResult
    public func save(_ position: PlayPosition) async throws -> Bool {
        try await positions.updatePositions { stored in
            if let earlier = stored[position.episodeID], earlier.at > position.at { return false }
            stored[position.episodeID] = position.seconds > 0 ? position : nil
            return true
        }
    }

    /// Marks an episode that was heard to the end: played, no longer new, off the queue, and without a position.
    public func finish(_ episode: EpisodeID) async throws {
        try await play.finish(episode)
        try await positions.updatePositions { $0[episode] = nil }
    }
}
