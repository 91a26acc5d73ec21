import Domain
import JSON

/// A small file of one checksummed line that is replaced as a whole: the marker, the queue, the ledger, the secrets.
///
/// It is written twice, the second copy under `backup/`, so that damage to one copy loses nothing.
struct Document: Sendable {
    let name: String
    /// The version of the format that is written.
    var version = 1
    /// The oldest version that can be read.
    var oldestVersion = 1

    /// The newest version of a document that can be read.
    static let newestVersion = 2
    var copy: String { "backup/" + name }

    /// Reads all members except `revision`, which is returned; 0 if the file does not exist yet.
    ///
    /// - Parameter minimum: the revision that the file must have reached; not nil if it must exist.
    /// - Throws: `LibraryFailure.damaged`, `.newerVersion`, `.olderVersion` or `.io`.
    func read(_ disk: Disk, atLeast minimum: Int? = nil, _ member: (inout JSONReader, String) throws -> Void) throws -> Int {
        guard let bytes = try disk.read(name) else {
            if minimum != nil { throw Damage.missing.failure(name) }
            return 0
        }
        let revision = try read(bytes, as: name, member)
        if let minimum, revision < minimum { throw Damage.older.failure(name) }
        return revision
    }

    func read(_ bytes: [UInt8], as name: String, _ member: (inout JSONReader, String) throws -> Void) throws -> Int {
        try checkVersion(bytes, name)
        let line = bytes.indices
        guard ChecksummedLine.verified(bytes, line) != nil else { throw Damage.sum.failure(name, line: 1) }
        var revision = 0
        var owner = self.name
        do {
            try ChecksummedLine.read(bytes, line) { json, key in
                switch key {
                case "file": owner = try json.string()
                case "revision": revision = try json.integer()
                default: try member(&json, key)
                }
            }
        } catch let error as JSONError {
            throw Damage.structure(error).failure(name, line: 1)
        }
        if owner != self.name { throw Damage.swapped.failure(name) }
        return revision
    }

    func write(to batch: inout AtomicBatch, revision: Int, _ members: (inout JSONWriter) -> Void) throws {
        let bytes = line(revision: revision, members)
        try batch.write(copy, bytes)
        try batch.write(name, bytes)
    }

    func line(revision: Int, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        ChecksummedLine.append(to: &json) {
            $0.integer("version", version)
            $0.text("file", name)
            $0.integer("revision", revision)
            members(&$0)
        }
        return json.bytes
    }

    /// Checks the version, whose position every version of the format keeps: directly after the checksum. Another file
    /// in this one's place may have a higher version, but is damage.
    private func checkVersion(_ bytes: [UInt8], _ name: String) throws {
        var version: Int?
        var isOwn = false
        var json = JSONReader(bytes)
        try? json.object { json, key in
            switch key {
            case "version" where version == nil: version = try json.integer()
            case "file": isOwn = try json.string() == self.name
            default: try json.skip()
            }
        }
        guard let version, isOwn else { return }
        if version < oldestVersion, ChecksummedLine.verified(bytes, bytes.indices) != nil {
            throw LibraryFailure.olderVersion(file: name, version: version)
        }
        guard version > Self.newestVersion else { return }
        if Self.isDamagedVersion(bytes) { throw Damage.sum.failure(name, line: 1) }
        throw LibraryFailure.newerVersion(file: name, version: version)
    }

    /// True if the checksum is correct for one of our versions in place of the one read. The checksum of a document of
    /// a later version covers that version.
    private static func isDamagedVersion(_ bytes: [UInt8]) -> Bool {
        let versionOffset = ChecksummedLine.membersStart + #","version":"#.utf8.count
        guard versionOffset < bytes.count else { return false }
        return (1...newestVersion).contains { version in
            var restored = bytes
            restored[versionOffset] = UInt8(ascii: "0") + UInt8(version)
            return ChecksummedLine.verified(restored, restored.indices) != nil
        }
    }
}

/// What can be wrong with a file; the source of the reasons in `LibraryFailure.damaged`.
enum Damage {
    case missing
    case sum
    case structure(JSONError)
    /// It belongs to another podcast.
    case foreign
    /// It is a different file under this name.
    case swapped
    /// It is a folder, a pipe, or a dangling link.
    case noFile
    /// It is an older copy than the last one written.
    case older
    /// Lines are missing, moved or repeated.
    case lines
    /// It ends too early.
    case short

    func failure(_ file: String, line: Int? = nil) -> LibraryFailure {
        .damaged(file: file, line: line, reason: reason)
    }

    private var reason: String {
        switch self {
        case .missing: return "missing"
        case .sum: return "checksum differs"
        case .structure(let error): return "unreadable at byte \(error.offset)"
        case .foreign: return "belongs to another podcast"
        case .swapped: return "is another file"
        case .noFile: return "is no file"
        case .older: return "older than the library"
        case .lines: return "lines are missing, moved or repeated"
        case .short: return "ends too early"
        }
    }
}
