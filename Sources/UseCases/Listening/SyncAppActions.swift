import Addresses
public import Domain

/// Keeps what was heard here and in podcast apps in step. In a conflict, the later change wins.
public struct SyncAppActions: Sendable {
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let tags: any TagRepository
    private let positions: PlaybackPositions
    private let tag: TagEpisodes
    private let listing: ListEpisodes

    public init(_ library: Repositories) {
        podcasts = library.podcasts
        episodes = library.episodes
        tags = library.tags
        positions = PlaybackPositions(library)
        tag = TagEpisodes(library)
        listing = ListEpisodes(library)
    }

    /// Applies what apps have sent to the tags and positions of the library.
    public func add(_ actions: [EpisodeAction], to state: inout AppState, now: Timestamp) async throws {
        try await note(in: &state, now: now)
        for var action in actions {
            action.action = action.action.lowercased()
            // A device whose clock is fast must not outlast what is heard later on others.
            let at = min(now, action.timestamp.flatMap { ActionTime.parse($0) } ?? now)
            action.timestamp = ActionTime.text(at)
            state.note(action, now: now)
            if let episode = try await episode(of: action) { try await apply(action, to: episode, at: at, in: &state, now: now) }
        }
    }

    private func episode(of action: EpisodeAction) async throws -> EpisodeID? {
        guard let url = FeedURL.parse(action.podcast)?.url, let podcast = try await podcasts.podcast(at: url) else { return nil }
        let stored = try await episodes.episodes(of: podcast.id)
        let match =
            stored.first { $0.item.enclosures.contains { $0.url == action.episode } }
            ?? stored.first { action.guid != nil && $0.item.guid == action.guid }
        return match?.id
    }

    private func apply(
        _ action: EpisodeAction, to episode: EpisodeID, at time: Timestamp, in state: inout AppState, now: Timestamp
    ) async throws {
        switch action.action {
        case "play":
            guard let position = action.position, position >= 0 else { return }
            // A later position from elsewhere stays.
            if let stored = try await positions(of: episode), stored.at > time { return }
            if action.isFinished {
                try await positions.finish(episode, now: now)
                state.played.insert(episode.text)
                state.positions[episode.text] = nil
            } else {
                let duration = action.total.flatMap { $0 > 0 ? Double($0) : nil }
                try await positions.save(
                    PlayPosition(episodeID: episode, seconds: Double(position), duration: duration, at: time))
                state.positions[episode.text] = time.seconds
            }
        case "delete": try await tag(TagEdit(removing: [.new]), [episode])
        case "new":
            try await tag(TagEdit(adding: [.new], removing: [.played]), [episode])
            state.played.remove(episode.text)
        default: break
        }
    }

    /// Turns positions and played episodes that did not come from an app into actions.
    public func note(in state: inout AppState, now: Timestamp) async throws {
        let before = state
        let moved = try await positions.all().values.filter { before.positions[$0.episodeID.text] != $0.at.seconds }
        let played = try await tags.episodes(tagged: [.played])[.played] ?? []
        let finished = played.filter { !before.played.contains($0.text) }
        guard !moved.isEmpty || !finished.isEmpty else { return }
        let listed = try await listing.listed(moved.map(\.episodeID) + finished)
        let byID = Dictionary(listed.map { ($0.episode.id, $0) }, uniquingKeysWith: { first, _ in first })
        for position in moved.sorted(by: { $0.at < $1.at }) {
            state.positions[position.episodeID.text] = position.at.seconds
            guard let episode = byID[position.episodeID] else { continue }
            let total = (position.duration ?? episode.episode.item.duration).map { Int(bounded: $0) }
            let action = EpisodeAction(playing: episode, to: Int(bounded: position.seconds), of: total, at: position.at)
            if let action { state.note(action, now: now) }
        }
        for id in finished {
            state.played.insert(id.text)
            guard let episode = byID[id] else { continue }
            let total = max(1, Int(bounded: episode.episode.item.duration ?? 1))
            if let action = EpisodeAction(playing: episode, to: total, of: total, at: now) { state.note(action, now: now) }
        }
    }
}

extension EpisodeAction {
    /// What was heard without an app; nil if the episode has no media file.
    ///
    /// - Parameters:
    ///   - position: seconds.
    ///   - total: seconds.
    fileprivate init?(playing listed: ListedEpisode, to position: Int, of total: Int?, at time: Timestamp) {
        guard let url = listed.episode.item.chosenEnclosure?.url else { return nil }
        self.init(podcast: listed.podcast.feedURL, episode: url, action: "play")
        (guid, device, timestamp) = (listed.episode.item.guid, "jimmy", ActionTime.text(time))
        (started, self.position, self.total) = (0, position, total)
    }
}
