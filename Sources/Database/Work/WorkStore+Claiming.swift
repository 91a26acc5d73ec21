import Domain
import Scheduling
import Synchronization

extension WorkStore {
    func claim(_ lease: WorkLease, limit: Int, now: Timestamp) async throws -> [Podcast] {
        var tried: Set<BundleKey> = []
        var hasCounted = false
        while true {
            let waiting = try await leases.update(lease) { $0.next(limit, now: now) }
            if !waiting.isEmpty { return waiting }
            let (plan, run) = try await leases.update(lease) { [tried] in ($0.plan(limit, tried: tried), $0.withoutFeeds) }
            if run.isWalk, run.cursors.isEmpty, !run.hasFoundOthers {
                try await findOthers(run)
                continue
            }
            if plan.isEmpty || run.isCountOld, !hasCounted {
                // More slots may be ready by now.
                if plan.isFull || run.isWalk || run.request.podcasts != nil { return [] }
                // `begin` has just counted.
                if !run.hasClaimed, !run.isCountOld { return [] }
                let count = readyCount(try await session.read(counting(run, now))[...])
                try await leases.update(lease) { $0.note(count, now: now) }
                hasCounted = true
                continue
            }
            guard !plan.isEmpty else { return [] }
            let unfetched = run.isWalk ? try await unfetched(plan, run, &tried, now: now) : plan
            tried.formUnion(unfetched.bundles)
            if !unfetched.isEmpty { try await claim(unfetched, run, now: now) }
        }
    }

    /// Finds bundles claimed by others since the walk began, which the walk skipped. Called at its end.
    private func findOthers(_ run: Leases.Run) async throws {
        let (start, slots) = (Parameter.int(run.startMilliseconds), Parameter.int(run.slotsPerHost))
        let rows = try await session.read(Shard.all.map { Transaction(.claimedSince, $0, start, slots) })
        let bundles = rows.all.map { BundleKey(host: $0.number("host") ?? 0, number: $0.number("number") ?? 0) }
        try await leases.update(run.lease) { $0.noteOthers(bundles) }
    }

    /// The plan without the bundles that others have leased or have fetched meanwhile: a query costs less than a claim.
    private func unfetched(
        _ plan: ClaimPlan, _ run: Leases.Run, _ tried: inout Set<BundleKey>, now: Timestamp
    ) async throws -> ClaimPlan {
        guard !plan.bundles.isEmpty else { return plan }
        let hosts = Parameter.ints(plan.bundles.map(\.host))
        let token = Parameter.int(Int64(run.lease.token))
        let rows = try await session.read(Shard.all.map { Transaction(.leasedSlots, $0, hosts, .time(now), token) })
        var leased: Set<Leases.SlotKey> = []
        for row in rows.all { leased.insert(Leases.SlotKey(host: row.number("host") ?? 0, slot: row.number("slot") ?? 0)) }
        var unfetched = plan
        let free = plan.bundles.filter { bundle in
            let slot = Leases.SlotKey(host: bundle.host, slot: bundle.number % Int64(run.slotsPerHost))
            if leased.contains(slot) { tried.insert(bundle) }
            return !leased.contains(slot)
        }
        let members = try await members(of: free, records: .min)
        unfetched.bundles = try await leases.update(run.lease) { Array($0.dropFetched(free, members).prefix(plan.limit)) }
        return unfetched
    }

    private func claim(_ plan: ClaimPlan, _ run: Leases.Run, now: Timestamp) async throws {
        let fence = await leases.nextFence(time.milliseconds)
        let valid = ContinuousClock.now + .seconds(leases.leaseSeconds)
        let claimed = try await claimSlots(plan, run, fence: fence, now: now)
        try await takeOver(claimed.filter { $0.isClaimed && $0.earlier != 0 && $0.earlier != Int64(run.lease.token) }, fence)
        // If podcasts are named, those that are not due are included as well.
        let isForced = run.request.mode == .force && run.request.podcasts != nil
        let bundles = claimed.filter { $0.isClaimed && $0.hasBundle }
        let members = try await members(
            of: bundles.map(\.bundle), shards: bundles.map(\.shards),
            records: run.request.mode == .due ? now.seconds + Schedule.tolerance : .max, all: isForced)
        try await leases.update(run.lease) {
            $0.note(plan, claimed)
            $0.take(claimed, members, fence: fence, validUntil: valid, now: now)
        }
        try await releaseFinished(run.lease, mayWait: true)
        // If the database was slow to respond, the leases may have ended by its clock.
        if .now + leases.margin > valid { try await renew(run.lease, now: self.now) }
    }

    private func claimSlots(
        _ plan: ClaimPlan, _ run: Leases.Run, fence: Int64, now: Timestamp
    ) async throws -> [ClaimedBundle] {
        let common: [Parameter] = [
            .int(Int64(run.lease.token)), .int(fence), .int(now.seconds + leases.leaseSeconds), .time(now),
            .int(run.slotsPerHost),
        ]
        var calls: [Call] = []
        for (shard, count) in plan.shards {
            guard run.isWalk else {
                let released = try await leases.update(run.lease) { $0.takeReleased(shard, count) }
                let (due, swept) = (now.seconds + Schedule.tolerance, now.seconds - Leases.sweepInterval)
                func parameters(_ count: Int) -> [Parameter] { common + [.int(due), .int(count), .int(swept)] }
                if !released.isEmpty {
                    calls.append(
                        Call(
                            .claimReleased, shard,
                            parameters(released.count) + [.ints(released.map(\.host)), .ints(released.map(\.slot))]))
                }
                if released.count < count {
                    calls.append(
                        Call(.claimDue, shard, parameters(count - released.count) + [.int(run.positions[shard] ?? .min)]))
                }
                continue
            }
            let last = run.cursors[shard] ?? BundleKey(.min)
            calls.append(
                Call(.claimNext, shard, common + [.int(last.host), .int(last.number), .int(count), .int(run.startMilliseconds)]))
        }
        calls += Dictionary(grouping: plan.bundles, by: \.shard).map { shard, bundles in
            Call(.claimNamed, shard, common + [.ints(bundles.map(\.host)), .ints(bundles.map(\.number))])
        }
        return try await session.run(calls.map { Transaction($0) }).flatMap { reply in
            try reply.orFailure().last.map { $0.map(ClaimedBundle.init) } ?? []
        }
    }

    /// Gives the feeds of a run that died a new fence before anything of theirs is fetched.
    private func takeOver(_ orphaned: [ClaimedBundle], _ fence: Int64) async throws {
        guard !orphaned.isEmpty else { return }
        let bundles = Parameter.ints(orphaned.map(\.bundle.value))
        for reply in try await session.run(Shard.all.map { Transaction(.fence, $0, .int(fence), bundles) }) {
            _ = try reply.orFailure()
        }
    }

    /// - Parameters:
    ///   - shards: the shards of each bundle as bits; nil for any. Empty if none are known.
    ///   - due: seconds since 1970; only feeds that are due by then come with their records.
    func members(
        of bundles: [BundleKey], shards: [Int64?] = [], records due: Int64, all: Bool = false
    ) async throws -> [Member] {
        let parts = Shard.all.compactMap { shard in
            let wanted = bundles.indices.filter { shards.isEmpty || (shards[$0] ?? shard.bit) & shard.bit != 0 }
            return wanted.isEmpty
                ? nil : Transaction(.members, shard, .ints(wanted.map { bundles[$0].value }), .int(due), .flag(all))
        }
        let members = Mutex([Result<[Member], any Error>](repeating: .success([]), count: parts.count))
        try await session.read(parts) { part, rows in
            let decoded = Result { try rows.map(Member.init) }
            members.withLock { $0[part] = decoded }
        }
        return try members.withLock { $0 }.flatMap { try $0.get() }
    }

    // MARK: Sharing

    /// Number of slots of a shard above which counting stops.
    private static let maxCounted = 512

    /// Queries how much can be claimed and how many workers there are.
    func counting(_ run: Leases.Run, _ now: Timestamp) -> [Transaction] {
        let ready = run.isWalk ? Int64.max : now.seconds + Schedule.tolerance
        let alive = now.seconds - leases.leaseSeconds
        return Shard.all.map {
            Transaction(
                .readySlots, $0, .int(ready), .time(now), .int(run.slotsPerHost), .int(Self.maxCounted),
                .int(run.floors[$0] ?? .min))
        } + Shard.all.map { Transaction(.liveWorkers, $0, .int(alive)) }
    }

    /// - Parameter rows: the results of `counting`.
    func readyCount(_ rows: ArraySlice<Rows>) -> ReadyCount {
        var count = ReadyCount(workers: rows.dropFirst(Shard.count).reduce(0) { $0 + $1.count })
        for (shard, rows) in zip(Shard.all, rows) {
            count.slots[shard] = rows.first?.int("slots") ?? 0
            count.firsts[shard] = rows.first?.number("first")
        }
        return count
    }
}
