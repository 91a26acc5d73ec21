/// Where the owner stopped in episodes. Positions belong to the owner, as tags do: no refresh changes one, and they outlive
/// `unsubscribe`.
public protocol PositionRepository: Sendable {
    func positions() async throws -> [EpisodeID: PlayPosition]
    /// Changes positions atomically: no other writer changes them while `change` runs.
    func updatePositions<Result: Sendable>(
        _ change: @Sendable (inout [EpisodeID: PlayPosition]) throws -> Result
    ) async throws -> Result
}
