import Domain
import JSON
import Threads

/// `library.json`: the format's version, and the progress of each of the other shared files.
///
/// It is written after them and so is never ahead of them. A file that is behind it was replaced by an older copy, was
/// cut off, or is gone.
struct LibraryMarker {
    static let document = Document(
        name: "library.json", version: Document.newestVersion, oldestVersion: 2)

    /// The revisions and log positions that the shared files are known to have reached.
    struct Anchors: Hashable, Sendable {
        var logs: [String: LogAnchor] = [:]
        var revisions: [String: Int] = [:]
    }

    private(set) var anchors = Anchors()
    /// See `Library.id`.
    private(set) var id: UInt64?
    /// 0 if the library does not exist yet.
    private(set) var revision = 0
    /// True if something was noted that is not on disk yet.
    private var isAhead = false

    /// What is wrong with `library.json` if its copy was read instead.
    private(set) var damage: LibraryFailure?

    /// Reads it for a reader. If it is damaged, its copy is good enough: it is only older.
    ///
    /// - Throws: the same as `init(_:)`, if the copy is damaged too.
    init(reading disk: Disk) throws {
        do {
            self = try LibraryMarker(disk)
        } catch let failure as LibraryFailure {
            guard case .damaged = failure, let bytes = try disk.read(Self.document.copy) else { throw failure }
            damage = failure
            revision = try Self.document.read(bytes, as: Self.document.copy) { try readMember($1, from: &$0) }
        }
    }

    /// - Throws: `LibraryFailure.newerVersion` or `.olderVersion` for a library of another program; `.damaged` if the
    ///   marker is gone from a library that has podcasts.
    init(_ disk: Disk) throws {
        revision = try read(disk, atLeast: nil)
        // The log is created after the marker, so a log without a marker means that the marker was lost.
        if revision == 0, try disk.exists(PodcastTable.logName) { revision = try read(disk, atLeast: 1) }
    }

    private mutating func read(_ disk: Disk, atLeast minimum: Int?) throws -> Int {
        (id, anchors) = (nil, Anchors())
        return try Self.document.read(disk, atLeast: minimum) { try readMember($1, from: &$0) }
    }

    private mutating func readMember(_ key: String, from json: inout JSONReader) throws {
        if key == "id" { id = try json.hash() } else { try anchors.read(key, from: &json) }
    }

    private func writeMembers(to json: inout JSONWriter) {
        json.hash("id", id)
        anchors.write(to: &json)
    }

    /// Writes the first marker of a new library, and its copy. The copy is never updated: if the marker is damaged, an
    /// older one is as good.
    mutating func create(_ disk: Disk) throws {
        guard revision == 0 else { return }
        id = .random(in: 1 ... .max)
        try disk.replace(count: 2) { batch in
            try Self.document.write(to: &batch, revision: 1) { writeMembers(to: &$0) }
        }
        revision = 1
    }

    /// Notes the progress of files, to be written by `save`.
    mutating func note(_ logs: [RecordLog] = [], revisions: [String: Int] = [:]) {
        var noted = anchors
        for log in logs {
            let earlier = noted.logs[log.name]
            if earlier.map({ ($0.generation, $0.length) < (log.anchor.generation, log.anchor.length) }) ?? true {
                noted.logs[log.name] = log.anchor
            }
        }
        noted.revisions.merge(revisions, uniquingKeysWith: max)
        isAhead = isAhead || noted != anchors
        anchors = noted
    }

    /// Writes what was noted, once for all files of a batch; nothing if none of it is new.
    mutating func save(_ disk: Disk) throws {
        guard isAhead else { return }
        let bytes = Self.document.line(revision: revision + 1) { writeMembers(to: &$0) }
        try disk.replace { try $0.write(Self.document.name, bytes) }
        revision += 1
        isAhead = false
    }
}

extension LibraryMarker.Anchors {
    func write(to json: inout JSONWriter) {
        json.object("logs", logs) { json, anchor in
            json.object {
                $0.integer("generation", anchor.generation)
                $0.integer("length", anchor.length)
                $0.hash("sum", anchor.sum)
            }
        }
        json.object("revisions", revisions) { $0.value($1) }
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
