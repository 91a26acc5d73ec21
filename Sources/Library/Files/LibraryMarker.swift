import Domain
import JSON
import Records
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

    struct Members: ReadableFields {
        /// See `Library.id`.
        var id: UInt64?
        var anchors = Anchors()

        mutating func list<L: FieldList>(_ list: inout L) {
            list.hash("id", &id)
            anchors.list(&list)
        }
    }

    private var members = Members()
    var id: UInt64? { members.id }
    var anchors: Anchors { members.anchors }
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
            revision = try Self.document.read(bytes, as: Self.document.copy) { try members.read($1, from: &$0) }
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
        members = Members()
        return try Self.document.read(disk, atLeast: minimum) { try members.read($1, from: &$0) }
    }

    /// Writes the first marker of a new library, and its copy. The copy is never updated: if the marker is damaged, an
    /// older one is as good.
    mutating func create(_ disk: Disk) throws {
        guard revision == 0 else { return }
        members.id = .random(in: 1 ... .max)
        try disk.replace(count: 2) { batch in
            try Self.document.write(to: &batch, revision: 1) { members.write(to: &$0) }
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
        members.anchors = noted
    }

    /// Writes what was noted, once for all files of a batch; nothing if none of it is new.
    mutating func save(_ disk: Disk) throws {
        guard isAhead else { return }
        let bytes = Self.document.line(revision: revision + 1) { members.write(to: &$0) }
        try disk.replace { try $0.write(Self.document.name, bytes) }
        revision += 1
        isAhead = false
    }
}

extension LibraryMarker.Anchors: ReadableFields {
    mutating func list<L: FieldList>(_ list: inout L) {
        list.objects("logs", byKey: &logs)
        var members = revisions.sorted { $0.key < $1.key }
        list.integers("revisions", byKey: &members)
        if L.reads { revisions = Dictionary(members) { $1 } }
    }
}
