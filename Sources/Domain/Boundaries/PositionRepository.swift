/// The owner's playing positions in episodes. Like tags, they belong to the owner: no refresh changes them, and they
/// outlive `unsubscribe`.
public protocol PositionRepository: Sendable {
    func positions() async throws -> [EpisodeID: PlayPosition]
    /// The positions of these episodes; those without one are left out.
    func positions(of episodes: [EpisodeID]) async throws -> [EpisodeID: PlayPosition]
    /// Changes the positions of these episodes atomically: no other writer changes them while `change` runs.
    ///
    /// - Parameter change: called with the positions of `episodes`; what it says about others is not stored.
    func updatePositions<Result: Sendable>(
        of episodes: [EpisodeID], _ change: @Sendable (inout [EpisodeID: PlayPosition]) throws -> Result
    ) async throws -> Result
}

extension PositionRepository {
    public func position(of episode: EpisodeID) async throws -> PlayPosition? {
        try await positions(of: [episode])[episode]
    }
}

/// The positions that a change stores or removes.
public struct PositionChanges: Equatable, Sendable {
    public var stored: [EpisodeID: PlayPosition] = [:]
    public var removed: Set<EpisodeID> = []

    public var isEmpty: Bool { stored.isEmpty && removed.isEmpty }

    public init(from before: [EpisodeID: PlayPosition], to after: [EpisodeID: PlayPosition]) {
        stored = after.filter { before[$0.key] != $0.value }
        removed = Set(before.keys.filter { after[$0] == nil })
    }

    public func apply(to positions: inout [EpisodeID: PlayPosition]) {
        positions.merge(stored) { $1 }
        for id in removed { positions[id] = nil }
    }
}
