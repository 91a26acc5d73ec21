public import Domain

/// Stores playing positions from any device; the latest one wins.
public struct PlaybackPositions: Sendable {
    private let positions: any PositionRepository
    private let undo: any UndoRepository

    public init(_ library: Repositories) {
        positions = library.positions
        undo = library.undo
    }

    /// nil if the episode was not begun, or was finished.
    public func callAsFunction(of episode: EpisodeID) async throws -> PlayPosition? {
        try await stored(episode).flatMap { $0.isBegun ? $0 : nil }
    }

    /// The positions of the episodes that were begun and not finished.
    public func all() async throws -> [EpisodeID: PlayPosition] {
        try await positions.positions().filter { $0.value.isBegun }
    }

    /// What is stored about an episode, begun or not.
    func stored(_ episode: EpisodeID) async throws -> PlayPosition? { try await positions.position(of: episode) }

    func restore(_ position: PlayPosition?, of episode: EpisodeID) async throws {
        try await positions.updatePositions(of: [episode]) { $0[episode] = position }
    }

    /// Unfinished episodes, most recently heard first.
    public func begun(limit: Int) async throws -> [PlayPosition] {
        let all = try await all().values
        return Array(all.sorted { ($1.at, $0.episodeID) < ($0.at, $1.episodeID) }.prefix(limit))
    }

    /// - Parameters:
    ///   - heard: seconds of the episode that were heard since the stored position; nil to tell by the positions.
    ///   - now: a stored position from after this time, written by a clock that was fast, does not hide the new one.
    /// - Returns: false if the stored position is later and was therefore kept.
    @discardableResult
    public func save(_ position: PlayPosition, heard: Double? = nil, now: Timestamp? = nil) async throws -> Bool {
        try await positions.updatePositions(of: [position.episodeID]) { stored in
            let earlier = stored[position.episodeID]
            if let earlier, min(earlier.at, now ?? earlier.at) > position.at { return false }
            let following = position.following(earlier, heard: heard)
            stored[position.episodeID] = following.isEmpty ? nil : following
            return true
        }
    }

    /// Marks an episode that was heard to the end: played, no longer new, off the queue, and back at its beginning.
    public func finish(_ episode: EpisodeID, now: Timestamp) async throws { try await finish([episode], now: now) }

    /// Marks several at once, in one step that can be undone.
    public func finish(_ episodes: [EpisodeID], now: Timestamp) async throws {
        try await undo.changeOwned(of: episodes, undoable: UndoMark(.play, at: now)) { state in
            for episode in episodes {
                let seconds = state.positions[episode]?.seconds ?? 0
                state.finish(PlayPosition(episodeID: episode, seconds: seconds, at: now), heard: nil)
            }
        }
    }

    /// Stores where a playing ended, and leaves the step that takes it back. If nothing was heard, nothing changes.
    ///
    /// - Parameter before: what was stored when it began.
    func end(_ position: PlayPosition, heard: Double, isPlayed: Bool, since before: PlayPosition?) async throws {
        let id = position.episodeID
        try await undo.changeOwned(of: [id], settling: nil) { state in
            var start = state
            start.positions[id] = before
            if isPlayed {
                state.finish(position, heard: heard)
            } else {
                let following = position.following(state.positions[id], heard: heard)
                let isHeard = following.differs(from: before)
                state.positions[id] = !isHeard ? before : following.isEmpty ? nil : following
            }
            return ((), UndoStep(UndoMark(.play, at: position.at), from: start, to: state))
        }
    }
}

extension OwnedState {
    /// - Parameter position: where the player was.
    fileprivate mutating func finish(_ position: PlayPosition, heard: Double?) {
        let id = position.episodeID
        tag([id], TagEdit(adding: [.played]))
        queue.removeAll { $0.episodeID == id }
        var finished = position.following(positions[id], heard: heard)
        (finished.seconds, finished.speed, finished.playedAt) = (0, nil, position.at)
        positions[id] = finished
    }
}
