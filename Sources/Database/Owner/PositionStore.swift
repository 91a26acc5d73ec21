import Domain
import JSON
import Records

/// The playing positions, and what was heard. Each episode has a row.
struct PositionStore: PositionRepository {
    let owner: OwnerWriter

    func positions() async throws -> [EpisodeID: PlayPosition] {
        try Self.positions(try await owner.read(Call(.allPositions, .owner)))
    }

    func positions(of episodes: [EpisodeID]) async throws -> [EpisodeID: PlayPosition] {
        guard !episodes.isEmpty else { return [:] }
        return try Self.positions(try await owner.read(Self.read(episodes)))
    }

    func updatePositions<Result: Sendable>(
        of episodes: [EpisodeID], _ change: @Sendable (inout [EpisodeID: PlayPosition]) throws -> Result
    ) async throws -> Result {
        let wanted = Set(episodes)
        return try await owner.write(reading: [Self.read(episodes)]) { rows in
            let before = try Self.positions(rows[0])
            var positions = before
            let result = try change(&positions)
            let changes = PositionChanges(from: before, to: positions.filter { wanted.contains($0.key) })
            return (Self.write(changes), result)
        }
    }

    // MARK: Rows

    static func read(_ episodes: [EpisodeID]) -> Call { Call(.positions, .owner, .texts(episodes.map(\.text))) }

    static func write(_ changes: PositionChanges) -> [Call] {
        let removed = changes.removed.sorted().map(\.text)
        var calls = removed.isEmpty ? [] : [Call(.dropPositions, .owner, .texts(removed))]
        let stored = changes.stored.values.sorted { $0.episodeID < $1.episodeID }
        calls += Call.each(stored, atMost: OwnerWriter.maxRows) { rows in
            Call(
                .putPositions(rows.count), .owner,
                rows.flatMap { row in [.text(row.episodeID.text), .bytes(JSONRow.bytes { row.write(to: &$0) })] })
        }
        return calls
    }

    static func positions(_ rows: Rows) throws -> [EpisodeID: PlayPosition] {
        var positions: [EpisodeID: PlayPosition] = [:]
        for row in rows {
            var position: PlayPosition?
            try JSONRow.read(row.bytes("body") ?? [], "positions", of: row.text("episode")) {
                position = try PlayPosition(from: &$0)
            }
            if let position { positions[position.episodeID] = position }
        }
        return positions
    }
}
