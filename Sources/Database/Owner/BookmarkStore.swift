import Domain
import JSON
import Records

/// The bookmarks.
struct BookmarkStore: BookmarkRepository {
    let owner: OwnerWriter

    func bookmarks() async throws -> [Bookmark] {
        try Self.bookmarks(try await owner.read(OwnerDocument.bookmarks.read))
    }

    func updateBookmarks<Result: Sendable>(
        _ change: @Sendable (inout [Bookmark]) throws -> Result
    ) async throws -> Result {
        try await owner.write(reading: [OwnerDocument.bookmarks.read]) { rows in
            let before = try Self.bookmarks(rows[0])
            var bookmarks = before
            let result = try change(&bookmarks)
            return (bookmarks == before ? [] : [Self.write(bookmarks)], result)
        }
    }

    static func write(_ bookmarks: [Bookmark]) -> Call {
        OwnerDocument.bookmarks.write { $0.entries(bookmarks) { $0.write(to: &$1) } }
    }

    static func bookmarks(_ rows: Rows) throws -> [Bookmark] {
        try OwnerDocument.bookmarks.list(rows) { try Bookmark(from: &$0) }
    }
}
