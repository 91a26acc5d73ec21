public import Domain
import Glibc
import Records

extension Database: WorkSource {
    public var isShared: Bool { true }
    public var renewal: Duration { .milliseconds(leases.leaseSeconds * 1_000 / 3) }

    public func lanes(of podcasts: [PodcastID], _ lease: WorkLease) async throws -> [PodcastID: WorkLane] {
        let run = try await leases.current(lease)
        var lanes: [PodcastID: WorkLane] = [:]
        for id in podcasts {
            guard let held = run.bundleOf[id].flatMap({ run.held[$0] }) else { continue }
            lanes[id] = WorkLane(key: "\(held.hostKey) \(held.slot)", slots: held.share)
        }
        return lanes
    }

    public func hasUnsettled(_ lease: WorkLease) async throws -> Bool { try await !leases.current(lease).bundleOf.isEmpty }

    public func begin(_ request: WorkRequest, now: Timestamp) async throws -> WorkRun {
        let lease = WorkLease(token: UInt64.random(in: 1...UInt64(Int64.max)))
        var run = Leases.Run(lease: lease, request: request, start: now, startMilliseconds: milliseconds)
        var (due, total) = (0, 0)
        if let ids = request.podcasts {
            let named = try await podcasts(Array(ids))
            total = named.count
            due = named.count { verdict($0, run, now) == .fetch }
            run.named = Set(try await bundleKeys(of: named.map(\.id)).values)
        }
        let counts = try await session.read(
            Shard.all.map { Transaction(.due, $0, .int(now.seconds + Schedule.tolerance)) })
        if request.podcasts == nil {
            total = counts.joined().reduce(0) { $0 + $1.int(0) }
            due = counts.joined().reduce(0) { $0 + $1.int(request.mode == .due ? 1 : 3) }
        }
        await leases.begin(run)
        try await signOn(lease, now)
        let lastAddedAt = counts.joined().compactMap { $0.time(2) }.max()
        return WorkRun(lease: lease, due: due, skipped: total - due, lastAddedAt: lastAddedAt)
    }

    private func verdict(_ podcast: Podcast, _ run: Leases.Run, _ now: Timestamp) -> Schedule.Verdict {
        Schedule.verdict(
            for: podcast, mode: run.request.mode, isNamed: run.request.podcasts != nil, pause: nil, now: now)
    }

    public func skipped(_ lease: WorkLease, after last: PodcastID?, limit: Int) async throws -> [SkippedPodcast] {
        let run = try await leases.current(lease)
        let pauses = try await pauses(now: run.start)
        var skipped: [SkippedPodcast] = []
        var last = last.map { Podcast(id: $0, feedURL: "", subscribedAt: run.start) }
        while skipped.count < limit {
            let page = try await page(of: .all, after: last, limit: 512)
            for podcast in page where run.request.podcasts?.contains(podcast.id) ?? true {
                let verdict = Schedule.verdict(
                    for: podcast, mode: run.request.mode, isNamed: run.request.podcasts != nil,
                    pause: pauses[podcast.hostKey], now: run.start)
                if let one = SkippedPodcast(podcast, verdict) { skipped.append(one) }
                if skipped.count == limit { return skipped }
            }
            guard page.count == 512 else { break }
            last = page.last
        }
        return skipped
    }

    // MARK: Claiming

    public func claim(_ lease: WorkLease, limit: Int, now: Timestamp) async throws -> [Podcast] {
        while true {
            let waiting = try await leases.update(lease) { $0.next(limit, now: now) }
            if !waiting.isEmpty { return waiting }
            let run = try await leases.current(lease)
            let fence = await leases.nextFence(milliseconds)
            let valid = ContinuousClock.now + .seconds(leases.leaseSeconds)
            let claimed = try await claimSlots(run, fence: fence, now: now)
            guard !claimed.isEmpty else { return [] }
            let members = try await members(of: claimed, run, fence: fence, now: now)
            try await leases.update(lease) {
                $0.take(claimed, members, fence: fence, validUntil: valid, perHost: run.request.perHost, limit: limit, now: now)
            }
            try await releaseFinished(lease)
        }
    }

    private func claimSlots(_ run: Leases.Run, fence: Int64, now: Timestamp) async throws -> [ClaimedBundle] {
        let common: [Parameter] = [
            .int(Int64(run.lease.token)), .int(fence), .int(now.seconds + leases.leaseSeconds), .time(now),
            .int(run.request.perHost),
        ]
        let calls: [Call]
        if let named = run.named {
            calls = Dictionary(grouping: named, by: \.shard).map { shard, bundles in
                Call(.claimNamed, shard, common + [.ints(bundles.map(\.host)), .ints(bundles.map(\.number))])
            }
        } else if run.request.mode == .due {
            let ready = now.seconds + Schedule.tolerance
            calls = Shard.all.map { Call(.claimDue, $0, common + [.int(ready), .int(run.slotsPerShard)]) }
        } else {
            calls = run.cursors.map { shard, last in
                Call(.claimNext, shard, common + [.int(last.host), .int(last.number), .int(run.slotsPerShard)])
            }
        }
        var claimed: [ClaimedBundle] = []
        for reply in try await session.run(calls.map { Transaction($0) }) {
            claimed += try reply.orFailure().last.map { $0.map(ClaimedBundle.init) } ?? []
        }
        return claimed
    }

    /// The feeds of bundles. Those of a run that died get the new fence before anybody is asked for them.
    private func members(
        of claimed: [ClaimedBundle], _ run: Leases.Run, fence: Int64, now: Timestamp
    ) async throws -> [Member] {
        let mine = claimed.filter(\.isClaimed)
        let token = Int64(run.lease.token)
        let orphaned = mine.filter { $0.earlier != 0 && $0.earlier != token }.map(\.bundle.value)
        if !orphaned.isEmpty {
            let replies = try await session.run(Shard.all.map { Transaction(.fence, $0, .int(fence), .ints(orphaned)) })
            for reply in replies { _ = try reply.orFailure() }
        }
        let bundles = Parameter.ints(mine.compactMap { $0.hasBundle ? $0.bundle.value : nil })
        let due = run.request.mode == .due ? now.seconds + Schedule.tolerance : .max
        let isForced = run.request.mode == .force && run.request.podcasts != nil
        let rows = try await session.read(
            mine.isEmpty ? [] : Shard.all.map { Transaction(.members, $0, bundles, .int(due), .flag(isForced)) })
        return try rows.joined().map(Member.init)
    }

    // MARK: Settling

    public func settle(_ settlements: [Settlement], _ lease: WorkLease) async throws -> [WriteResult] {
        let run = try await leases.current(lease)
        let now = ContinuousClock.now
        var fences: [PodcastID: Int64] = [:]
        for settlement in settlements {
            // A lease that may have ended counts as lost, as long as nobody has renewed it.
            guard let bundle = run.bundleOf[settlement.podcast.id], let held = run.held[bundle], held.validUntil > now else {
                continue
            }
            fences[settlement.podcast.id] = held.fence
        }
        let known = run.bundleOf.isEmpty && run.handedOut.isEmpty ? nil : fences
        let results = try await write(settlements, before: run.claimed, leasedBy: known)
        try await leases.update(lease) { run in
            for (settlement, result) in zip(settlements, results) { run.note(settlement, result) }
        }
        try await releaseFinished(lease)
        return results
    }

    public func giveBack(_ podcasts: [PodcastID: Timestamp?], _ lease: WorkLease) async throws {
        try await leases.update(lease) { run in
            for (podcast, until) in podcasts { run.giveBack(podcast, until: until) }
        }
        try await releaseFinished(lease)
    }

    /// Ends the leases on bundles whose feeds are all settled.
    private func releaseFinished(_ lease: WorkLease) async throws {
        let (finished, perHost, now) = try await leases.update(lease) { ($0.takeFinished(), $0.request.perHost, $0.now) }
        try await release(finished, lease, perHost: perHost, now: now)
    }

    private func release(_ finished: [Leases.Finished], _ lease: WorkLease, perHost: Int, now: Timestamp) async throws {
        guard !finished.isEmpty else { return }
        let transactions = Dictionary(grouping: finished, by: \.shard).map { shard, finished in
            let bundles = finished.filter(\.hasBundle)
            let slots = finished.filter(\.freesSlot)
            return Transaction(
                shard,
                [
                    Call(
                        .settleBundles, shard, .ints(bundles.map(\.host)), .ints(bundles.map(\.number)),
                        .ints(bundles.map(\.changes)), .ints(bundles.map { $0.dueAt(now: now).seconds })),
                    Call(
                        .releaseSlots, shard, .int(Int64(lease.token)), .int(perHost), .ints(slots.map(\.host)),
                        .ints(slots.map(\.slot)), .time(now + Leases.longestRest)),
                ])
        }
        for reply in try await session.run(transactions) { _ = try reply.orFailure() }
    }

    public func renew(_ lease: WorkLease, now: Timestamp) async throws {
        let run = try await leases.current(lease)
        let valid = ContinuousClock.now + .seconds(leases.leaseSeconds)
        let until = Parameter.int(now.seconds + leases.leaseSeconds)
        let held = Array(run.held.values)
        let transactions = Dictionary(grouping: held) { Shard(host: $0.host) }.map { shard, held in
            Transaction(
                .renew, shard, .int(Int64(lease.token)), until, .ints(held.map(\.host)), .ints(held.map(\.slot)))
        }
        var renewed: Set<Leases.SlotKey> = []
        for reply in try await session.run(transactions + [signingOn(lease, now)]) {
            for row in try reply.orFailure().last.map(Array.init) ?? [] {
                renewed.insert(Leases.SlotKey(host: row.number(0) ?? 0, slot: row.number(1) ?? 0))
            }
        }
        let kept = renewed
        try await leases.update(lease) { $0.extend(held.map(\.bundle), kept, validUntil: valid) }
    }

    public func release(_ lease: WorkLease, times: RefreshTimes?) async throws {
        _ = try await leases.current(lease)
        let (held, perHost, latest) = try await leases.update(lease) { ($0.takeAll(), $0.request.perHost, $0.now) }
        await leases.end()
        try await release(held, lease, perHost: perHost, now: latest)
        let old = (now + -600).seconds
        let shard = Self.shard(of: lease)
        let replies = try await session.run([
            Transaction(.dropWorkers, shard, .int(Int64(lease.token)), .int(old)),
            Transaction(.dropCommits, .owner, .int((now + -86_400).seconds)),
        ])
        for reply in replies { _ = try reply.orFailure() }
        guard let times else { return }
        try await changeOwner(reading: [Document.times.read]) { rows in
            var after = times
            after.counters = try Self.times(rows[0]).counters
            after.counters += times.counters
            return ([Document.times.write { after.write(to: &$0) }], ())
        }
    }

    public func lastRefresh() async throws -> RefreshTimes {
        try Self.times(try await session.read([Transaction(.owner, [Document.times.read])])[0])
    }

    private static func times(_ rows: Rows) throws -> RefreshTimes {
        var times = RefreshTimes()
        try Document.times.members(rows) { json, key in try times.read(key, from: &json) }
        return times
    }

    private static func shard(of lease: WorkLease) -> Shard { Shard(number: Int(lease.token % UInt64(Shard.count))) }

    private func signingOn(_ lease: WorkLease, _ now: Timestamp) -> Transaction {
        Transaction(.putWorker, Self.shard(of: lease), .int(Int64(lease.token)), .text(ProcessName.text), .time(now))
    }

    private func signOn(_ lease: WorkLease, _ now: Timestamp) async throws {
        for reply in try await session.run([signingOn(lease, now)]) { _ = try reply.orFailure() }
    }

    private func bundleKeys(of ids: [PodcastID]) async throws -> [PodcastID: BundleKey] {
        let rows = try await session.read(
            Dictionary(grouping: ids, by: Shard.init).map { Transaction(.bundlesOf, $0, .texts($1.map(\.text))) })
        return Dictionary(rows.joined().map { (PodcastID(text: $0.text(0)), BundleKey($0.number(1) ?? 0)) }) { a, _ in a }
    }
}

/// How a worker is called in `status`: its machine and its process.
enum ProcessName {
    static let text: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "\(getpid())" }
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(host):\(getpid())"
    }()
}

extension SkippedPodcast {
    /// nil if the podcast is to be fetched.
    init?(_ podcast: Podcast, _ verdict: Schedule.Verdict) {
        let (reason, until): (Reason, Timestamp?)
        switch verdict {
        case .fetch: return nil
        case .wait(let time): (reason, until) = (.notYet, time)
        case .gone: (reason, until) = (.gone, nil)
        case .paused: (reason, until) = (.paused, nil)
        }
        self.init(id: podcast.id, feedURL: podcast.feedURL, title: podcast.displayTitle, reason: reason, until: until)
    }
}
