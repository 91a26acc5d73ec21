import Domain
import Glibc
public import Threads

/// A library that becomes a copy of another: `PATH.part` until it is whole, then `PATH`.
public struct FolderCopy: Sendable {
    private let path: String
    private let disk: Disk

    /// - Parameter source: what is copied; a copy that was cut short goes on if it is of the same.
    /// - Throws: `CopyFailure`, `LibraryFailure`.
    public init(to path: String, of source: String) throws {
        self.path = path
        let (place, part) = (Disk(root: path, calls: SystemCalls()), Disk(root: path + ".part", calls: SystemCalls()))
        do {
            // One that has its name already lacks only the end.
            if try Self.source(of: place) == source {
                disk = place
                return
            }
            guard try place.list("").isEmpty else { throw CopyFailure.occupied(place: path) }
        } catch LibraryFailure.io(_, _, ENOTDIR) {
            throw CopyFailure.occupied(place: path)
        }
        disk = part
        if let other = try Self.source(of: part) {
            guard other == source else { throw CopyFailure.otherSource(place: part.root, source: other) }
            return
        }
        guard try part.list("").allSatisfy({ $0 == Self.unfinished }) else { throw CopyFailure.occupied(place: part.root) }
        try part.makeRoot()
        // Its name comes last: a part of it would be another source.
        try part.create(Self.unfinished, sync: true) { write in try Array(source.utf8).withUnsafeBytes(write) }
        try part.rename(Self.unfinished, to: FolderFiles.copying)
    }

    private static let unfinished = FolderFiles.copying + ".new"

    /// What a folder is an unfinished copy of; nil if it is none.
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
            if errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR { throw CopyFailure.occupied(place: path) }
            throw LibraryFailure.io(file: path, operation: "rename", errno: errno)
        }
        let place = Disk(root: path, calls: disk.calls)
        try place.remove(FolderFiles.copying)
        try place.syncFolder("..")
    }
}
