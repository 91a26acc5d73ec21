/// The subscriptions. Reading needs no lock and never waits for a writer.
public protocol PodcastRepository: Sendable {
    /// All subscriptions, in the order of their ids.
    func podcasts() async throws -> [Podcast]
    /// Adds or replaces; durable when it returns. Validators must not be saved before the episodes they vouch for.
    func save(_ podcasts: [Podcast]) async throws
    /// - Parameter keepingEpisodes: their episodes were put apart before. Without it the episodes are to go next; where
    ///   that is interrupted, the next writer sees to it.
    func remove(_ ids: [PodcastID], keepingEpisodes: Bool) async throws
    /// Facts of the library as a whole: the last refresh, and hosts that asked for a pause.
    func ledger() async throws -> RefreshLedger
    func save(_ ledger: RefreshLedger) async throws
}

/// The episodes and the channel of each podcast: one file a podcast.
public protocol EpisodeRepository: Sendable {
    /// What is needed to compare a feed with what is kept. Empty where nothing is kept yet.
    func kept(of podcast: PodcastID) async throws -> KeptPodcast
    /// What the feed says of its podcast; nil where nothing is kept of it. Checks no episode.
    func channel(of podcast: PodcastID) async throws -> Channel?
    /// All episodes of a podcast, in the order in which they are kept.
    func episodes(of podcast: PodcastID) async throws -> [Episode]
    /// The episodes with these ids, in that order; those that are not kept are left out.
    func episodes(_ ids: [EpisodeID]) async throws -> [Episode]
    /// Podcasts that are no longer subscribed and whose episodes were kept, as far as the episodes tell.
    func unsubscribed() async throws -> [Podcast]
    /// Writes many podcasts' changes and makes them durable together. Rewrites only the files named.
    func apply(_ changes: [PodcastChanges]) async throws
    /// Removes the podcasts' files; with `keepingEpisodes` they stay readable, now apart from the subscriptions' files.
    func remove(_ ids: [PodcastID], keepingEpisodes: Bool) async throws
}

/// What is kept of one podcast, as far as a comparison needs it.
public struct KeptPodcast: Sendable {
    public var channel: Channel
    public var episodes: [KeptEpisode]
    /// The revision of the file; 0 where there is none.
    public var revision: Int

    public init(channel: Channel = Channel(), episodes: [KeptEpisode] = [], revision: Int = 0) {
        self.channel = channel
        self.episodes = episodes
        self.revision = revision
    }
}

/// What a refresh found for one podcast, ready to be written.
public struct PodcastChanges: Sendable {
    public var podcastID: PodcastID
    /// The revision the file gets.
    public var revision: Int
    /// Nil where the channel is as it was.
    public var channel: Channel?
    /// Episodes that are new, in the order in which the feed lists them.
    public var added: [Episode]
    /// Episodes that replace the one with the same id: changed, withdrawn or returned.
    public var replaced: [Episode]

    public init(podcastID: PodcastID, revision: Int, channel: Channel?, added: [Episode], replaced: [Episode]) {
        self.podcastID = podcastID
        self.revision = revision
        self.channel = channel
        self.added = added
        self.replaced = replaced
    }
}

/// The play queue.
public protocol QueueRepository: Sendable {
    func entries() async throws -> [QueueEntry]
    /// Replaces the queue by what `change` makes of it; durable when it returns.
    func update<T: Sendable>(_ change: @Sendable (inout [QueueEntry]) throws -> T) async throws -> T
}

/// What outlives a run besides the podcasts themselves.
public struct RefreshLedger: Hashable, Sendable {
    /// When the last refresh began: episodes first seen since then are new.
    public var lastRefreshAt: Timestamp?
    public var lastRefreshEndedAt: Timestamp?
    /// Hosts (scheme, name and port) that sent Retry-After, and until when.
    public var hostPauses: [String: Timestamp] = [:]

    public init() {}
}

/// Why the library could not be read or written. Presentation words it; paths are relative to the library.
public enum LibraryFailure: Error, Hashable, Sendable {
    /// The data is bad: which file, which line, and what is wrong with it.
    case damaged(file: String, line: Int?, reason: String)
    /// Written by a newer version of the program.
    case newerVersion(file: String, version: Int)
    /// A system call failed.
    case io(file: String, operation: String, errno: Int32)
    /// Another process is writing.
    case locked(holder: Int?)
}
