import Domain
import JSON
import Records

/// The playing positions, and what was heard.
actor PositionStore: PositionRepository, FolderStore {
    let writer: LibraryWriter

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    init(_ writer: LibraryWriter) { self.writer = writer }

    func positions() throws -> [EpisodeID: PlayPosition] { try PositionFile.load(disk, writer.anchors).positions }

    func updatePositions<Result: Sendable>(
        _ change: @Sendable (inout [EpisodeID: PlayPosition]) throws -> Result
    ) async throws -> Result {
        try await write { try $0.change(change) }
    }

    /// Requires a batch.
    func change<Result>(_ change: (inout [EpisodeID: PlayPosition]) throws -> Result) throws -> Result {
        let (before, revision) = try PositionFile.load(disk, writer.anchors)
        var positions = before
        let result = try change(&positions)
        guard positions != before else { return result }
        try PositionFile.write(positions, revision: revision + 1, disk)
        writer.note(revisions: [PositionFile.document.name: revision + 1])
        return result
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

    static func positions(in bytes: [UInt8], as name: String) throws -> [PlayPosition] {
        var positions: [PlayPosition] = []
        _ = try document.read(bytes, as: name) { json, key in
            if key == "positions" { positions = try json.list { try PlayPosition(from: &$0) } } else { try json.skip() }
        }
        return positions
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
