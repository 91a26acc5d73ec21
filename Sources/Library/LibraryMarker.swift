import Domain
import JSON
import Threads

/// `library.json`: the format's version, and how far each of the other shared files has come.
///
/// It is written after them, so it is never ahead of them: a file that is behind it was replaced by an older copy,
/// was cut off, or is gone.
actor LibraryMarker {
    static let document = Document(name: "library.json")

    /// How far the shared files are known to have come.
    struct Anchors: Hashable, Sendable {
        var logs: [String: LogAnchor] = [:]
        var revisions: [String: Int] = [:]
    }

    private let disk: Disk
    private let thread: BlockingThread
    /// The writer's. Every store holds the marker, so the lock stays as long as anything can be written.
    private let lock: WriteLock?
    private var anchors: Anchors
    private var revision: Int

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Throws: `LibraryFailure.newerVersion` for a library of a later program, `.damaged` where the marker is gone
    ///   from a library that has podcasts.
    init(_ disk: Disk, _ thread: BlockingThread, _ lock: WriteLock?) throws {
        self.disk = disk
        self.thread = thread
        self.lock = lock
        (anchors, revision) = try Self.load(disk)
    }

    static func load(_ disk: Disk) throws -> (Anchors, revision: Int) {
        var anchors = Anchors()
        var revision = try document.read(disk) { json, key in try anchors.read(key, from: &json) }
        if revision == 0, try disk.exists(PodcastStore.logName) {
            // The log is younger than the marker: whoever sees the log sees the marker, unless that is gone.
            revision = try document.read(disk, atLeast: 1) { json, key in try anchors.read(key, from: &json) }
        }
        return (anchors, revision)
    }

    /// What the files that are read next must have reached. A reader reads it anew each time, before those files.
    func current() throws -> Anchors {
        if lock == nil { (anchors, revision) = try Self.load(disk) }
        return anchors
    }

    /// Writes the first marker of a new library, and its copy: an older one is as good where the marker is damaged,
    /// so the copy stays as it is.
    func create() throws {
        guard revision == 0 else { return }
        try disk.replace(count: 2) { publication in
            try Self.document.write(to: &publication, revision: 1) { anchors.write(to: &$0) }
        }
        revision = 1
    }

    private func update(_ change: (inout Anchors) -> Void) throws {
        var changed = anchors
        change(&changed)
        guard changed != anchors else { return }
        let bytes = Self.document.line(revision: revision + 1) { changed.write(to: &$0) }
        try disk.replace { try $0.write(Self.document.name, bytes) }
        revision += 1
        anchors = changed
    }

    /// Notes how far a log has come, unless a later note was faster.
    func note(_ logs: [RecordLog], revisions: [String: Int] = [:]) throws {
        try update { anchors in
            for log in logs {
                let known = anchors.logs[log.name]
                if known.map({ ($0.generation, $0.length) < (log.anchor.generation, log.anchor.length) }) ?? true {
                    anchors.logs[log.name] = log.anchor
                }
            }
            anchors.revisions.merge(revisions, uniquingKeysWith: max)
        }
    }
}

extension LibraryMarker.Anchors {
    func write(to json: inout JSONWriter) {
        json.object("logs") { json in
            for (name, anchor) in logs.sorted(by: { $0.key < $1.key }) {
                json.key(name)
                json.object {
                    $0.integer("generation", anchor.generation)
                    $0.integer("length", anchor.length)
                    $0.hash("sum", anchor.sum)
                }
            }
        }
        json.object("revisions") { json in
            for (name, revision) in revisions.sorted(by: { $0.key < $1.key }) {
                json.key(name)
                json.value(revision)
            }
        }
    }

    mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "logs":
            try json.object { json, name in
                var anchor = LogAnchor(generation: 0, length: 0, sum: 0)
                try json.object { json, key in
                    switch key {
                    case "generation": anchor.generation = try json.integer()
                    case "length": anchor.length = try json.integer()
                    case "sum": anchor.sum = try json.hash()
                    default: try json.skip()
                    }
                }
                logs[name] = anchor
            }
        case "revisions": try json.object { json, name in revisions[name] = try json.integer() }
        default: try json.skip()
        }
    }
}
