public import Domain

/// Adds and removes the owner's tags.
public struct TagEpisodes: Sendable {
    private let tags: any TagRepository
    private let undo: any UndoRepository

    public init(_ library: Repositories) { (tags, undo) = (library.tags, library.undo) }

    /// - Parameters:
    ///   - now: the time of a step that can be undone; nil for none.
    ///   - command: what the step is called.
    /// - Returns: the number of episodes, including those that needed no change.
    @discardableResult
    public func callAsFunction(
        _ edit: TagEdit, _ episodes: [EpisodeID], undoableAt now: Timestamp? = nil, as command: UndoMark.Command = .tag
    ) async throws -> Int {
        let ids = Set(episodes)
        guard !ids.isEmpty, !edit.isEmpty else { return ids.count }
        if let now {
            try await undo.changeOwned(of: Array(ids), undoable: UndoMark(command, at: now)) { $0.tag(ids, edit) }
        } else {
            _ = try await tags.edit(edit, of: Array(ids))
        }
        return ids.count
    }

    /// Removes `new` from these episodes; from all if nil.
    ///
    /// - Parameter now: the time of the step that can be undone.
    /// - Returns: how many were new.
    public func markSeen(_ episodes: [EpisodeID]?, undoableAt now: Timestamp) async throws -> Int {
        let new = try await tags.episodes(tagged: [.new])[.new] ?? []
        let chosen = episodes.map(Set.init)
        return try await self(TagEdit(removing: [.new]), new.filter { chosen?.contains($0) ?? true }, undoableAt: now, as: .seen)
    }

    /// Removes `new` from the episodes of a podcast.
    ///
    /// - Returns: how many were new.
    public func markSeen(of podcast: PodcastID, undoableAt now: Timestamp) async throws -> Int {
        let new = try await tags.episodes(tagged: [.new])[.new] ?? []
        return try await markSeen(new.filter { $0.podcastID == podcast }, undoableAt: now)
    }

    /// Every tag in use with the number of its episodes, in alphabetical order.
    public func counts() async throws -> [(tag: Tag, episodes: Int)] {
        var counts: [Tag: Int] = [:]
        for episode in try await tags.taggedEpisodes() { for tag in episode.tags { counts[tag, default: 0] += 1 } }
        return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
