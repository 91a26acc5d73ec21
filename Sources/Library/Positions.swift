public import Domain
import JSON

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
            guard positions != before else { return result }
            try PositionFile.write(positions, revision: revision + 1, disk)
            try marker.note(revisions: [PositionFile.document.name: revision + 1], disk)
            return result
        }
    }
}

/// Where the owner stopped: `positions.json`.
enum PositionFile {
    static let document = Document(name: "positions.json")

    static func load(
        _ disk: Disk, _ anchors: LibraryMarker.Anchors
    ) throws -> (positions: [EpisodeID: PlayPosition], revision: Int) {
        var positions: [EpisodeID: PlayPosition] = [:]
        let revision = try document.read(disk, atLeast: anchors.revisions[document.name]) { json, key in
            guard key == "positions" else { return _ = try json.skip() }
            for position in try json.list({ try read(&$0) }) { positions[position.episodeID] = position }
        }
        return (positions, revision)
    }

    static func write(_ positions: [EpisodeID: PlayPosition], revision: Int, _ disk: Disk) throws {
        try disk.replace(count: 2) { batch in
            try document.write(to: &batch, revision: revision) { json in
                json.array("positions") { json in
                    for position in positions.values.sorted(by: { $0.episodeID < $1.episodeID }) {
                        json.object {
                            $0.text("episode", position.episodeID.text)
                            $0.number("seconds", position.seconds)
                            $0.number("duration", position.duration)
                            $0.time("at", position.at)
                        }
                    }
                }
            }
        }
    }

    private static func read(_ json: inout JSONReader) throws -> PlayPosition {
        var id: EpisodeID?
        var position = (seconds: 0.0, duration: Double?.none, at: Timestamp(seconds: 0))
        try json.object { json, key in
            switch key {
            case "episode": id = EpisodeID(text: try json.string())
            case "seconds": position.seconds = try json.number()
            case "duration": position.duration = try json.number()
            case "at": position.at = try json.time()
            default: try json.skip()
            }
        }
        guard let id else { throw json.error(.unexpected) }
        return PlayPosition(episodeID: id, seconds: position.seconds, duration: position.duration, at: position.at)
    }
}
