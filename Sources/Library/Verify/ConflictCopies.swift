import Addresses
import Domain
import JSON
import Records

/// What the copies say that a program which synchronises folders made of files that two machines changed: the other
/// machine's side of each conflict.
///
/// The later version of a file has its name, and the copy is the earlier one. Logs have a common beginning, up to which
/// both machines agreed; what follows in the copy is what the other machine changed.
struct ConflictCopies: Sendable {
    /// A log as it is in the copy, and as it was when the two machines agreed.
    struct Sides<Lines: Sendable>: Sendable {
        var theirs: Lines
        var base: Lines
    }

    private(set) var podcasts: [Sides<[PodcastID: Podcast]>] = []
    private(set) var secrets: [PodcastID: Credentials] = [:]
    private(set) var tags: [Sides<TagLogLines>] = []
    private(set) var positions: [PlayPosition] = []
    private(set) var queue: [QueueEntry] = []
    private(set) var bookmarks: [Bookmark] = []
    private(set) var episodeFiles: [PodcastID: [[UInt8]]] = [:]
    /// The copies that were understood, relative to the library.
    private(set) var names: [String] = []

    /// Names that Syncthing (`podcasts.sync-conflict-20261126-183100-ABCDEFG.jsonl`), Dropbox (in the user's language),
    /// Nextcloud, Seafile and others give. No file of a library has such a word in its own name.
    static func isName(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["conflict", "konflikt", "conflit"].contains(where: name.contains)
    }

    init(_ disk: Disk, _ names: [String]) throws {
        for name in names {
            do {
                guard let bytes = try disk.read(name), try read(bytes, name, disk) else { continue }
                self.names.append(name)
            } catch LibraryFailure.damaged {
                // It stays where it is, for its owner to judge.
            } catch is JSONError {
            }
        }
    }

    /// Podcasts that the other machine subscribed to.
    var added: [Podcast] {
        podcasts.flatMap { sides in sides.theirs.values.filter { sides.base[$0.id] == nil } }.sorted { $0.id < $1.id }
    }

    /// - Returns: false if this is no file of a library.
    private mutating func read(_ bytes: [UInt8], _ name: String, _ disk: Disk) throws -> Bool {
        guard let owner = Self.owner(of: bytes) else {
            guard let podcast = Salvage.owner(of: bytes) else { return false }
            episodeFiles[podcast, default: []].append(bytes)
            return true
        }
        switch owner {
        case PodcastTable.logName, PodcastTable.mirrorName:
            let (theirs, base) = try sides(bytes, owner, disk) { try Self.podcasts($0) }
            podcasts.append(Sides(theirs: theirs, base: base))
        case TagTable.logName, TagTable.mirrorName:
            let (theirs, base) = try sides(bytes, owner, disk) { try Self.tags($0) }
            tags.append(Sides(theirs: theirs, base: base))
        case PodcastTable.secrets.name:
            _ = try PodcastTable.secrets.read(bytes, as: name) { try secrets.read($1, from: &$0) }
        case PositionFile.document.name: positions += try PositionFile.positions(in: bytes, as: name)
        case QueueFile.document.name: queue += try QueueFile.entries(in: bytes, as: name)
        case BookmarkFile.document.name: bookmarks += try BookmarkFile.bookmarks(in: bytes, as: name)
        case TimesFile.document.name, HostFile.document.name, LibraryMarker.document.name:
            break  // nothing that the next refresh does not find out itself
        default: return owner.hasPrefix(UndoFiles.folder + "/")
        }
        return true
    }

    private static func owner(of bytes: [UInt8]) -> String? {
        guard let first = ChecksummedLine.lines(bytes).first else { return nil }
        var owner: String?
        try? ChecksummedLine.read(bytes, first) { json, key in
            if key == "file" { owner = try json.string() } else { try json.skip() }
        }
        return owner
    }

    private func sides<Lines>(
        _ bytes: [UInt8], _ owner: String, _ disk: Disk, _ lines: (ArraySlice<UInt8>) throws -> Lines
    ) throws -> (theirs: Lines, base: Lines) {
        let own = (try? disk.read(owner)) ?? nil
        let common = zip(bytes, own ?? []).prefix { $0 == $1 }.count
        let end = bytes[..<common].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return (try lines(bytes[...]), try lines(bytes[..<end]))
    }

    private static func podcasts(_ bytes: ArraySlice<UInt8>) throws -> [PodcastID: Podcast] {
        var lines = LogLines()
        try eachLine(of: Array(bytes)) { try lines.read($0, $1) }
        return Dictionary(try lines.podcasts().map { ($0.podcast.id, $0.podcast) }, uniquingKeysWith: { $1 })
    }

    private static func tags(_ bytes: ArraySlice<UInt8>) throws -> TagLogLines {
        var lines = TagLogLines()
        try eachLine(of: Array(bytes)) { _ = try lines.read($0, $1) }
        return lines
    }

    /// Passes on the intact lines from the beginning of a log, without its header.
    private static func eachLine(of bytes: [UInt8], _ body: ([UInt8], Range<Int>) throws -> Void) throws {
        let lines = ChecksummedLine.lines(bytes)
        guard let header = lines.first, ChecksummedLine.verified(bytes, header, after: 0) != nil else { return }
        var generation = 0
        try ChecksummedLine.read(bytes, header) { json, key in
            if key == "generation" { generation = try json.integer() } else { try json.skip() }
        }
        var previous = UInt64(max(0, generation))
        for line in lines.dropFirst() {
            guard let sum = ChecksummedLine.verified(bytes, line, after: previous) else { return }
            previous = sum
            try body(bytes, line)
        }
    }
}
