public import Domain

/// Stores playing positions from any device; the latest one wins.
public struct PlaybackPositions: Sendable {
    private let positions: any PositionRepository
    private let play: PlayEpisode

    public init(positions: any PositionRepository, play: PlayEpisode) {
        self.positions = positions
        self.play = play
    }

    /// nil if the episode was not begun, or was finished.
    public func callAsFunction(of episode: EpisodeID) async throws -> PlayPosition? { try await all()[episode] }

    /// The positions of the episodes that were begun and not finished.
    public func all() async throws -> [EpisodeID: PlayPosition] {
        try await positions.positions().filter { $0.value.isBegun }
    }

    /// What is stored about an episode, begun or not.
    func stored(_ episode: EpisodeID) async throws -> PlayPosition? { try await positions.positions()[episode] }

    func restore(_ position: PlayPosition?, of episode: EpisodeID) async throws {
        try await positions.updatePositions { $0[episode] = position }
    }

    /// Unfinished episodes, most recently heard first.
    public func begun(limit: Int) async throws -> [PlayPosition] {
        let all = try await all().values
        return Array(all.sorted { ($1.at, $0.episodeID) < ($0.at, $1.episodeID) }.prefix(limit))
    }

    /// - Parameter heard: seconds of the episode that were heard since the stored position; nil to tell by the positions.
    /// - Returns: false if the stored position is later and was therefore kept.
    @discardableResult
    public func save(_ position: PlayPosition, heard: Double? = nil) async throws -> Bool {
        try await positions.updatePositions { stored in
            let earlier = stored[position.episodeID]
            if let earlier, earlier.at > position.at { return false }
            let following = position.following(earlier, heard: heard)
            stored[position.episodeID] = following.isEmpty ? nil : following
            return true
        }
    }

    /// Marks an episode that was heard to the end: played, no longer new, off the queue, and back at its beginning.
    ///
    /// - Parameter position: where the player was; nil if unknown.
    public func finish(
        _ episode: EpisodeID, at position: PlayPosition? = nil, heard: Double? = nil, now: Timestamp
    ) async throws {
        try await play.finish(episode)
        try await positions.updatePositions { stored in
            let earlier = stored[episode]
            let last = position ?? PlayPosition(episodeID: episode, seconds: earlier?.seconds ?? 0, at: now)
            var finished = last.following(earlier, heard: heard)
            (finished.seconds, finished.playedAt) = (0, now)
            stored[episode] = finished
        }
    }
}
