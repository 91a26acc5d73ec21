/// The owner's playing positions in episodes. Like tags, they belong to the owner: no refresh changes them, and they
/// outlive `unsubscribe`.
public protocol PositionRepository: Sendable {
    func positions() async throws -> [EpisodeID: PlayPosition]
    /// Changes positions atomically: no other writer changes them while `change` runs.
    func updatePositions<Result: Sendable>(
        _ change: @Sendable (inout [EpisodeID: PlayPosition]) throws -> Result
    ) async throws -> Result
}
