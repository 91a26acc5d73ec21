/// Records what a refresh depends on besides its servers' answers: times, order, and which fetches shared an answer.
///
/// Together with what passed its `Wire`, that is the complete input of a run. Calls may come from any thread.
public protocol RunJournal: Sendable {
    func began(_ start: RunStart)
    /// A fetch used the answer of another one.
    func shared(_ visit: UInt64, answerOf owner: UInt64)
    func replied(_ reply: RunReply)
    /// A batch of results is about to be made durable, in this order.
    func committing(_ batch: RunBatch)
    func committed()
    /// No batch follows. Results that were held back, in case this machine is offline, are about to be made durable.
    func finishing(reachedAnyone: Bool)
    func ended(_ end: RunEnd)
    /// A step after the last batch is about to be made durable.
    func noted(_ step: RunStep)
}

/// A run before its first request.
public struct RunStart: Sendable {
    public var now: Timestamp
    /// Episodes first seen since then are new.
    public var startedAt: Timestamp
    /// The user's options. Concurrency does not affect the result.
    public var options: RefreshOptions

    public init(now: Timestamp, startedAt: Timestamp, options: RefreshOptions) {
        self.now = now
        self.startedAt = startedAt
        self.options = options
    }
}

/// How one job ended, and at which times.
public struct RunReply: Sendable {
    public enum Kind: Sendable {
        /// Its servers were asked; the recorded exchanges have the answer.
        case asked
        /// Not asked: the host asked for a pause.
        case paused(until: Timestamp)
        /// Not asked: other jobs found the host unreachable.
        case unreachable(FetchFailure)
        /// Not asked: the podcasts were removed, moved or paused meanwhile, or could not be read.
        case dropped
    }

    /// The podcasts at one URL; the first stands for all.
    public var podcasts: [PodcastID]
    public var kind: Kind
    public var askedAt: Timestamp
    public var repliedAt: Timestamp

    public init(podcasts: [PodcastID], kind: Kind, askedAt: Timestamp, repliedAt: Timestamp) {
        self.podcasts = podcasts
        self.kind = kind
        self.askedAt = askedAt
        self.repliedAt = repliedAt
    }
}

public struct RunBatch: Sendable {
    public var podcasts: [PodcastID]
    /// False if no server had answered by then: this machine may be offline.
    public var reachedAnyone: Bool

    public init(podcasts: [PodcastID], reachedAnyone: Bool) {
        self.podcasts = podcasts
        self.reachedAnyone = reachedAnyone
    }
}

/// A run whose last batch is durable.
public struct RunEnd: Sendable {
    public var reachedAnyone: Bool
    /// nil if nothing was fetched.
    public var times: RefreshTimes?
    /// The host states for the next run.
    public var hosts: [String: HostState]

    public init(reachedAnyone: Bool, times: RefreshTimes?, hosts: [String: HostState]) {
        self.reachedAnyone = reachedAnyone
        self.times = times
        self.hosts = hosts
    }
}

/// A step of a run after its feeds: transcripts, chapters, older pages, media files.
public enum RunStep: Sendable {
    /// The due transcripts, or chapters, were determined.
    case planned(EpisodeText, at: Timestamp)
    /// A batch of them, in the order in which they are stored.
    case texts([TextReply], reachedAnyone: Bool)
    case textsEnded(reachedAnyone: Bool, hosts: [String: HostState])
    /// Reading the older pages of a feed begins.
    case archive(PodcastID, maxPages: Int, isForced: Bool)
    /// The time at which the requested page is stored.
    case page(at: Timestamp)
    case archiveEnded(hosts: [String: HostState])
    /// Changed entries of downloaded files.
    case downloads([DownloadEntry])
    case downloadsEnded(hosts: [String: HostState])
}

/// How the request for a transcript, or a file of chapters, ended.
public struct TextReply: Sendable {
    public var episode: EpisodeID
    public var kind: RunReply.Kind
    public var repliedAt: Timestamp

    public init(episode: EpisodeID, kind: RunReply.Kind, repliedAt: Timestamp) {
        self.episode = episode
        self.kind = kind
        self.repliedAt = repliedAt
    }
}

/// A recorded run, as `ReplayEpisodes` reads it.
public protocol RunScript: Sendable {
    var start: RunStart { get }
    /// Fetches whose answers were shared with others.
    var sharedVisits: Set<UInt64> { get }
    /// The fetch whose answer this one shared; nil if it used its own.
    func owner(ofAnswerFor visit: UInt64) -> UInt64?
    /// The number of the next fetch for this subject (`Visit.subject`); 0 if the recording has no more.
    func nextVisit(for subject: String) -> UInt64
    /// The reply that produced this podcast's result.
    func reply(for podcast: PodcastID) -> RunReply?
    /// The replies whose answers this podcast's fetches used.
    func repliesShared(by podcast: PodcastID) -> [RunReply]
    /// The next batch, once everything it depends on has been read; nil at the end.
    func nextBatch() async throws -> RunBatch?
    /// True if the `--on-new` command took the new episodes.
    var hookSucceeded: Bool { get }
    /// False if no server had answered when the last batch was done; nil if the run was killed before.
    var reachedAnyone: Bool? { get }
    /// nil if the recording was cut off, so the run was presumably killed.
    var end: RunEnd? { get }
    /// The next step after the last batch; nil at the end.
    func nextStep() throws -> RunStep?
}
