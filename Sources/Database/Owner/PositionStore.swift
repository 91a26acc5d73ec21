import Domain
import JSON
import Records

/// The playing positions, and what was heard.
struct PositionStore: PositionRepository {
    let owner: OwnerWriter

    func positions() async throws -> [EpisodeID: PlayPosition] {
        try Self.positions(try await owner.read(OwnerDocument.positions.read))
    }

    func updatePositions<Result: Sendable>(
        _ change: @Sendable (inout [EpisodeID: PlayPosition]) throws -> Result
    ) async throws -> Result {
        try await owner.write(reading: [OwnerDocument.positions.read]) { rows in
            let before = try Self.positions(rows[0])
            var positions = before
            let result = try change(&positions)
            return (positions == before ? [] : [Self.write(positions)], result)
        }
    }

    static func write(_ positions: [EpisodeID: PlayPosition]) -> Call {
        let sorted = positions.values.sorted { $0.episodeID < $1.episodeID }
        return OwnerDocument.positions.write { $0.entries(sorted) { $0.write(to: &$1) } }
    }

    static func positions(_ rows: Rows) throws -> [EpisodeID: PlayPosition] {
        let positions = try OwnerDocument.positions.list(rows) { try PlayPosition(from: &$0) }
        return Dictionary(positions.map { ($0.episodeID, $0) }) { $1 }
    }
}
