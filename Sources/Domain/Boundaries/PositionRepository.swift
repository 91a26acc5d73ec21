/// Where the owner stopped in episodes. Positions belong to the owner, as tags do: no refresh changes one, and they outlive
/// `unsubscribe`.
public protocol PositionRepository: Sendable {
    func positions() async throws -> [EpisodeID: PlayPosition]
    /// Changes positions together with whatever `change` decides on; nobody else's change comes between.
    func updatePositions<Result: Sendable>(
        _ change: @Sendable (inout [EpisodeID: PlayPosition]) throws -> Result
    ) async throws -> Result
}
