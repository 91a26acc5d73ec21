import Domain
import Scheduling

/// A bundle as returned by a claim.
struct ClaimedBundle: Sendable {
    let slot: Int64
    let bundle: BundleKey
    /// False if nothing in the slot is due.
    let hasBundle: Bool
    let changes: Int64
    /// The token of the previous lease: 0 if it had ended properly; nil if it is still valid, in which case nothing was
    /// claimed.
    let earlier: Int64?
    let feeds: Int
    let hostKey: String
    let state: HostState
    /// When its slot is ready.
    let readyAt: Int64?
    /// The shards that hold the records of its feeds, as bits; nil for any shard.
    let shards: Int64?

    init(_ row: Row) {
        slot = row.number("slot") ?? 0
        earlier = row.number("earlier")
        hasBundle = row.number("number") != nil
        bundle = BundleKey(host: row.number("host") ?? 0, number: row.number("number") ?? slot)
        changes = row.number("changes") ?? 0
        feeds = row.int("feeds")
        hostKey = row.text("name")
        let allowance = row.number("allowance").map { Double(bitPattern: UInt64(bitPattern: $0)) }
        state = HostState(pausedUntil: row.time("paused_until"), allowance: allowance, measuredAt: row.time("measured_at"))
        readyAt = row.number("ready_at")
        shards = row.number("shards")
    }

    var isClaimed: Bool { earlier != nil }

    /// The number of parallel requests that one slot of its host stands for.
    func share(perHost: Int) -> Int { BundleKey.share(feeds: feeds, perHost: perHost) }
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
        id = PodcastID(text: row.text("id"))
        bundle = BundleKey(row.number("bundle") ?? 0)
        nextAt = row.time("next_at")
        fence = row.number("fence") ?? 0
        podcast = row.bytes("record") == nil ? nil : try PodcastRow.podcast(row)
    }
}

/// How much can be claimed.
struct ReadyCount: Sendable {
    var slots: [Shard: Int] = [:]
    /// When the first slot of each shard becomes ready.
    var firsts: [Shard: Int64] = [:]
    /// Workers that are alive, this one included.
    var workers = 0
}

/// The slots to claim next.
struct ClaimPlan: Sendable {
    /// Slots, or bundles of a walk, for each shard.
    var shards: [(shard: Shard, count: Int)] = []
    var bundles: [BundleKey] = []
    /// Number of slots that the run may claim.
    var limit = 0
    /// True if the run holds as many slots as it may at the moment.
    var isFull = false

    var isEmpty: Bool { shards.isEmpty && bundles.isEmpty }
}

extension Leases.Run {
    /// Plans to claim as many slots as keep `limit` parallel requests busy, but no more than the run's share. They are
    /// taken evenly from all shards, so that none is always served last.
    ///
    /// - Parameter tried: bundles that could not be claimed.
    func plan(_ limit: Int, tried: Set<BundleKey>) -> ClaimPlan {
        let busy = min(max(0.25, feedsPerSlot), Double(request.perHost))
        // The slots needed for the feeds that will start within a quarter of a second at the usual pace; at least two,
        // so that hosts take turns.
        let quarters = max(4, (ContinuousClock.now - began) / .milliseconds(250))
        let soon = Double(handedOut.count) / quarters / max(0.25, feedsPerSlot)
        let enough = max(2, Int(max(Double(limit) / busy, soon).rounded(.up)))
        let wanted = min(enough, min(maxSlots, maxSlotsAtFirst) - slotCount)
        var plan = ClaimPlan()
        plan.isFull = isFull
        guard wanted > 0 else { return plan }
        let shards = isWalk ? cursors.mapValues { _ in Int.max } : request.podcasts == nil ? ready : [:]
        if shards.isEmpty {
            plan.limit = wanted
            for bundle in named where !tried.contains(bundle) {
                plan.bundles.append(bundle)
                if plan.bundles.count == (isWalk ? Self.maxChecked : wanted) { break }
            }
        } else {
            let share = (wanted + shards.count - 1) / shards.count
            for (shard, ready) in shards.shuffled().prefix(wanted) { plan.shards.append((shard, min(share, ready))) }
        }
        return plan
    }

    /// Number of bundles that are checked together.
    private static let maxChecked = 256

    /// Drops the bundles in which every feed has been fetched since the run began.
    ///
    /// - Returns: the remaining bundles.
    mutating func dropFetched(_ bundles: [BundleKey], _ members: [Member]) -> [BundleKey] {
        var unfetched: Set<BundleKey> = []
        for member in members where member.nextAt != nil && !isFetched(member) && !handedOut.contains(member.id) {
            unfetched.insert(member.bundle)
        }
        return bundles.filter { bundle in
            if unfetched.contains(bundle) { return true }
            named.remove(bundle)
            return false
        }
    }

    func isFetched(_ member: Member) -> Bool { member.fence > startMilliseconds && Fence.isOfResult(member.fence) }

    mutating func noteOthers(_ bundles: [BundleKey]) {
        for bundle in bundles where !walked.contains(bundle) { named.insert(bundle) }
        (walked, hasFoundOthers) = ([], true)
    }

    /// A run begins with a few slots and may double them every tenth of a second, so that runs which begin at the same
    /// time all find work.
    var maxSlotsAtFirst: Int {
        let tenths = Int((ContinuousClock.now - began) / .milliseconds(100))
        return tenths > 8 ? .max : 2 << tenths
    }

    /// True if the counts may lack slots that have become ready since.
    var isCountOld: Bool { !isWalk && request.podcasts == nil && ContinuousClock.now - countedAt > .seconds(5) }

    mutating func note(_ count: ReadyCount, now: Timestamp) {
        ready = count.slots.filter { $0.value > 0 }
        let slots = ready.values.reduce(slotCount, +)
        maxSlots = count.workers > 1 ? max(1, (slots + count.workers - 1) / count.workers) : .max
        countedAt = .now
        if now.seconds - sweptAt.seconds > Leases.sweepInterval { (floors, sweptAt) = ([:], now) }
        // New subscriptions are ready at once, by a clock that may be slightly behind.
        for (shard, first) in count.firsts { floors[shard] = min(first, now.seconds - 60) }
        (positions, released) = (floors, [:])
    }

    /// Takes slots of a shard that the run itself released, in the order in which they became ready.
    mutating func takeReleased(_ shard: Shard, _ count: Int) -> [Leases.SlotKey] {
        let own = released.filter { Shard(host: $0.key.host) == shard }.sorted { $0.value < $1.value }.prefix(count).map(\.key)
        for key in own { released[key] = nil }
        return own
    }

    /// Notes when a slot that the run released will be ready.
    mutating func noteReleased(_ slot: Leases.SlotKey, readyAt: Int64) {
        guard !isWalk, request.podcasts == nil, readyAt <= now.seconds + Schedule.tolerance else { return }
        let shard = Shard(host: slot.host)
        ready[shard, default: 0] += 1
        if readyAt < positions[shard] ?? .min { released[slot] = readyAt }
    }

    /// Notes the outcome of a plan.
    mutating func note(_ plan: ClaimPlan, _ bundles: [ClaimedBundle]) {
        hasClaimed = true
        let bundlesByShard = Dictionary(grouping: bundles, by: \.bundle.shard)
        for (shard, count) in plan.shards {
            let isAll = bundlesByShard[shard]?.count ?? 0 < count && !released.keys.contains { Shard(host: $0.host) == shard }
            let count = isAll ? Int.max : count
            ready[shard] = ready[shard].flatMap { $0 > count ? $0 - count : nil }
            guard isWalk else {
                positions[shard] = bundlesByShard[shard]?.compactMap(\.readyAt).max() ?? positions[shard]
                continue
            }
            // A shard that returned nothing is finished.
            cursors[shard] = bundlesByShard[shard]?.map(\.bundle).max { $0.value < $1.value }
        }
        // Bundles leased by others are tried again at the end.
        for claimed in bundles where claimed.hasBundle && request.mode != .due {
            if claimed.isClaimed { named.remove(claimed.bundle) } else { named.insert(claimed.bundle) }
            if claimed.isClaimed, isWalk, !hasFoundOthers { walked.insert(claimed.bundle) }
        }
    }
}
