public import Domain
import JSON
import Records

extension Library: PositionRepository {
    public func positions() throws -> [EpisodeID: PlayPosition] {
        if !isWriting { marker = try LibraryMarker(reading: disk) }
        return try PositionFile.load(disk, marker.anchors).positions
    }

    public func updatePositions<Result: Sendable>(
        _ change: @Sendable (inout [EpisodeID: PlayPosition]) throws -> Result
    ) async throws -> Result {
        try await write {
            let (before, revision) = try PositionFile.load(disk, marker.anchors)
            var positions = before
            let result = try change(&positions)
            if positions != before { try store(positions, after: revision) }
            return result
        }
    }

    /// Requires the write lock.
    func store(_ positions: [EpisodeID: PlayPosition], after revision: Int) throws {
        try PositionFile.write(positions, revision: revision + 1, disk)
        marker.note(revisions: [PositionFile.document.name: revision + 1])
    }
}

/// The play positions: `positions.json`.
enum PositionFile {
    static let document = Document(name: "positions.json")

    static func load(
        _ disk: Disk, _ anchors: LibraryMarker.Anchors
    ) throws -> (positions: [EpisodeID: PlayPosition], revision: Int) {
        var positions: [EpisodeID: PlayPosition] = [:]
        let revision = try document.read(disk, atLeast: anchors.revisions[document.name]) { json, key in
            guard key == "positions" else { return _ = try json.skip() }
            for position in try json.list({ try PlayPosition(from: &$0) }) { positions[position.episodeID] = position }
        }
        return (positions, revision)
    }

    static func write(_ positions: [EpisodeID: PlayPosition], revision: Int, _ disk: Disk) throws {
        try disk.replace(count: 2) { batch in
            try document.write(to: &batch, revision: revision) { json in
                json.array("positions") { json in
                    for position in positions.values.sorted(by: { $0.episodeID < $1.episodeID }) {
                        json.object { position.write(to: &$0) }
                    }
                }
            }
        }
    }
}
