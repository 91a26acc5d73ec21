public import Domain
import JSON
import Records

extension Library: QueueRepository {
    public func entries() throws -> [QueueEntry] {
        if !isWriting { marker = try LibraryMarker(reading: disk) }
        return try QueueFile.load(disk, marker.anchors).entries
    }

    public func update<T: Sendable>(_ change: @Sendable (inout [QueueEntry]) throws -> T) async throws -> T {
        try await write {
            let (before, revision) = try QueueFile.load(disk, marker.anchors)
            var entries = before
            let result = try change(&entries)
            if entries != before { try store(entries, after: revision) }
            return result
        }
    }

    /// Requires the write lock.
    func store(_ entries: [QueueEntry], after revision: Int) throws {
        try QueueFile.write(entries, revision: revision + 1, disk)
        marker.note(revisions: [QueueFile.document.name: revision + 1])
    }
}

/// The play queue: `queue.json`.
enum QueueFile {
    static let document = Document(name: "queue.json")

    static func load(_ disk: Disk, _ anchors: LibraryMarker.Anchors) throws -> (entries: [QueueEntry], revision: Int) {
        var entries: [QueueEntry] = []
        let revision = try document.read(disk, atLeast: anchors.revisions[document.name]) { json, key in
            if key == "entries" { entries = try json.list { try QueueEntry(from: &$0) } } else { try json.skip() }
        }
        return (entries, revision)
    }

    static func write(_ entries: [QueueEntry], revision: Int, _ disk: Disk) throws {
        try disk.replace(count: 2) { batch in
            try document.write(to: &batch, revision: revision) { json in
                json.array("entries") { json in for entry in entries { json.object { entry.write(to: &$0) } } }
            }
        }
    }
}
