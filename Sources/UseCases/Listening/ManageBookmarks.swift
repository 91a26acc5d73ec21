public import Domain
public import Results
import Searching

/// The owner's bookmarks in episodes.
public struct ManageBookmarks: Sendable {
    private let bookmarks: any BookmarkRepository
    private let positions: any PositionRepository
    private let listing: ListEpisodes
    private let undo: any UndoRepository

    public init(_ library: Repositories, listing: ListEpisodes) {
        bookmarks = library.bookmarks
        positions = library.positions
        undo = library.undo
        self.listing = listing
    }

    /// The bookmarks of an episode, by time.
    public func callAsFunction(of episode: EpisodeID) async throws -> [Bookmark] {
        try await bookmarks.bookmarks().filter { $0.episodeID == episode }
    }

    public func byEpisode() async throws -> [EpisodeID: [Bookmark]] {
        Dictionary(grouping: try await bookmarks.bookmarks(), by: \.episodeID)
    }

    /// Those of stored episodes, the latest one first.
    ///
    /// - Parameter isWanted: only those of these episodes.
    public func list(where isWanted: (EpisodeID) -> Bool = { _ in true }) async throws -> [MarkedEpisode] {
        let bookmarks = try await bookmarks.bookmarks().filter { isWanted($0.episodeID) }
        let listed = try await listing.listed(Array(Set(bookmarks.map(\.episodeID))))
        let byID = Dictionary(listed.map { ($0.episode.id, $0) }) { first, _ in first }
        return bookmarks.sorted { ($1.at, $0.episodeID, $0.seconds) < ($0.at, $1.episodeID, $1.seconds) }
            .compactMap { bookmark in byID[bookmark.episodeID].map { MarkedEpisode($0, bookmark) } }
    }

    /// Sets a bookmark, in place of another at that second.
    ///
    /// - Returns: the other one; nil if there was none.
    @discardableResult
    public func set(_ bookmark: Bookmark, now: Timestamp) async throws -> Bookmark? {
        try await undo.changeOwned(of: [], undoable: UndoMark(.mark, at: now)) { state in
            let replaced = state.bookmarks.first { $0.episodeID == bookmark.episodeID && $0.seconds == bookmark.seconds }
            state.bookmarks.set(bookmark)
            return replaced
        }
    }

    /// - Parameter seconds: the place; nil for all bookmarks of the episode.
    /// - Returns: those that were removed.
    public func remove(of episode: EpisodeID, at seconds: Int?, now: Timestamp) async throws -> [Bookmark] {
        try await undo.changeOwned(of: [], undoable: UndoMark(.mark, at: now)) { state in
            let gone = state.bookmarks.filter { $0.episodeID == episode && seconds ?? $0.seconds == $0.seconds }
            state.bookmarks.removeAll(where: Set(gone).contains)
            return gone
        }
    }

    /// The episode heard last.
    public func lastHeard() async throws -> ListedEpisode? {
        let latest = try await positions.positions().values.sorted { ($1.at, $0.episodeID) < ($0.at, $1.episodeID) }
        for position in latest {
            if let episode = try await listing.listed([position.episodeID]).first { return episode }
        }
        return nil
    }

    /// Where an episode was stopped, or where it is now while it plays; nil if it was not begun.
    public func place(in listed: ListedEpisode, now: Timestamp) async throws -> Int? {
        guard let position = try await positions.position(of: listed.episode.id), position.isBegun else { return nil }
        return Int(min(position.place(at: now), Double(Bookmark.maxSeconds)))
    }

    /// The episodes with a bookmark whose note has these words.
    static func episodes(noted wanted: NoteWords, in bookmarks: [Bookmark]) -> [EpisodeID] {
        Array(Set(bookmarks.filter { wanted.match($0.note) }.map(\.episodeID))).sorted()
    }
}
