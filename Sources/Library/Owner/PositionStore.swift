import Domain
import JSON
import Records

/// The playing positions, and what was heard.
actor PositionStore: PositionRepository, FolderStore {
    let writer: LibraryWriter

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    init(_ writer: LibraryWriter) { self.writer = writer }

    func positions() throws -> [EpisodeID: PlayPosition] { try PositionFile.load(disk, writer.anchors).positions }

    func positions(of episodes: [EpisodeID]) throws -> [EpisodeID: PlayPosition] {
        let wanted = Set(episodes)
        return try positions().filter { wanted.contains($0.key) }
    }

    func updatePositions<Result: Sendable>(
        of episodes: [EpisodeID], _ change: @Sendable (inout [EpisodeID: PlayPosition]) throws -> Result
    ) async throws -> Result {
        try await write { store in
            let before = try store.positions(of: episodes)
            var positions = before
            let result = try change(&positions)
            let wanted = Set(episodes)
            try store.commit(PositionChanges(from: before, to: positions.filter { wanted.contains($0.key) }))
            return result
        }
    }

    /// Requires a batch.
    func commit(_ changes: PositionChanges) throws {
        guard !changes.isEmpty else { return }
        var (positions, revision) = try PositionFile.load(disk, writer.anchors)
        changes.apply(to: &positions)
        revision += 1
        try PositionFile.write(positions, revision: revision, disk)
        writer.note(revisions: [PositionFile.document.name: revision])
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
