/// A place in an episode that the owner marked.
public struct Bookmark: Hashable, Sendable {
    public var episodeID: EpisodeID
    /// Whole seconds into the episode. An episode has at most one bookmark at each.
    public var seconds: Int
    /// Empty if the owner wrote none.
    public var note: String
    /// When it was set.
    public var at: Timestamp

    /// Seconds; as long as a time that can be typed, see `PlayTime`.
    public static let maxSeconds = 604_800
    /// Characters of a note.
    public static let maxNote = 2_000

    public init(episodeID: EpisodeID, seconds: Int, note: String, at: Timestamp) {
        (self.episodeID, self.seconds, self.note, self.at) = (episodeID, seconds, note, at)
    }
}

extension [Bookmark] {
    /// By episode, then by time.
    public func inOrder() -> [Bookmark] { sorted { ($0.episodeID, $0.seconds) < ($1.episodeID, $1.seconds) } }

    /// Sets a bookmark, in place of another at that second.
    public mutating func set(_ bookmark: Bookmark) {
        removeAll { $0.isAtPlace(of: bookmark) }
        append(bookmark)
        self = inOrder()
    }
}

extension Bookmark {
    fileprivate func isAtPlace(of other: Bookmark) -> Bool { episodeID == other.episodeID && seconds == other.seconds }
}

/// A change of bookmarks.
public struct BookmarkReversal: Equatable, Sendable {
    public var removed: [Bookmark] = []
    public var added: [Bookmark] = []

    public init() {}

    init(from before: [Bookmark], to after: [Bookmark]) {
        guard before != after else { return }
        let (earlier, now) = (Set(before), Set(after))
        removed = before.filter { !now.contains($0) }
        added = after.filter { !earlier.contains($0) }
    }

    public var isEmpty: Bool { removed.isEmpty && added.isEmpty }

    /// What was set at a place since stays.
    func revert(_ bookmarks: inout [Bookmark]) {
        guard !isEmpty else { return }
        let gone = Set(added)
        bookmarks.removeAll(where: gone.contains)
        for former in removed where !bookmarks.contains(where: former.isAtPlace) { bookmarks.append(former) }
        bookmarks = bookmarks.inOrder()
    }
}
