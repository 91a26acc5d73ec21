import Domain
import JSON
import Records

/// The play queue.
actor QueueStore: QueueRepository, FolderStore {
    let writer: LibraryWriter

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    init(_ writer: LibraryWriter) { self.writer = writer }

    func entries() throws -> [QueueEntry] { try QueueFile.load(disk, writer.anchors).entries }

    func update<T: Sendable>(_ change: @Sendable (inout [QueueEntry]) throws -> T) async throws -> T {
        try await write { try $0.change(change) }
    }

    /// Requires a batch.
    func change<T>(_ change: (inout [QueueEntry]) throws -> T) throws -> T {
        let (before, revision) = try QueueFile.load(disk, writer.anchors)
        var entries = before
        let result = try change(&entries)
        guard entries != before else { return result }
        try QueueFile.write(entries, revision: revision + 1, disk)
        writer.note(revisions: [QueueFile.document.name: revision + 1])
        return result
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

    static func entries(in bytes: [UInt8], as name: String) throws -> [QueueEntry] {
        var entries: [QueueEntry] = []
        _ = try document.read(bytes, as: name) { json, key in
            if key == "entries" { entries = try json.list { try QueueEntry(from: &$0) } } else { try json.skip() }
        }
        return entries
    }

    static func write(_ entries: [QueueEntry], revision: Int, _ disk: Disk) throws {
        try disk.replace(count: 2) { batch in
            try document.write(to: &batch, revision: revision) { json in
                json.array("entries") { json in for entry in entries { json.object { entry.write(to: &$0) } } }
            }
        }
    }
}
