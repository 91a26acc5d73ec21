import Domain

/// What a run of this process has leased.
///
/// A lease is a row: a time at which it ends, and a token. Its fence is a number that grows with each lease of the same
/// feeds; a result that comes under an earlier one is refused where the record is written. This process stops counting on a
/// lease when it may have ended, by a clock that does not jump.
actor Leases {
    nonisolated let leaseSeconds: Int64
    private var run: Run?
    private var lastFence: Int64 = 0

    /// Seconds after which a bundle is looked at again at the latest, whatever is noted for it.
    static let longestRest: Int64 = 86_400
    /// Seconds for which a feed that could not be settled is left alone.
    static let shortRest: Int64 = 300

    init(leaseSeconds: Int64) { self.leaseSeconds = leaseSeconds }

    func begin(_ run: Run) { self.run = run }
    func end() { run = nil }

    func nextFence(_ milliseconds: Int64) -> Int64 {
        lastFence = max(lastFence + 1, milliseconds)
        return lastFence
    }

    /// - Throws: `LeaseExpired`.
    func current(_ lease: WorkLease) throws -> Run {
        guard let run, run.lease == lease else { throw LeaseExpired() }
        return run
    }

    var states: [String: HostState] { run?.states ?? [:] }

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
        let hostKey: String
        var validUntil: ContinuousClock.Instant
        /// When each feed is due next; feeds that are not fetched any more are absent.
        var due: [PodcastID: Timestamp] = [:]
        /// Feeds that were handed out and not settled.
        var outstanding: Set<PodcastID> = []

        var host: Int64 { bundle.host }
        var key: SlotKey { SlotKey(host: host, slot: slot) }
    }

    /// A lease that ends.
    struct Finished: Sendable {
        let held: Held
        /// No other bundle of the slot is leased.
        let freesSlot: Bool

        var host: Int64 { held.host }
        var slot: Int64 { held.slot }
        var number: Int64 { held.bundle.number }
        var changes: Int64 { held.changes }
        var hasBundle: Bool { held.hasBundle }
        var shard: Shard { held.bundle.shard }

        func dueAt(now: Timestamp) -> Timestamp {
            min(held.due.values.min() ?? now + Leases.longestRest, now + Leases.longestRest)
        }
    }

    struct Run: Sendable {
        let lease: WorkLease
        let request: WorkRequest
        let start: Timestamp
        let startMilliseconds: Int64
        fileprivate(set) var held: [BundleKey: Held] = [:]
        fileprivate(set) var bundleOf: [PodcastID: BundleKey] = [:]
        /// As they were claimed, until they are settled.
        fileprivate(set) var claimed: [PodcastID: Podcast] = [:]
        fileprivate(set) var handedOut: Set<PodcastID> = []
        /// Claimed, and not handed out yet; last first.
        fileprivate(set) var waiting: [Podcast] = []
        /// As the run was told last.
        fileprivate(set) var now: Timestamp
        /// What the rows of hosts say, and the slots that this run has.
        fileprivate(set) var states: [String: HostState] = [:]
        /// Slots for each shard and claim: more where they have few feeds.
        fileprivate(set) var slotsPerShard = 1
        /// With `all` and `force`: the last bundle that the walk over each shard has seen.
        fileprivate(set) var cursors: [Shard: BundleKey]
        /// The bundles of named podcasts, until they were claimed.
        var named: Set<BundleKey>?

        init(lease: WorkLease, request: WorkRequest, start: Timestamp, startMilliseconds: Int64) {
            (self.lease, self.request, self.start, now) = (lease, request, start, start)
            self.startMilliseconds = startMilliseconds
            cursors = Dictionary(uniqueKeysWithValues: Shard.all.map { ($0, BundleKey(.min)) })
        }
    }
}

/// A bundle as a claim returned it.
struct ClaimedBundle: Sendable {
    let slot: Int64
    let bundle: BundleKey
    /// False if the slot has nothing that is due.
    let hasBundle: Bool
    let changes: Int64
    /// The token of the lease before: 0 if it had ended, nil if it has not, and nothing was claimed.
    let earlier: Int64?
    let feeds: Int
    let hostKey: String
    let state: HostState

    init(_ row: Row) {
        slot = row.number(1) ?? 0
        earlier = row.number(2)
        hasBundle = row.number(3) != nil
        bundle = BundleKey(host: row.number(0) ?? 0, number: row.number(3) ?? slot)
        changes = row.number(4) ?? 0
        feeds = row.int(5)
        hostKey = row.text(6)
        let allowance = row.number(8).map { Double(bitPattern: UInt64(bitPattern: $0)) }
        state = HostState(pausedUntil: row.time(7), allowance: allowance, measuredAt: row.time(9))
    }

    var isClaimed: Bool { earlier != nil }

    /// The requests at once that a slot of its host stands for.
    func share(perHost: Int) -> Int {
        let bundles = (feeds + BundleKey.size - 1) / BundleKey.size
        return max(1, perHost / max(1, min(bundles, perHost)))
    }
}

/// A feed of a bundle.
struct Member: Sendable {
    let id: PodcastID
    let bundle: BundleKey
    let nextAt: Timestamp?
    let fence: Int64
    /// nil if it is not due.
    let podcast: Podcast?

    init(_ row: Row) throws {
        id = PodcastID(text: row.text(0))
        bundle = BundleKey(row.number(5) ?? 0)
        nextAt = row.time(6)
        fence = row.number(7) ?? 0
        podcast = row.bytes(3) == nil ? nil : try PodcastRow.podcast(row)
    }
}

extension Leases.Run {
    /// The next feeds that were claimed.
    mutating func next(_ limit: Int, now: Timestamp) -> [Podcast] {
        self.now = now
        let next = Array(waiting.suffix(limit).reversed())
        waiting.removeLast(next.count)
        return next
    }

    /// Notes what was claimed.
    mutating func take(
        _ bundles: [ClaimedBundle], _ members: [Member], fence: Int64, validUntil: ContinuousClock.Instant, perHost: Int,
        limit: Int, now: Timestamp
    ) {
        advance(bundles)
        for one in bundles where one.isClaimed {
            states[one.hostKey] = one.state
            held[one.bundle] = Leases.Held(
                slot: one.slot, bundle: one.bundle, hasBundle: one.hasBundle, changes: one.changes, fence: fence,
                share: one.share(perHost: perHost), hostKey: one.hostKey, validUntil: validUntil)
        }
        var handed: [(turn: Int, podcast: Podcast)] = []
        var turns: [BundleKey: Int] = [:]
        for member in members where held[member.bundle] != nil {
            held[member.bundle]?.due[member.id] = member.nextAt
            guard let podcast = member.podcast, isWanted(podcast, member, fence, now) else {
                // Nobody looks at it again at once.
                if let next = member.nextAt, next <= now + Schedule.tolerance {
                    held[member.bundle]?.due[member.id] = now + Leases.shortRest
                }
                continue
            }
            held[member.bundle]?.outstanding.insert(member.id)
            bundleOf[member.id] = member.bundle
            claimed[member.id] = podcast
            handedOut.insert(member.id)
            handed.append((turns[member.bundle, default: 0], podcast))
            turns[member.bundle, default: 0] += 1
        }
        // The first feed of each host, then the second of each, and so on.
        waiting = handed.sorted { ($0.turn, $0.podcast.id) > ($1.turn, $1.podcast.id) }.map(\.podcast) + waiting
        if handed.count < limit / 2 {
            slotsPerShard = min(slotsPerShard * 2, 64)
        } else {
            slotsPerShard = max(slotsPerShard / 2, 1)
        }
    }

    /// Moves the cursors behind what was seen; a shard of which nothing came is done.
    private mutating func advance(_ bundles: [ClaimedBundle]) {
        if named != nil { named = [] }
        guard request.mode != .due else { return }
        let last = Dictionary(bundles.map { ($0.bundle.shard, $0.bundle) }) { $0.value < $1.value ? $1 : $0 }
        for shard in cursors.keys { cursors[shard] = last[shard] }
    }

    private func isWanted(_ podcast: Podcast, _ member: Member, _ fence: Int64, _ now: Timestamp) -> Bool {
        if handedOut.contains(podcast.id) { return false }
        if let named = request.podcasts, !named.contains(podcast.id) { return false }
        if request.podcasts == nil, request.mode != .due {
            // Another worker has fetched it since this run began; this claim's own fence only says that one has died.
            if member.fence > startMilliseconds, member.fence != fence { return false }
        }
        return Schedule.verdict(
            for: podcast, mode: request.mode, isNamed: request.podcasts != nil, pause: nil, now: now) == .fetch
    }

    mutating func note(_ settlement: Settlement, _ result: WriteResult) {
        let id = settlement.podcast.id
        switch result {
        case .stored(let podcast): end(id, due: podcast.hostKey == claimed[id]?.hostKey ? PodcastRow(podcast).nextAt : nil)
        case .lost(let current?): claimed[id] = current  // decided again, and settled again
        case .lost(nil): end(id, due: nil)
        case .expired: end(id, due: nil)
        }
    }

    /// A feed that ended without anything to store. It is left alone until then, or for a while.
    mutating func giveBack(_ id: PodcastID, until: Timestamp?) {
        guard let bundle = bundleOf[id] else { return }
        let due = held[bundle]?.due[id]
        end(id, due: due.map { max($0, until ?? now + Leases.shortRest) })
    }

    private mutating func end(_ id: PodcastID, due: Timestamp?) {
        claimed[id] = nil
        guard let bundle = bundleOf.removeValue(forKey: id) else { return }
        held[bundle]?.due[id] = due
        held[bundle]?.outstanding.remove(id)
    }

    mutating func takeFinished() -> [Leases.Finished] { end(held.values.filter(\.outstanding.isEmpty)) }

    /// Also those with feeds that were not settled, which others can claim at once.
    mutating func takeAll() -> [Leases.Finished] {
        waiting = []
        return end(Array(held.values))
    }

    private mutating func end(_ finished: [Leases.Held]) -> [Leases.Finished] {
        for one in finished { held[one.bundle] = nil }
        let remaining = Set(held.values.map(\.key))
        return finished.map { Leases.Finished(held: $0, freesSlot: !remaining.contains($0.key)) }
    }

    /// - Parameter renewed: the slots whose leases this run still had.
    mutating func extend(_ bundles: [BundleKey], _ renewed: Set<Leases.SlotKey>, validUntil: ContinuousClock.Instant) {
        for bundle in bundles {
            guard let one = held[bundle] else { continue }
            if renewed.contains(one.key) { held[bundle]?.validUntil = validUntil } else { held[bundle] = nil }
        }
    }
}
