public import Domain
import JSON
import Records

extension Database: BookmarkRepository {
    public func bookmarks() async throws -> [Bookmark] {
        try Self.bookmarks(try await session.read([Transaction([Document.bookmarks.read])])[0])
    }

    public func updateBookmarks<Result: Sendable>(
        _ change: @Sendable (inout [Bookmark]) throws -> Result
    ) async throws -> Result {
        try await changeOwner(reading: [Document.bookmarks.read]) { rows in
            let before = try Self.bookmarks(rows[0])
            var bookmarks = before
            let result = try change(&bookmarks)
            return (bookmarks == before ? [] : [Self.write(bookmarks)], result)
        }
    }

    static func write(_ bookmarks: [Bookmark]) -> Call {
        Document.bookmarks.write { $0.entries(bookmarks) { $0.write(to: &$1) } }
    }

    static func bookmarks(_ rows: Rows) throws -> [Bookmark] {
        try Document.bookmarks.list(rows) { try Bookmark(from: &$0) }
    }
}
