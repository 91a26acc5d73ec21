/// Reads episodes and channels. They are written through `PodcastRepository.add` and `WorkSource.settle`, always together
/// with their podcast's record.
public protocol EpisodeRepository: Sendable {
    /// The stored state to compare a feed with. Empty if nothing is stored yet.
    ///
    /// - Parameter items: those of the feed, of which most are stored.
    func stored(of podcast: PodcastID, knowing items: KnownItems) async throws -> StoredPodcast
    /// The feed's description of its podcast; nil if nothing is stored. Does not check the episodes.
    func channel(of podcast: PodcastID) async throws -> Channel?
    /// All episodes of a podcast, in the order in which they are stored.
    func episodes(of podcast: PodcastID) async throws -> [Episode]
    /// The episodes of a podcast that changed, or whose transcripts did, after its content had this revision; nil if only
    /// reading all of them tells.
    func episodes(of podcast: PodcastID, changedAfter contentRevision: Int) async throws -> [Episode]?
    /// The episodes with these ids, in that order. Ids without an episode are left out.
    func episodes(_ ids: [EpisodeID]) async throws -> [Episode]
    /// At most `limit` episodes of these podcasts whose own part of the id begins with `prefix`.
    func episodes(of podcasts: [PodcastID], withOwnIDPrefix prefix: String, limit: Int) async throws -> [Episode]
    /// The number of characters of their own part that makes each of these ids unique within its podcast, for those
    /// that need more than `ShortIDs.minLength`.
    func lengths(of ids: [EpisodeID]) async throws -> [EpisodeID: Int]
    /// At most `limit` podcasts that were unsubscribed with their episodes kept, rebuilt from those episodes, in id
    /// order.
    func unsubscribed(withIDPrefix prefix: String, limit: Int) async throws -> [Podcast]
}

extension EpisodeRepository {
    public func stored(of podcast: PodcastID) async throws -> StoredPodcast {
        try await stored(of: podcast, knowing: KnownItems())
    }
}

/// The part of a stored podcast that a comparison needs.
public struct StoredPodcast: Sendable {
    public var channel: Channel
    public var episodes: [StoredEpisode]
    /// Counts the changes of the episodes and the channel; 0 before the first.
    public var revision: Int

    public init(channel: Channel = Channel(), episodes: [StoredEpisode] = [], revision: Int = 0) {
        self.channel = channel
        self.episodes = episodes
        self.revision = revision
    }
}

/// A difference between a feed and what is stored, ready to be written.
public struct PodcastChanges: Sendable {
    public var podcastID: PodcastID
    /// `Podcast.episodesRevision` after the change.
    public var revision: Int
    /// nil if the channel did not change.
    public var channel: Channel?
    /// New episodes, in the order in which the feed lists them.
    public var added: [Episode]
    /// Episodes that replace the one with the same id: changed, withdrawn or returned.
    public var replaced: [Episode]
    /// Those of `added` that get the tag `new`.
    public var new: [EpisodeID] = []
    /// True if `new` waits for a hook: see `TagRepository.pendingEpisodes`.
    public var isPending = false

    public init(podcastID: PodcastID, revision: Int, channel: Channel?, added: [Episode], replaced: [Episode]) {
        self.podcastID = podcastID
        self.revision = revision
        self.channel = channel
        self.added = added
        self.replaced = replaced
    }
}
