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
    /// Other runs may work at the same time: a run claims no more than it can begin soon, and renews what it has.
    var isShared: Bool { get }
    /// Whether others may have changed podcasts since the run began. Costs next to nothing, and waits for nobody.
    var mayHaveChanged: Bool { get }
    /// How long a lease may go without `renew`.
    var renewal: Duration { get }
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
    /// The shares of their hosts' requests under which podcasts were claimed; those without one have all of them.
    func lanes(of podcasts: [PodcastID], _ lease: WorkLease) async throws -> [PodcastID: WorkLane]
    /// True while something that was claimed is not settled: more may be claimed when it is.
    func hasUnsettled(_ lease: WorkLease) async throws -> Bool
    /// Those of the claimed podcasts that no other run can have claimed meanwhile, so that their servers may be asked.
    func stillLeased(_ podcasts: [PodcastID], _ lease: WorkLease) async throws -> Set<PodcastID>
    /// Tells other runs what this one heard from hosts, and asks what they heard.
    ///
    /// - Returns: until when hosts want to be left alone that this run works on as well as others.
    func exchange(pauses: [String: Timestamp], _ lease: WorkLease) async throws -> [String: Timestamp]
    /// What the run does not do, when nothing is left that it can claim; nil if `begin` has said it all.
    func remainder(_ lease: WorkLease) async throws -> WorkRemainder?
    /// Keeps the lease of a run that waits for slow servers.
    func renew(_ lease: WorkLease, now: Timestamp) async throws
    /// Reads what `settle` will need, while servers answer; it may be left out.
    func readAhead() async
    /// Stores results: for each podcast the difference and the record with the validators that vouch for it, together or
    /// not at all. Many results in one call share one write.
    ///
    /// - Returns: one result for each, in order. A podcast that was edited since it was claimed is lost, and comes back as
    ///   it is now; one that was removed is lost without a record, and one that another run has claimed meanwhile has expired.
    func settle(_ settlements: [Settlement], _ lease: WorkLease) async throws -> [WriteResult]
    /// Podcasts that were claimed and have nothing to be stored, with the time until which their servers asked to be left
    /// alone, if they did.
    func giveBack(_ podcasts: [PodcastID: Timestamp?], _ lease: WorkLease) async throws
    /// Ends the run. Podcasts that were claimed and not settled can be claimed by others.
    ///
    /// - Parameter times: stored as `lastRefresh` if the run fetched anything.
    func release(_ lease: WorkLease, times: RefreshTimes?) async throws
    /// The times of the last refresh that fetched anything.
    func lastRefresh() async throws -> RefreshTimes
    /// Ends the worker whose runs kept running.
    func signOff() async throws
    /// Who works at the moment; nil if there can be but one.
    func activity() async throws -> WorkActivity?

    // MARK: Hosts

    /// The hosts that asked to be left alone beyond `now`, and until when.
    func pauses(now: Timestamp) async throws -> [String: Timestamp]
    /// What is stored of these hosts (`Podcast.hostKey`); those without a row are left out.
    func hosts(_ keys: [String]) async throws -> [String: HostState]
    /// Stores rows, replacing those with the same key. A row that holds nothing is removed.
    func store(_ hosts: [String: HostState]) async throws
}

/// A source with one run at a time, which has everything.
extension WorkSource {
    public func lanes(of podcasts: [PodcastID], _ lease: WorkLease) -> [PodcastID: WorkLane] { [:] }
    public func hasUnsettled(_ lease: WorkLease) -> Bool { false }
    public func stillLeased(_ podcasts: [PodcastID], _ lease: WorkLease) -> Set<PodcastID> { Set(podcasts) }
    public func exchange(pauses: [String: Timestamp], _ lease: WorkLease) -> [String: Timestamp] { [:] }
    public func remainder(_ lease: WorkLease) -> WorkRemainder? { nil }
    public func readAhead() {}
    public func signOff() {}
    public func activity() -> WorkActivity? { nil }
}

/// What a run asks for.
public struct WorkRequest: Equatable, Sendable {
    /// Only these podcasts; nil for all.
    public var podcasts: Set<PodcastID>?
    public var mode = RefreshOptions.Mode.due
    /// Requests that a host gets at once, from all runs together.
    public var perHost: Int
    /// The run is one of a worker's that keeps running: it waits for a database however long it is away.
    public var keepsRunning = false

    public init(podcasts: Set<PodcastID>? = nil, mode: RefreshOptions.Mode = .due, perHost: Int = 2) {
        self.podcasts = podcasts
        self.mode = mode
        self.perHost = max(1, perHost)
    }
}

/// What a run leaves.
public struct WorkRemainder: Equatable, Sendable {
    /// Podcasts that other runs are fetching.
    public var leased: Int
    /// Podcasts that are not due.
    public var skipped: Int

    public init(leased: Int, skipped: Int) { (self.leased, self.skipped) = (leased, skipped) }
}

/// Who works on a library that several share.
public struct WorkActivity: Sendable {
    public struct Worker: Sendable {
        /// Its machine and its process.
        public var name: String
        public var startedAt: Timestamp
        /// Its last sign of life.
        public var seenAt: Timestamp

        public init(name: String, startedAt: Timestamp, seenAt: Timestamp) {
            (self.name, self.startedAt, self.seenAt) = (name, startedAt, seenAt)
        }
    }

    /// Those that have given a sign of life lately, the oldest first.
    public var workers: [Worker]
    /// Parts of hosts that are leased at the moment.
    public var leases: Int

    public init(workers: [Worker], leases: Int) { (self.workers, self.leases) = (workers, leases) }
}

/// A part of a host's requests, which one run has.
public struct WorkLane: Equatable, Sendable {
    /// Tells it from others, of any host.
    public var key: String
    /// Requests at once.
    public var slots: Int
    /// Of all the lanes of its host that the run has.
    public var hostSlots: Int

    public init(key: String, slots: Int, hostSlots: Int) {
        (self.key, self.slots, self.hostSlots) = (key, slots, hostSlots)
    }
}

/// A right to work, with the token that tells it from later ones.
public struct WorkLease: Equatable, Sendable {
    public let token: UInt64

    public init(token: UInt64) { self.token = token }
}

/// The lease expired, and another run has taken over.
public struct LeaseExpired: Error, Equatable, Sendable {
    public init() {}
}

/// What a run has before it.
public struct WorkRun: Sendable {
    public var lease: WorkLease
    /// How many podcasts are due and can be claimed; nil if they were not counted, since others work as well.
    public var due: Int?
    /// How many podcasts the run will not fetch; nil if `WorkSource.remainder` tells.
    public var skipped: Int?
    /// The latest time at which any podcast got an episode.
    public var lastAddedAt: Timestamp?

    public init(lease: WorkLease, due: Int?, skipped: Int?, lastAddedAt: Timestamp?) {
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
    /// What people call it.
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
    /// The record that is to be stored. Its revision is that of the record it was made from.
    public var podcast: Podcast
    /// nil if the feed said nothing new.
    public var changes: PodcastChanges?

    public init(_ podcast: Podcast, changes: PodcastChanges? = nil) {
        self.podcast = podcast
        self.changes = changes
    }
}

/// What outlives a run about one host (scheme, name and port).
public struct HostState: Equatable, Sendable {
    /// The host asked to be left alone until then.
    public var pausedUntil: Timestamp?
    /// Requests that the host could still be sent at once, at `measuredAt`; nil if nothing limits them.
    public var allowance: Double?
    public var measuredAt: Timestamp?

    public init(pausedUntil: Timestamp? = nil, allowance: Double? = nil, measuredAt: Timestamp? = nil) {
        self.pausedUntil = pausedUntil
        self.allowance = allowance
        self.measuredAt = measuredAt
    }
}
