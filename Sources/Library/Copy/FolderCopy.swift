public import Domain
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
        disk = Disk(root: path + ".part", calls: SystemCalls())
        let place = Disk(root: path, calls: disk.calls)
        do {
            guard try place.list("").isEmpty else { throw CopyFailure.occupied(place: path) }
        } catch LibraryFailure.io(_, _, ENOTDIR) {
            throw CopyFailure.occupied(place: path)
        }
        if let bytes = try disk.read(FolderFiles.copying) {
            let other = String(decoding: bytes, as: UTF8.self)
            guard other == source else { throw CopyFailure.otherSource(place: disk.root, source: other) }
        } else {
            guard try disk.list("").isEmpty else { throw CopyFailure.occupied(place: disk.root) }
            try disk.makeRoot()
            // Its name comes last: a part of it would be another source.
            let name = FolderFiles.copying + ".new"
            try disk.create(name, sync: true) { write in try Array(source.utf8).withUnsafeBytes(write) }
            try disk.rename(name, to: FolderFiles.copying)
        }
    }

    public var files: FolderFiles { FolderFiles(disk) }

    public func open(on thread: BlockingThread?) async throws -> Library {
        try await Library.open(disk.root, .write(waitSeconds: 5), on: thread)
    }

    /// Makes everything durable, and the copy a library.
    public func finish() throws {
        try disk.remove(FolderFiles.copying)
        try disk.syncAll()
        guard disk.calls.rename(disk.root, path) == 0 else {
            if errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR { throw CopyFailure.occupied(place: path) }
            throw LibraryFailure.io(file: path, operation: "rename", errno: errno)
        }
        try Disk(root: path, calls: disk.calls).syncFolder("..")
    }
}
