/// The last commands whose changes can be taken back.
public protocol UndoRepository: Sendable {
    /// Makes a step durable. Called before the change itself, so that undoing a step whose change was lost in a crash
    /// does nothing. Deletes steps older than `UndoStep.lifetime`, and those beyond the newest `UndoStep.limit`.
    func record(_ step: UndoStep) async throws

    /// Takes back the last step that changed something, and deletes it. Uses no network.
    ///
    /// - Returns: nil if there is none.
    func undo(now: Timestamp) async throws -> UndoStep?
}

/// What one command changed.
public struct UndoStep: Equatable, Sendable {
    public enum Command: String, Sendable {
        case unsubscribe, tag, edit
        case queueClear = "queue clear"
    }

    public var command: Command
    public var at: Timestamp
    /// Podcasts that were removed, as they were.
    public var removed: [Podcast] = []
    public var edited: [EditedPodcast] = []
    public var tags = TagReversal()
    /// Entries that were taken off the queue, in their order.
    public var queue: [FormerQueueEntry] = []

    public init(_ command: Command, at: Timestamp) {
        self.command = command
        self.at = at
    }

    /// Seconds.
    public static let lifetime: Int64 = 30 * 86_400
    public static let limit = 100

    public var isEmpty: Bool { removed.isEmpty && edited.isEmpty && tags.isEmpty && queue.isEmpty }
}

/// The subscription and the user's settings before and after an edit.
public struct EditedPodcast: Equatable, Sendable {
    public struct State: Equatable, Sendable {
        public var feedURL: String
        public var credentials: Credentials?
        public var settings: PodcastSettings

        public init(_ podcast: Podcast) {
            (feedURL, credentials, settings) = (podcast.feedURL, podcast.credentials, podcast.settings)
        }
    }

    public var id: PodcastID
    public var before: State
    public var after: State

    public init(id: PodcastID, before: State, after: State) {
        (self.id, self.before, self.after) = (id, before, after)
    }

    /// The podcast without the edit. Changes made by a refresh since then stay.
    ///
    /// - Parameter isTaken: true if another podcast has the earlier URL.
    public func reverted(_ podcast: Podcast, isTaken: Bool) -> Podcast {
        var podcast = podcast
        if podcast.settings != before.settings {
            podcast.settings = before.settings
            Schedule.heedBounds(&podcast)
        }
        let movesBack = before.feedURL != after.feedURL && podcast.feedURL == after.feedURL && !isTaken
        if movesBack {
            if podcast.fetch.moves.first?.from == before.feedURL { podcast.fetch.moves.removeFirst() }
            podcast.moveTo(feedURL: before.feedURL, credentials: before.credentials)
        } else if before.credentials != after.credentials {
            podcast.sign(with: before.credentials)
        }
        return podcast
    }
}

/// An entry of the play queue and its former index, counted from 0.
public struct FormerQueueEntry: Equatable, Sendable {
    public var index: Int
    public var entry: QueueEntry

    public init(index: Int, entry: QueueEntry) { (self.index, self.entry) = (index, entry) }

    /// Puts entries back. Those that are queued again stay where they are.
    public static func putBack(_ formerEntries: [FormerQueueEntry], into entries: inout [QueueEntry]) {
        let queued = Set(entries.map(\.episodeID))
        for former in formerEntries where !queued.contains(former.entry.episodeID) {
            entries.insert(former.entry, at: min(former.index, entries.count))
        }
    }
}

/// Changes of tags, each with the episodes whose tags changed that way.
public struct TagReversal: Equatable, Sendable {
    public struct Change: Hashable, Sendable {
        public var added: Set<Tag>
        public var removed: Set<Tag>

        public init(added: Set<Tag>, removed: Set<Tag>) { (self.added, self.removed) = (added, removed) }
    }

    public var changes: [Change: [EpisodeID]] = [:]
    /// Lines that started waiting.
    public var waiting: [TagLine] = []
    /// Lines that stopped waiting or were replaced.
    public var settled: [TagLine] = []

    public init() {}

    /// - Parameters:
    ///   - tags: those of the changed episodes before the change.
    ///   - waiting: the lines that waited before it.
    public init(of changes: TagChanges, tags: [EpisodeID: Set<Tag>], waiting: [TagLine]) {
        for (id, after) in changes.tags {
            let before = tags[id] ?? []
            guard before != after else { continue }
            let change = Change(added: after.subtracting(before), removed: before.subtracting(after))
            self.changes[change, default: []].append(id)
        }
        self.changes = self.changes.mapValues { $0.sorted() }
        guard !changes.waiting.isEmpty || !changes.settled.isEmpty else { return }
        let earlier = Set(waiting)
        self.waiting = changes.waiting.filter { !earlier.contains($0) }
        let names = Set((changes.waiting + changes.settled).map(Name.init))
        settled = waiting.filter { names.contains(Name($0)) && !changes.waiting.contains($0) }
    }

    private struct Name: Hashable {
        var feedURL: String
        var key: String

        init(_ line: TagLine) { (feedURL, key) = (line.feedURL, line.key) }
    }

    public var isEmpty: Bool { changes.isEmpty && waiting.isEmpty && settled.isEmpty }

    /// The changes that undo this one.
    ///
    /// - Parameters:
    ///   - tags: the tags of an episode as they are now.
    ///   - waitingNow: the lines that wait now.
    public func reverting(tags: (EpisodeID) -> Set<Tag>, waiting waitingNow: [TagLine]) -> TagChanges {
        var result = TagChanges()
        for (change, episodes) in changes {
            for id in episodes {
                let now = tags(id)
                let reverted = now.subtracting(change.added).union(change.removed)
                if reverted != now { result.tags[id] = reverted }
            }
        }
        let now = Set(waitingNow)
        result.settled = waiting.filter(now.contains)
        result.waiting = settled.filter { !now.contains($0) }
        return result
    }
}
