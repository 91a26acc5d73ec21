import Domain
import JSON
import Records

/// The bookmarks.
actor BookmarkStore: BookmarkRepository, FolderStore {
    let writer: LibraryWriter

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    init(_ writer: LibraryWriter) { self.writer = writer }

    func bookmarks() throws -> [Bookmark] { try BookmarkFile.load(disk, writer.anchors).bookmarks }

    func updateBookmarks<Result: Sendable>(
        _ change: @Sendable (inout [Bookmark]) throws -> Result
    ) async throws -> Result {
        try await write { try $0.change(change) }
    }

    /// Requires a batch.
    func change<Result>(_ change: (inout [Bookmark]) throws -> Result) throws -> Result {
        let (before, revision) = try BookmarkFile.load(disk, writer.anchors)
        var bookmarks = before
        let result = try change(&bookmarks)
        guard bookmarks != before else { return result }
        try BookmarkFile.write(bookmarks, revision: revision + 1, disk)
        writer.note(revisions: [BookmarkFile.document.name: revision + 1])
        return result
    }
}

/// The bookmarks: `bookmarks.json`.
enum BookmarkFile {
    static let document = Document(name: "bookmarks.json")

    static func load(_ disk: Disk, _ anchors: LibraryMarker.Anchors) throws -> (bookmarks: [Bookmark], revision: Int) {
        var bookmarks: [Bookmark] = []
        let revision = try document.read(disk, atLeast: anchors.revisions[document.name]) { json, key in
            if key == "bookmarks" { bookmarks = try json.list { try Bookmark(from: &$0) } } else { try json.skip() }
        }
        return (bookmarks, revision)
    }

    static func bookmarks(in bytes: [UInt8], as name: String) throws -> [Bookmark] {
        var bookmarks: [Bookmark] = []
        _ = try document.read(bytes, as: name) { json, key in
            if key == "bookmarks" { bookmarks = try json.list { try Bookmark(from: &$0) } } else { try json.skip() }
        }
        return bookmarks
    }

    static func write(_ bookmarks: [Bookmark], revision: Int, _ disk: Disk) throws {
        try disk.replace(count: 2) { batch in
            try document.write(to: &batch, revision: revision) { json in
                json.array("bookmarks") { json in for bookmark in bookmarks { json.object { bookmark.write(to: &$0) } } }
            }
        }
    }
}
