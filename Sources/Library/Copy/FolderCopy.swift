import Domain
import Glibc
public import Threads

/// A library that becomes a copy of another: `PATH.part` until it is complete, then `PATH`.
public struct FolderCopy: Sendable {
    private let path: String
    private let disk: Disk

    /// - Parameter source: names the library that is copied. An interrupted copy is continued if it has the same
    ///   source.
    /// - Throws: `CopyFailure`, `LibraryFailure`.
    public init(to path: String, of source: String) throws {
        self.path = path
        let (target, part) = (Disk(root: path, calls: SystemCalls()), Disk(root: path + ".part", calls: SystemCalls()))
        do {
            // The copy was renamed already; only the end of `finish` is missing.
            if try Self.source(of: target) == source {
                disk = target
                return
            }
            guard try target.list("").isEmpty else { throw CopyFailure.occupied(destination: path) }
        } catch LibraryFailure.io(_, _, ENOTDIR) {
            throw CopyFailure.occupied(destination: path)
        }
        disk = part
        if let other = try Self.source(of: part) {
            guard other == source else { throw CopyFailure.otherSource(destination: part.root, source: other) }
            return
        }
        guard try part.list("").allSatisfy({ $0 == Self.unfinished }) else { throw CopyFailure.occupied(destination: part.root) }
        try part.makeRoot()
        // Written under another name first: a partial write would name another source.
        try part.create(Self.unfinished, sync: true) { write in try write(Array(source.utf8).span.bytes) }
        try part.rename(Self.unfinished, to: FolderFiles.copying)
    }

    private static let unfinished = FolderFiles.copying + ".new"

    /// The source of the unfinished copy in a folder; nil if the folder holds none.
    private static func source(of disk: Disk) throws -> String? {
        guard try disk.exists("") else { return nil }
        return try disk.read(FolderFiles.copying).map { String(decoding: $0, as: UTF8.self) }
    }

    public var files: FolderFiles { FolderFiles(disk) }

    public func open(on thread: BlockingThread?) async throws -> Library {
        try await Library.open(disk.root, .write(waitSeconds: 5), on: thread)
    }

    /// Makes everything durable, and the copy a library.
    public func finish() throws {
        try disk.syncAll()
        if disk.root != path, disk.calls.rename(disk.root, path) != 0 {
            if errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR { throw CopyFailure.occupied(destination: path) }
            throw LibraryFailure.io(file: path, operation: "rename", errno: errno)
        }
        let target = Disk(root: path, calls: disk.calls)
        try target.remove(FolderFiles.copying)
        try target.syncFolder("..")
    }
}
