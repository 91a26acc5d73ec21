/// The owner's bookmarks. Like tags, they belong to the owner: no refresh changes them, and they outlive `unsubscribe`.
public protocol BookmarkRepository: Sendable {
    /// By episode, then by time.
    func bookmarks() async throws -> [Bookmark]
    /// Replaces all bookmarks by the result of `change`; no other writer changes them in between.
    func updateBookmarks<Result: Sendable>(
        _ change: @Sendable (inout [Bookmark]) throws -> Result
    ) async throws -> Result
}
