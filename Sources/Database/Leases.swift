import Domain

/// What a run of this process has leased.
///
/// A lease is a row: a time at which it ends, and a token. Its fence is a number that grows with each lease of the same
/// feeds; a result that comes under an earlier one is refused where the record is written. This process stops counting on a
/// lease when it may have ended, by a clock that does not jump.
actor Leases {
    nonisolated let leaseSeconds: Int64
    /// Names this process among those that work.
    nonisolated let worker = Int64.random(in: 1 ... .max)
    private var run: Run?
    private var lastFence: Int64 = 0

    /// Seconds after which a bundle is looked at again at the latest, whatever is noted for it.
    static let longestRest: Int64 = 86_400
    /// Seconds after which times before which nothing is due are found out anew.
    static let sweepInterval: Int64 = 600
    /// Seconds for which a feed that could not be settled is left alone.
    static let shortRest: Int64 = 300

    init(leaseSeconds: Int64) { self.leaseSeconds = leaseSeconds }

    /// A lease that ends within this time counts as ended: a request takes a while.
    nonisolated var margin: Duration { min(.seconds(2), .milliseconds(leaseSeconds * 250)) }

    func begin(_ run: Run) { self.run = run }
    func end() { run = nil }

    /// Even, and greater than that of a result which was stored until now: see `Fence`.
    func nextFence(_ milliseconds: Int64) -> Int64 {
        lastFence = max(lastFence + 2, Fence.ofClaim(at: milliseconds))
        return lastFence
    }

    /// - Throws: `LeaseExpired`.
    func current(_ lease: WorkLease) throws -> Run {
        guard let run, run.lease == lease else { throw LeaseExpired() }
        return run
    }

    /// What is known of these hosts since their slots were claimed; nil unless it is of all.
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

    /// A bundle that is leased with its slot.
    struct Held: Sendable {
        let slot: Int64
        let bundle: BundleKey
        let hasBundle: Bool
        /// Of the bundle, when it was read: they tell whether a feed came since.
        let changes: Int64
        let fence: Int64
        /// Requests at once that it stands for.
        let share: Int
        /// Its host has no other.
        let isAlone: Bool
        let hostKey: String
        var validUntil: ContinuousClock.Instant
        /// Bits: where the records of its feeds are.
        var shards: Int64 = 0
        /// When the first of its feeds is due that are not under way; nil if none of them is fetched any more.
        var dueAt: Timestamp?
        /// How many were handed out and not settled.
        var outstanding = 0
        /// Of the latest claim of its slot, if the slot ends with it: no other bundle of it is leased.
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
        /// Of the claim that its bundle counts it for.
        var fence: Int64
        /// When it was due.
        let dueAt: Timestamp?
        /// As it was claimed.
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
        /// Claimed, and not handed out yet; last first.
        var waiting: [Podcast] = []
        /// As the run was told last.
        var now: Timestamp
        /// What the rows of hosts say, and the slots that this run has.
        var states: [String: HostState] = [:]
        /// When leases were last given back.
        var releasedAt = ContinuousClock.now
        /// Of the latest claim of each slot.
        var slotFences: [SlotKey: Int64] = [:]
        /// Feeds that a slot brought on average, lately.
        var feedsPerSlot: Double
        /// Slots that can be claimed in each shard, when they were counted last and less what was claimed since.
        var ready: [Shard: Int] = [:]
        var countedAt = ContinuousClock.now
        /// No slot of the shard is ready before.
        var floors: [Shard: Int64] = [:]
        /// Where the latest claim of each shard ended: what was ready before is leased, or was released meanwhile.
        var places: [Shard: Int64] = [:]
        /// Slots that this run released and that were ready before that.
        var released: [SlotKey: Int64] = [:]
        /// When all slots were looked at for the floors.
        var sweptAt: Timestamp
        /// Slots that the run may have at once, so that others find work.
        var mostSlots = Int.max
        /// With `all` and `force`: the last bundle that the walk over each shard has seen.
        var cursors: [Shard: BundleKey] = [:]
        /// Bundles that are claimed by their names: those of named podcasts, and those that the walk left to others.
        var named: Set<BundleKey>
        /// Bundles that the walk has claimed.
        var walked: Set<BundleKey> = []
        /// The walk has found what others claimed since the run began.
        var hasFoundOthers = false

        /// - Parameter named: the bundles of the podcasts that were named.
        init(lease: WorkLease, request: WorkRequest, start: Timestamp, startMilliseconds: Int64, named: Set<BundleKey>) {
            (self.lease, self.request, self.start, now, sweptAt) = (lease, request, start, start, start)
            self.startMilliseconds = startMilliseconds
            self.named = named
            feedsPerSlot = Double(request.perHost)
            guard isWalk else { return }
            cursors = Dictionary(uniqueKeysWithValues: Shard.all.map { ($0, BundleKey(.min)) })
        }

        var slotsPerHost: Int { BundleKey.slots(perHost: request.perHost) }

        /// It goes over all bundles, due or not.
        var isWalk: Bool { request.podcasts == nil && request.mode != .due }
    }
}

/// A number that grows with each lease of a feed, and with each result that is stored: milliseconds since 1970, about. It
/// tells what was fetched from what was only claimed.
enum Fence {
    static func ofClaim(at milliseconds: Int64) -> Int64 { (milliseconds + 3) & ~1 }
    static func ofResult(at milliseconds: Int64) -> Int64 { milliseconds | 1 }
    static func isOfResult(_ fence: Int64) -> Bool { fence & 1 != 0 }
}
