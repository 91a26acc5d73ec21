public import Domain
import JSON
public import Threads

/// The files of the folder that was copied into the database. They are stored for the way back; nothing else reads
/// them.
public struct DatabaseFiles: FileArchive {
    private let session: Session

    init(_ session: Session) { self.session = session }

    public func files() async throws -> [ArchivedFile] {
        try await session.read(Shard.all.map { Transaction(.files, $0) }).all.compactMap { row in
            let file = ArchivedFile(
                name: row.text("name"), mode: row.int("mode"), size: row.int("bytes"),
                digest: UInt64(bitPattern: row.number("digest") ?? 0))
            // A file is incomplete if its parts are of different versions.
            return row.int("parts") == row.int("stored_parts") && row.int("parts") == file.parts ? file : nil
        }.sorted { $0.name < $1.name }
    }

    public func read(_ parts: [FilePart]) async throws -> [[UInt8]] {
        try await session.read(
            parts.map { Transaction(.filePart, Self.shard(of: $0.file), .text($0.file.name), .int($0.number)) }
        ).map { $0.first?.bytes("body") ?? [] }
    }

    public func write(_ parts: [(part: FilePart, bytes: [UInt8])]) async throws {
        let transactions = Dictionary(grouping: parts) { Self.shard(of: $0.part.file) }.map { shard, parts in
            Transaction(
                parts.flatMap { part, bytes in
                    let (file, name) = (part.file, Parameter.text(part.file.name))
                    let put = Call(
                        .putFilePart, shard, name, .int(part.number), .int(file.parts), .int(file.mode),
                        .int(Int64(bitPattern: file.digest)), .bytes(bytes))
                    return part.isLast ? [put, Call(.dropFileParts, shard, name, .int(file.parts))] : [put]
                })
        }
        for reply in try await session.run(transactions) { _ = try reply.orFailure() }
    }

    public func remove(_ files: [ArchivedFile]) async throws {
        let transactions = Dictionary(grouping: files, by: Self.shard).map { shard, files in
            Transaction(files.map { Call(.dropFileParts, shard, .text($0.name), .int(0)) })
        }
        for reply in try await session.run(transactions) { _ = try reply.orFailure() }
    }

    private static func shard(of file: ArchivedFile) -> Shard {
        Shard(number: Int(XXH64.hash(file.name.utf8) % UInt64(Shard.count)))
    }
}

extension Database {
    public var files: DatabaseFiles { DatabaseFiles(session) }

    /// Opens a database that becomes a copy of another library. Until `finishCopy`, nobody else can open it.
    ///
    /// - Parameter source: names the library that is copied. An interrupted copy is continued if it has the same
    ///   source.
    /// - Throws: `CopyFailure`, `DatabaseFailure`, `LibraryFailure.newerVersion` or `.olderVersion`.
    public static func openCopy(
        _ address: DatabaseAddress, of source: String, on thread: BlockingThread? = nil
    ) async throws -> Database {
        let database = try await open(address, .copy, on: thread)
        let other = try await database.work.owner.write(reading: [OwnerDocument.copy.read]) { rows -> ([Call], String?) in
            var other: String?
            try OwnerDocument.copy.members(rows[0]) { json, key in
                if key == "source" { other = try json.string() } else { try json.skip() }
            }
            return other == nil ? ([OwnerDocument.copy.write { $0.text("source", source) }], nil) : ([], other)
        }
        if let other, other != source { throw CopyFailure.otherSource(destination: address.shown, source: other) }
        return database
    }

    /// Turns the copy into a library.
    public func finishCopy() async throws {
        let reply = try await session.run([
            Transaction(.finishCopy, .owner, .int(Schema.version), .int(-Schema.version))
        ])
        for result in reply { _ = try result.orFailure() }
    }
}
