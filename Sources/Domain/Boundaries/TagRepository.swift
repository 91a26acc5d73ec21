/// The owner's tags. Refreshes and repairs leave them alone, except that a refresh sets `new` on episodes it sees
/// first.
public protocol TagRepository: Sendable {
    /// Episodes without a tag are left out.
    func tags(of episodes: [EpisodeID]) async throws -> [EpisodeID: Set<Tag>]
    /// The episodes that have each of these tags, in id order.
    func episodes(tagged tags: Set<Tag>) async throws -> [Tag: [EpisodeID]]
    /// Every episode that has tags, in id order.
    func taggedEpisodes() async throws -> [TaggedEpisode]
    /// Tags whose episodes are not in the library: restored lines, and tags of unsubscribed podcasts.
    func waitingTags() async throws -> [TagLine]
    /// New episodes that no `--on-new` command has taken yet, in id order.
    func pendingEpisodes() async throws -> [EpisodeID]
    /// Edits the tags of all these episodes atomically.
    ///
    /// - Returns: the previous tags of the episodes that changed.
    func edit(_ edit: TagEdit, of episodes: [EpisodeID]) async throws -> [EpisodeID: Set<Tag>]
    /// Applies all these changes atomically.
    func apply(_ changes: TagChanges) async throws
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
    /// The new tags of episodes; an empty set removes all.
    public var tags: [EpisodeID: Set<Tag>] = [:]
    /// Lines that start waiting, replacing those with the same podcast and key.
    public var waiting: [TagLine] = []
    /// Lines that stop waiting.
    public var settled: [TagLine] = []
    /// Episodes that start waiting for an `--on-new` command.
    public var pending: Set<EpisodeID> = []
    /// Episodes that an `--on-new` command has taken.
    public var taken: Set<EpisodeID> = []

    public init() {}

    public var isEmpty: Bool { tags.isEmpty && waiting.isEmpty && settled.isEmpty && pending.isEmpty && taken.isEmpty }
}
