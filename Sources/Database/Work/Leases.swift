import Domain

/// The leases of this process's run.
///
/// A lease is a row with an end time and a token. Its fence is a number that grows with each lease of the same feeds: a
/// result under an earlier fence is refused when its record is written. This process stops relying on a lease before it
/// may have ended, by a clock that does not jump.
actor Leases {
    nonisolated let leaseSeconds: Int64
    /// Identifies this process among the workers.
    nonisolated let worker = Int64.random(in: 1 ... .max)
    private var run: Run?
    private var lastFence: Int64 = 0
    /// When this process last signed on; nil if it is not among the workers.
    private var signedOnAt: ContinuousClock.Instant?

    /// Seconds after which a bundle is examined again at the latest, whatever its due time is.
    static let maxCheckInterval: Int64 = 86_400
    /// Seconds after which the times before which nothing is due are determined again.
    static let sweepInterval: Int64 = 600
    /// Seconds for which a feed that could not be settled is left alone.
    static let retryInterval: Int64 = 300

    init(leaseSeconds: Int64) { self.leaseSeconds = leaseSeconds }

    /// A lease that ends within this time counts as ended, since a request takes a while.
    nonisolated var margin: Duration { min(.seconds(2), .milliseconds(leaseSeconds * 250)) }

    /// True if the others may soon take this process for dead.
    var isSignOnDue: Bool { signedOnAt.map { .now - $0 > .milliseconds(leaseSeconds * 1_000 / 3) } ?? true }

    func signedOn(at time: ContinuousClock.Instant?) { signedOnAt = time }

    func begin(_ run: Run) { self.run = run }
    func end() { run = nil }

    /// An even number, greater than the fence of any result stored so far: see `Fence`.
    func nextFence(_ milliseconds: Int64) -> Int64 {
        lastFence = max(lastFence + 2, Fence.ofClaim(at: milliseconds))
        return lastFence
    }

    /// - Throws: `LeaseExpired`.
    func current(_ lease: WorkLease) throws -> Run {
        guard let run, run.lease == lease else { throw LeaseExpired() }
        return run
    }

    /// The states of these hosts, loaded when their slots were claimed; nil if any is missing.
    func states(of keys: [String]) -> [String: HostState]? {
        guard let states = run?.states, keys.allSatisfy({ states[$0] != nil }) else { return nil }
        return states.filter { keys.contains($0.key) }
    }

    var isIdle: Bool { run == nil }

    func update<Result: Sendable>(_ lease: WorkLease, _ change: @Sendable (inout Run) -> Result) throws -> Result {
        var run = try current(lease)
        self.run = nil  // one owner, so that the change copies nothing
        defer { self.run = run }
        return change(&run)
    }

    struct SlotKey: Hashable {
        var host: Int64
        var slot: Int64
    }

    /// A bundle that is leased together with its slot.
    struct Held: Sendable {
        let slot: Int64
        let bundle: BundleKey
        let hasBundle: Bool
        /// The bundle's change count when it was read, which shows whether feeds were added since.
        let changes: Int64
        let fence: Int64
        /// The number of parallel requests that its slot stands for.
        let share: Int
        /// True if it is the only bundle of its host.
        let isAlone: Bool
        let hostKey: String
        var validUntil: ContinuousClock.Instant
        /// The shards that hold the records of its feeds, as bits.
        var shards: Int64 = 0
        /// When the first of its feeds is due, apart from those under way; nil if none of them is fetched any more.
        var dueAt: Timestamp?
        /// Number of feeds that were handed out and not settled.
        var outstanding = 0
        /// The fence of the latest claim of its slot; set if no other bundle of the slot remains leased.
        var slotFence: Int64?

        var host: Int64 { bundle.host }
        var key: SlotKey { SlotKey(host: host, slot: slot) }

        /// Notes when a feed is due next.
        mutating func note(_ due: Timestamp?) {
            if let due { dueAt = min(dueAt ?? due, due) }
        }
    }

    /// A feed that was handed out and not settled.
    struct UnderWay: Sendable {
        let bundle: BundleKey
        /// The fence of the claim under which its bundle counts it.
        var fence: Int64
        /// When it was due before the fetch.
        let dueAt: Timestamp?
        /// The record as it was claimed.
        var podcast: Podcast
    }

    struct Run: Sendable {
        let lease: WorkLease
        let request: WorkRequest
        let start: Timestamp
        let startMilliseconds: Int64
        let began = ContinuousClock.now
        var held: [BundleKey: Held] = [:]
        var underWay: [PodcastID: UnderWay] = [:]
        var handedOut: Set<PodcastID> = []
        /// Claimed, and not handed out yet; the next one is last.
        var waiting: [Podcast] = []
        /// The current time as last passed to the run.
        var now: Timestamp
        /// The states of hosts, loaded when slots of theirs were claimed.
        var states: [String: HostState] = [:]
        /// When leases were last released.
        var releasedAt = ContinuousClock.now
        /// The fence of the latest claim of each slot.
        var slotFences: [SlotKey: Int64] = [:]
        /// Recent average number of feeds per slot.
        var feedsPerSlot: Double
        /// The number of slots that can be claimed in each shard, when last counted, less those claimed since.
        var ready: [Shard: Int] = [:]
        var countedAt = ContinuousClock.now
        /// False until the run tries to claim something.
        var hasClaimed = false
        /// Time before which no slot of the shard is ready.
        var floors: [Shard: Int64] = [:]
        /// Where the latest claim of each shard ended. Slots that were ready earlier are leased, or were released since.
        var positions: [Shard: Int64] = [:]
        /// Slots that this run released and that became ready before `positions`, with the times at which they are
        /// ready.
        var released: [SlotKey: Int64] = [:]
        /// When all slots were last examined for the floors.
        var sweptAt: Timestamp
        /// Number of slots that the run may hold at once, so that others find work.
        var maxSlots = Int.max
        /// For `all` and `force`: the last bundle of each shard that the walk has seen.
        var cursors: [Shard: BundleKey] = [:]
        /// Bundles to be claimed by key: those of named podcasts, and those that the walk left to others.
        var named: Set<BundleKey>
        /// Bundles that the walk has claimed.
        var walked: Set<BundleKey> = []
        /// True after the walk has collected the bundles that others claimed since the run began.
        var hasFoundOthers = false

        /// - Parameter named: the bundles of the named podcasts.
        init(lease: WorkLease, request: WorkRequest, start: Timestamp, startMilliseconds: Int64, named: Set<BundleKey>) {
            (self.lease, self.request, self.start, now, sweptAt) = (lease, request, start, start, start)
            self.startMilliseconds = startMilliseconds
            self.named = named
            feedsPerSlot = Double(request.perHost)
            guard isWalk else { return }
            cursors = Dictionary(uniqueKeysWithValues: Shard.all.map { ($0, BundleKey(.min)) })
        }

        var slotsPerHost: Int { BundleKey.slots(perHost: request.perHost) }

        /// True if the run goes over all bundles, whether they are due or not.
        var isWalk: Bool { request.podcasts == nil && request.mode != .due }
    }
}

/// A number that grows with each lease of a feed and with each stored result: roughly milliseconds since 1970. Its
/// lowest bit distinguishes results from claims.
enum Fence {
    static func ofClaim(at milliseconds: Int64) -> Int64 { (milliseconds + 3) & ~1 }
    static func ofResult(at milliseconds: Int64) -> Int64 { milliseconds | 1 }
    static func isOfResult(_ fence: Int64) -> Bool { fence & 1 != 0 }
}
