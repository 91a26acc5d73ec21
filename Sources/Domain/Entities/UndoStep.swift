/// The command that a step takes back, and when it ran.
public struct UndoMark: Equatable, Sendable {
    /// As it was typed.
    public enum Command: String, Sendable {
        case subscribe, unsubscribe, tag, seen, edit, play, mark
        case importOPML = "opml import"
        case importFile = "import"
        case queueAdd = "queue add"
        case queueRemove = "queue remove"
        case queueMove = "queue move"
        case queueNext = "queue next --done"
        case queueClear = "queue clear"
        case configSet = "config set"
        /// These cannot be taken back, which is said if they were last.
        case refresh
        case downloadsRemove = "downloads remove"

        public var isFinal: Bool { self == .refresh || self == .downloadsRemove }
    }

    public var command: Command
    public var at: Timestamp

    public init(_ command: Command, at: Timestamp) { (self.command, self.at) = (command, at) }
}

/// What one command changed.
public struct UndoStep: Equatable, Sendable {
    public var mark: UndoMark
    /// Podcasts that were removed, as they were.
    public var removed: [Podcast] = []
    /// Podcasts that were added.
    public var added: [PodcastID] = []
    public var edited: [EditedPodcast] = []
    public var tags = TagReversal()
    public var queue = QueueReversal()
    public var positions: [PositionReversal] = []
    public var bookmarks = BookmarkReversal()
    public var setting: SettingReversal?
    /// Those of the removed or added podcasts whose episodes stay without them.
    public var keepingEpisodes: Set<PodcastID> = []
    /// True if the command was taken back, and the step does it again.
    public var isRedo = false

    public init(_ mark: UndoMark) { self.mark = mark }

    public init(_ command: UndoMark.Command, at: Timestamp) { mark = UndoMark(command, at: at) }

    /// Seconds.
    public static let lifetime: Int64 = 30 * 86_400
    public static let limit = 100

    public var isEmpty: Bool {
        removed.isEmpty && added.isEmpty && edited.isEmpty && tags.isEmpty && queue.isEmpty && positions.isEmpty
            && bookmarks.isEmpty && setting == nil && !mark.command.isFinal
    }
}

extension UndoStep {
    /// The step of a command that changed the owner's data.
    public init(_ mark: UndoMark, from before: OwnedState, to after: OwnedState) {
        self.init(mark)
        tags = TagReversal(from: before, to: after)
        queue = QueueReversal(from: before.queue, to: after.queue)
        for id in Set(before.positions.keys).union(after.positions.keys).sorted()
        where before.positions[id] != after.positions[id] {
            positions.append(PositionReversal(episode: id, before: before.positions[id], after: after.positions[id]))
        }
        bookmarks = BookmarkReversal(from: before.bookmarks, to: after.bookmarks)
    }

    /// The episodes whose tags the step changes.
    public var taggedEpisodes: [EpisodeID] { tags.changes.values.flatMap { $0 } }

    /// The episodes whose tags or positions the step changes.
    public var episodes: [EpisodeID] { Array(Set(taggedEpisodes).union(positions.map(\.episode))).sorted() }

    /// Takes the command back, as far as it changed tags, queue, positions and bookmarks. What was changed since stays. Applied
    /// twice, it does nothing the second time.
    public func revert(_ state: inout OwnedState) {
        tags.revert(&state)
        queue.revert(&state.queue)
        for position in positions { position.revert(&state.positions) }
        bookmarks.revert(&state.bookmarks)
    }
}

/// The owner's data that changes as one.
public struct OwnedState: Equatable, Sendable {
    /// Of the episodes that were asked for; those without tags are left out.
    public var tags: [EpisodeID: Set<Tag>]
    /// Lines that wait for their episodes.
    public var waiting: [TagLine]
    public var queue: [QueueEntry]
    /// Of the episodes that were asked for, as far as they have one.
    public var positions: [EpisodeID: PlayPosition]
    /// By episode, then by time.
    public var bookmarks: [Bookmark]

    public init(
        tags: [EpisodeID: Set<Tag>], waiting: [TagLine], queue: [QueueEntry], positions: [EpisodeID: PlayPosition],
        bookmarks: [Bookmark]
    ) {
        (self.tags, self.waiting, self.queue, self.positions) = (tags, waiting, queue, positions)
        self.bookmarks = bookmarks
    }

    /// The changes of tags that lead from another state to this one.
    public func tagChanges(since before: OwnedState) -> TagChanges {
        var changes = TagChanges()
        for id in Set(tags.keys).union(before.tags.keys) where tags[id] ?? [] != before.tags[id] ?? [] {
            changes.tags[id] = tags[id] ?? []
        }
        guard waiting != before.waiting else { return changes }
        let (now, earlier) = (Set(waiting), Set(before.waiting))
        changes.waiting = waiting.filter { !earlier.contains($0) }
        changes.settled = before.waiting.filter { !now.contains($0) }
        return changes
    }

    /// Edits the tags of these episodes.
    public mutating func tag(_ episodes: some Sequence<EpisodeID>, _ edit: TagEdit) {
        for id in episodes {
            let edited = edit.applied(to: tags[id] ?? [])
            tags[id] = edited.isEmpty ? nil : edited
        }
    }
}
