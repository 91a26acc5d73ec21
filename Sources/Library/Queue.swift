public import Domain
import JSON

extension Library: QueueRepository {
    public func entries() throws -> [QueueEntry] {
        if !isWriting { marker = try LibraryMarker(reading: disk) }
        return try QueueFile.load(disk, marker.anchors).entries
    }

    public func update<T: Sendable>(_ change: @Sendable (inout [QueueEntry]) throws -> T) async throws -> T {
        try await write { try changeQueue(change) }
    }

    /// With the write lock held.
    func changeQueue<T>(_ change: (inout [QueueEntry]) throws -> T) throws -> T {
        let (before, revision) = try QueueFile.load(disk, marker.anchors)
        var entries = before
        let result = try change(&entries)
        guard entries != before else { return result }
        try QueueFile.write(entries, revision: revision + 1, disk)
        try marker.note(revisions: [QueueFile.document.name: revision + 1], disk)
        return result
    }
}

/// The play queue: `queue.json`.
enum QueueFile {
    static let document = Document(name: "queue.json")

    static func load(_ disk: Disk, _ anchors: LibraryMarker.Anchors) throws -> (entries: [QueueEntry], revision: Int) {
        var entries: [QueueEntry] = []
        let revision = try document.read(disk, atLeast: anchors.revisions[document.name]) { try read(&entries, $1, from: &$0) }
        return (entries, revision)
    }

    static func write(_ entries: [QueueEntry], revision: Int, _ disk: Disk) throws {
        try disk.replace(count: 2) { batch in
            try document.write(to: &batch, revision: revision) { write(entries, to: &$0) }
        }
    }

    private static func write(_ entries: [QueueEntry], to json: inout JSONWriter) {
        json.array("entries") { json in
            for entry in entries {
                json.object {
                    $0.text("episode", entry.episodeID.text)
                    $0.time("addedAt", entry.addedAt)
                }
            }
        }
    }

    private static func read(_ entries: inout [QueueEntry], _ key: String, from json: inout JSONReader) throws {
        guard key == "entries" else {
            try json.skip()
            return
        }
        entries = try json.list { json in
            var id: EpisodeID?
            var addedAt = Timestamp(seconds: 0)
            try json.object { json, key in
                switch key {
                case "episode": id = EpisodeID(text: try json.string())
                case "addedAt": addedAt = try json.time()
                default: try json.skip()
                }
            }
            guard let id else { throw json.error(.unexpected) }
            return QueueEntry(episodeID: id, addedAt: addedAt)
        }
    }
}
