public import Domain
import JSON
import Threads

/// The play queue: `queue.json`.
public actor QueueStore: QueueRepository {
    static let document = Document(name: "queue.json")

    private let disk: Disk
    private let thread: BlockingThread
    private let marker: LibraryMarker

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ disk: Disk, _ thread: BlockingThread, _ marker: LibraryMarker) {
        self.disk = disk
        self.thread = thread
        self.marker = marker
    }

    public func entries() async throws -> [QueueEntry] {
        try load(await marker.current()).entries
    }

    public func update<T: Sendable>(_ change: @Sendable (inout [QueueEntry]) throws -> T) async throws -> T {
        let (before, revision) = try load(await marker.current())
        var entries = before
        let result = try change(&entries)
        guard entries != before else { return result }
        try disk.replace(count: 2) { publication in
            try Self.document.write(to: &publication, revision: revision + 1) { Self.write(entries, to: &$0) }
        }
        try await marker.note([], revisions: [Self.document.name: revision + 1])
        return result
    }

    private func load(_ anchors: LibraryMarker.Anchors) throws -> (entries: [QueueEntry], revision: Int) {
        var entries: [QueueEntry] = []
        let revision = try Self.document.read(disk, atLeast: anchors.revisions[Self.document.name]) {
            try Self.read(&entries, $1, from: &$0)
        }
        return (entries, revision)
    }

    static func write(_ entries: [QueueEntry], to json: inout JSONWriter) {
        json.array("entries") { json in
            for entry in entries {
                json.object {
                    $0.text("episode", entry.episodeID.text)
                    $0.time("addedAt", entry.addedAt)
                }
            }
        }
    }

    static func read(_ entries: inout [QueueEntry], _ key: String, from json: inout JSONReader) throws {
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
