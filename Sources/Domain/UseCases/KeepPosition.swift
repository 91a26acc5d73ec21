/// Keeps where the owner stopped, whichever device says so: the later one wins.
public struct KeepPosition: Sendable {
    private let positions: any PositionRepository
    private let play: PlayEpisode

    public init(positions: any PositionRepository, play: PlayEpisode) {
        self.positions = positions
        self.play = play
    }

    /// nil if it is not begun, or finished.
    public func callAsFunction(of episode: EpisodeID) async throws -> PlayPosition? { try await positions.positions()[episode] }

    public func all() async throws -> [EpisodeID: PlayPosition] { try await positions.positions() }

    /// Unfinished episodes, the one heard last first.
    public func begun(limit: Int) async throws -> [PlayPosition] {
        let all = try await positions.positions().values
        return Array(all.sorted { ($1.at, $0.episodeID) < ($0.at, $1.episodeID) }.prefix(limit))
    }

    /// - Returns: false if what is stored is later; then it stays.
    @discardableResult
    public func keep(_ position: PlayPosition) async throws -> Bool {
        try await positions.updatePositions { stored in
            if let known = stored[position.episodeID], known.at > position.at { return false }
            stored[position.episodeID] = position.seconds > 0 ? position : nil
            return true
        }
    }

    /// The episode was heard to its end: it is played, no longer new, off the queue, and begins at its beginning.
    public func finish(_ episode: EpisodeID) async throws {
        try await play.finish(episode)
        try await positions.updatePositions { $0[episode] = nil }
    }
}
