/// The owner's tags. No refresh and no repair changes them, but for `new` on episodes that a refresh saw first.
public protocol TagRepository: Sendable {
    /// Episodes without a tag are left out.
    func tags(of episodes: [EpisodeID]) async throws -> [EpisodeID: Set<Tag>]
    /// For each of the tags the episodes that have it, in id order.
    func episodes(tagged tags: Set<Tag>) async throws -> [Tag: [EpisodeID]]
    /// Every episode that has tags, in id order.
    func taggedEpisodes() async throws -> [TaggedEpisode]
    /// Tags whose episodes are not in the library: restored ones, and those of podcasts that were unsubscribed from.
    func waitingTags() async throws -> [TagLine]
    /// New episodes that no `--on-new` command has taken yet, in id order.
    func pendingEpisodes() async throws -> [EpisodeID]
    /// Changes the tags of all these episodes together or not at all.
    ///
    /// - Parameter now: the time of a step that can be undone; nil for none.
    /// - Returns: the tags before, of those episodes that the edit changed.
    func edit(_ edit: TagEdit, of episodes: [EpisodeID], undoableAt now: Timestamp?) async throws -> [EpisodeID: Set<Tag>]
    /// Makes all these changes together or not at all.
    ///
    /// - Parameter now: the time of a step that can be undone; nil for none.
    func apply(_ changes: TagChanges, undoableAt now: Timestamp?) async throws
}

extension TagRepository {
    public func edit(_ edit: TagEdit, of episodes: [EpisodeID]) async throws -> [EpisodeID: Set<Tag>] {
        try await self.edit(edit, of: episodes, undoableAt: nil)
    }

    public func apply(_ changes: TagChanges) async throws { try await apply(changes, undoableAt: nil) }
}

extension TagRepository {
    /// Notes that an `--on-new` command has taken these episodes.
    public func take(_ pending: [EpisodeID]) async throws {
        var changes = TagChanges()
        changes.taken = Set(pending)
        try await apply(changes)
    }
}

public struct TaggedEpisode: Equatable, Sendable {
    public var id: EpisodeID
    public var tags: Set<Tag>

    public init(id: EpisodeID, tags: Set<Tag>) {
        self.id = id
        self.tags = tags
    }
}

public struct TagChanges: Equatable, Sendable {
    /// The tags that the episodes have from now on; an empty set for none.
    public var tags: [EpisodeID: Set<Tag>] = [:]
    /// Lines that wait from now on, in the place of those with the same podcast and key.
    public var waiting: [TagLine] = []
    /// Lines that wait no longer.
    public var settled: [TagLine] = []
    /// Episodes that wait for an `--on-new` command from now on.
    public var pending: Set<EpisodeID> = []
    /// Episodes that an `--on-new` command has taken.
    public var taken: Set<EpisodeID> = []

    public init() {}

    public var isEmpty: Bool { tags.isEmpty && waiting.isEmpty && settled.isEmpty && pending.isEmpty && taken.isEmpty }
}
