/// Hands out podcasts that are due, and takes the results.
///
/// ```
/// begin ─▶ claim ─▶ (fetch) ─▶ settle ─▶ claim ─▶ … ─▶ release
/// ```
/// Claimed podcasts belong to the run that claimed them until it settles or releases them, or until its lease expires.
/// For a folder one lease covers all podcasts, so a second run waits a little and then throws `LibraryFailure.locked`.
/// In a database a lease covers some slots of a host, and several runs share the work. Between these calls nothing is
/// locked: other writers add, edit and remove podcasts, and `settle` tells what they did.
public protocol WorkSource: Sendable {
    /// False if no other writer has changed podcasts since the run began. Nearly free, and never waits.
    var mayHaveChanged: Bool { get }
    /// Begins a run.
    ///
    /// - Throws: `LibraryFailure.locked` if another run has the lease and does not end soon.
    func begin(_ request: WorkRequest, now: Timestamp) async throws -> WorkRun
    /// Podcasts that the run will not fetch, in id order.
    ///
    /// - Parameter last: the last one of the page before; nil for the first page.
    func skipped(_ lease: WorkLease, after last: PodcastID?, limit: Int) async throws -> [SkippedPodcast]
    /// At most `limit` podcasts that are due, with their current records. Hosts take turns. Empty if nothing is left.
    ///
    /// - Throws: `LeaseExpired` if the lease was lost. So do `renew` and `settle`.
    func claim(_ lease: WorkLease, limit: Int, now: Timestamp) async throws -> [Podcast]
    /// The lanes under which podcasts were claimed; a podcast without one may use all of its host's requests.
    func lanes(of podcasts: [PodcastID], _ lease: WorkLease) async throws -> [PodcastID: WorkLane]
    /// True while some claimed podcasts are not settled; more may be claimable once they are.
    func hasUnsettled(_ lease: WorkLease) async throws -> Bool
    /// The claimed podcasts whose lease still holds, so that their servers may be asked.
    func stillLeased(_ podcasts: [PodcastID], _ lease: WorkLease) async throws -> Set<PodcastID>
    /// Shares the pauses that this run heard from hosts with other runs.
    ///
    /// - Returns: the pauses of hosts that this run and others are working on.
    func exchange(pauses: [String: Timestamp], _ lease: WorkLease) async throws -> [String: Timestamp]
    /// What the run leaves undone, once nothing more can be claimed; nil if `begin` already said so.
    func remainder(_ lease: WorkLease) async throws -> WorkRemainder?
    /// Extends the lease of a run that waits for slow servers.
    func renew(_ lease: WorkLease, now: Timestamp) async throws
    /// Stores results. A podcast's changes and its record, whose validators vouch for them, are stored together or not
    /// at all. Many results in one call share one write.
    ///
    /// - Returns: one result for each, in order: `lost` with the current record if the podcast was edited since it was
    ///   claimed, `lost` without one if it was removed, `expired` if another run has claimed it meanwhile.
    func settle(_ settlements: [Settlement], _ lease: WorkLease) async throws -> [WriteResult]
    /// Gives back claimed podcasts that have nothing to store, with the end of the pause their server asked for, if
    /// any.
    func giveBack(_ podcasts: [PodcastID: Timestamp?], _ lease: WorkLease) async throws
    /// Ends the run. Its unsettled podcasts can be claimed by others.
    ///
    /// - Parameter times: stored as `lastRefresh` if the run fetched anything.
    func release(_ lease: WorkLease, times: RefreshTimes?) async throws
    /// The times of the last refresh that fetched anything.
    func lastRefresh() async throws -> RefreshTimes
    /// Ends a worker that keeps running.
    func signOff() async throws
    /// The workers active now; nil if there can be only one.
    func activity() async throws -> WorkActivity?

    // MARK: Hosts

    /// The hosts whose pause ends after `now`, with its end.
    func pauses(now: Timestamp) async throws -> [String: Timestamp]
    /// The stored rows of these hosts (`Podcast.hostKey`); hosts without a row are left out.
    func hosts(_ keys: [String]) async throws -> [String: HostState]
    /// Stores rows, replacing those with the same key. An empty row is removed.
    func store(_ hosts: [String: HostState]) async throws
}

/// Defaults for a source that allows one run at a time.
extension WorkSource {
    public func lanes(of podcasts: [PodcastID], _ lease: WorkLease) -> [PodcastID: WorkLane] { [:] }
    public func hasUnsettled(_ lease: WorkLease) -> Bool { false }
    public func stillLeased(_ podcasts: [PodcastID], _ lease: WorkLease) -> Set<PodcastID> { Set(podcasts) }
    public func exchange(pauses: [String: Timestamp], _ lease: WorkLease) -> [String: Timestamp] { [:] }
    public func remainder(_ lease: WorkLease) -> WorkRemainder? { nil }
    public func signOff() {}
    public func activity() -> WorkActivity? { nil }
}

/// The scope of a run.
public struct WorkRequest: Equatable, Sendable {
    /// Only these podcasts; nil for all.
    public var podcasts: Set<PodcastID>?
    public var mode = RefreshOptions.Mode.due
    /// Simultaneous requests to a host, from all runs together.
    public var perHost: Int
    /// True if the run belongs to a worker that keeps running, which waits for an unreachable database indefinitely.
    public var keepsRunning = false

    public init(podcasts: Set<PodcastID>? = nil, mode: RefreshOptions.Mode = .due, perHost: Int = 2) {
        self.podcasts = podcasts
        self.mode = mode
        self.perHost = max(1, perHost)
    }
}

/// What a run leaves undone.
public struct WorkRemainder: Equatable, Sendable {
    /// Podcasts that other runs are fetching.
    public var leased: Int
    /// Podcasts that are not due.
    public var skipped: Int

    public init(leased: Int, skipped: Int) { (self.leased, self.skipped) = (leased, skipped) }
}

/// The workers of a shared library.
public struct WorkActivity: Sendable {
    public struct Worker: Sendable {
        /// Names its machine and its process.
        public var name: String
        public var startedAt: Timestamp
        /// Its last sign of life.
        public var seenAt: Timestamp

        public init(name: String, startedAt: Timestamp, seenAt: Timestamp) {
            (self.name, self.startedAt, self.seenAt) = (name, startedAt, seenAt)
        }
    }

    /// Workers with a recent sign of life, oldest first.
    public var workers: [Worker]
    /// Lanes that are leased now.
    public var leases: Int

    public init(workers: [Worker], leases: Int) { (self.workers, self.leases) = (workers, leases) }
}

/// One run's share of the requests to a host.
public struct WorkLane: Equatable, Sendable {
    /// Unique among the lanes of all hosts.
    public var key: String
    /// Simultaneous requests.
    public var slots: Int
    /// Slots of all lanes of this host that the run has.
    public var hostSlots: Int

    public init(key: String, slots: Int, hostSlots: Int) {
        (self.key, self.slots, self.hostSlots) = (key, slots, hostSlots)
    }
}

/// A right to work. The token distinguishes it from later leases.
public struct WorkLease: Equatable, Sendable {
    public let token: UInt64

    public init(token: UInt64) { self.token = token }
}

/// The lease expired, and another run has taken over.
public struct LeaseExpired: Error, Equatable, Sendable {
    public init() {}
}

/// A run that has begun.
public struct WorkRun: Sendable {
    public var lease: WorkLease
    /// How many podcasts are due and can be claimed; nil if not counted because other runs share the work.
    public var due: Int?
    /// How many podcasts the run will not fetch; nil if `WorkSource.remainder` says so.
    public var skipped: Int?
    /// The latest time at which any podcast got an episode.
    public var lastAddedAt: Timestamp?
    /// The pauses of hosts, with their ends, as far as claims do not bring them.
    public var pauses: [String: Timestamp]
    /// False if no podcast has transcripts or chapters turned on. True if unknown.
    public var wantsTexts: Bool
    public var pace: WorkPace

    public init(
        lease: WorkLease, due: Int?, skipped: Int?, lastAddedAt: Timestamp?, pauses: [String: Timestamp] = [:],
        wantsTexts: Bool = true, pace: WorkPace
    ) {
        self.pauses = pauses
        self.wantsTexts = wantsTexts
        self.pace = pace
        self.lease = lease
        self.due = due
        self.skipped = skipped
        self.lastAddedAt = lastAddedAt
    }
}

/// A podcast that a run does not fetch.
public struct SkippedPodcast: Equatable, Sendable {
    public enum Reason: Sendable {
        /// It is not due, or its server asked for a pause.
        case notYet
        /// Its server answered 410.
        case gone
        /// Its owner paused it.
        case paused
    }

    public var id: PodcastID
    public var feedURL: String
    /// The display title.
    public var title: String
    public var reason: Reason
    /// When it can be fetched; nil after a 410 and if its owner paused it.
    public var until: Timestamp?

    public init(id: PodcastID, feedURL: String, title: String, reason: Reason, until: Timestamp?) {
        self.id = id
        self.feedURL = feedURL
        self.title = title
        self.reason = reason
        self.until = until
    }
}

/// The result of one podcast's fetch.
public struct Settlement: Sendable {
    /// The record to store, with the revision of the record it was made from.
    public var podcast: Podcast
    /// nil if the feed has not changed.
    public var changes: PodcastChanges?

    public init(_ podcast: Podcast, changes: PodcastChanges? = nil) {
        self.podcast = podcast
        self.changes = changes
    }
}

/// Facts about one host (scheme, name and port) that outlive a run.
public struct HostState: Equatable, Sendable {
    /// The end of the pause that the host asked for.
    public var pausedUntil: Timestamp?
    /// Requests that could be sent to the host at once at `measuredAt`; nil if unlimited.
    public var allowance: Double?
    public var measuredAt: Timestamp?
    /// True if the host answered although it had asked for a pause: the stored one is over. Not stored itself.
    public var endsPause = false

    /// What is stored of it.
    package var stored: HostState { HostState(pausedUntil: pausedUntil, allowance: allowance, measuredAt: measuredAt) }

    public init(pausedUntil: Timestamp? = nil, allowance: Double? = nil, measuredAt: Timestamp? = nil) {
        self.pausedUntil = pausedUntil
        self.allowance = allowance
        self.measuredAt = measuredAt
    }
}
