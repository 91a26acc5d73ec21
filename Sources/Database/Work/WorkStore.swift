import Domain
import Glibc
import Records
import Scheduling

/// Hands out feeds to the workers of a library, in bundles by host.
struct WorkStore: WorkSource {
    let session: Session
    let leases: Leases
    let options: Database.Options
    let time: DatabaseTime
    let owner: OwnerWriter
    let podcasts: PodcastStore

    var now: Timestamp { time.now }

    var mayHaveChanged: Bool { true }

    func lanes(of podcasts: [PodcastID], _ lease: WorkLease) async throws -> [PodcastID: WorkLane] {
        try await leases.update(lease) { $0.lanes(of: podcasts) }
    }

    func hasUnsettled(_ lease: WorkLease) async throws -> Bool {
        try await leases.update(lease) { !$0.underWay.isEmpty }
    }

    func begin(_ request: WorkRequest, now: Timestamp) async throws -> WorkRun {
        await session.setMaxWait(request.keepsRunning ? nil : options.maxWait)
        let lease = WorkLease(token: UInt64.random(in: 1...UInt64(Int64.max)))
        var named: [Podcast]?
        if let ids = request.podcasts { named = try await podcasts.podcasts(Array(ids)) }
        let bundles = Set(try await bundleKeys(of: named?.map(\.id) ?? []).values)
        var run = Leases.Run(lease: lease, request: request, start: now, startMilliseconds: time.milliseconds, named: bundles)
        // All in one round trip, and usually without a write: idle workers ask every few seconds.
        let reading =
            [Transaction(.time, .owner)] + Shard.all.map { Transaction(.lastAdded, $0) }
            + Shard.all.map { Transaction(.anyWantingTexts, $0) } + counting(run, now)
        let (signsOn, start) = (await leases.isSignOnDue, ContinuousClock.now)
        let rows =
            try await session.run((signsOn ? [signingOn(now)] : []) + [Transaction(reading: reading)])
            .map { try $0.orFailure() }.last ?? []
        if signsOn { await leases.signedOn(at: start) }
        if let time = rows[0].first?.number("milliseconds") { self.time.set(milliseconds: time) }
        let lastAddedAt = rows[1...Shard.count].compactMap { $0.first?.time("added_at") }.max()
        let wantsTexts = rows[(1 + Shard.count)...].prefix(Shard.count).contains { !$0.isEmpty }
        run.note(readyCount(rows.suffix(2 * Shard.count)), now: now)
        await leases.begin(run)
        let due = named?.count { verdict($0, run, now) == .fetch }
        return WorkRun(
            lease: lease, due: due, skipped: due.flatMap { due in named.map { $0.count - due } }, lastAddedAt: lastAddedAt,
            wantsTexts: wantsTexts, pace: .shared(renewal: .milliseconds(leases.leaseSeconds * 1_000 / 3)))
    }

    private func verdict(_ podcast: Podcast, _ run: Leases.Run, _ now: Timestamp) -> Schedule.Verdict {
        Schedule.verdict(
            for: podcast, mode: run.request.mode, isNamed: run.request.podcasts != nil, pause: nil, now: now)
    }

    func skipped(_ lease: WorkLease, after last: PodcastID?, limit: Int) async throws -> [SkippedPodcast] {
        let run = try await leases.current(lease)
        let pauses = try await pauses(now: run.start)
        var skipped: [SkippedPodcast] = []
        var last = last.map { Podcast(id: $0, feedURL: "", subscribedAt: run.start) }
        while skipped.count < limit {
            let page = try await podcasts.page(of: .all, after: last, limit: 512)
            for podcast in page where run.request.podcasts?.contains(podcast.id) ?? true {
                let verdict = Schedule.verdict(
                    for: podcast, mode: run.request.mode, isNamed: run.request.podcasts != nil,
                    pause: pauses[podcast.hostKey], now: run.start)
                if let skippedPodcast = SkippedPodcast(podcast, verdict) { skipped.append(skippedPodcast) }
                if skipped.count == limit { return skipped }
            }
            guard page.count == 512 else { break }
            last = page.last
        }
        return skipped
    }

    // MARK: Remaining work

    func remainder(_ lease: WorkLease) async throws -> WorkRemainder? {
        let run = try await leases.current(lease)
        if run.request.keepsRunning || run.request.podcasts != nil && run.named.isEmpty {
            return WorkRemainder(leased: 0, skipped: 0)
        }
        let due = now + Schedule.tolerance
        let token = Int64(lease.token)
        let rows = try await session.read(
            run.request.mode == .due
                ? Shard.all.map {
                    Transaction(.leasedBundles, $0, .time(due), .time(now), .int(token), .int(run.slotsPerHost))
                } : [])
        let bundles = rows.all.map { BundleKey(host: $0.number("host") ?? 0, number: $0.number("number") ?? 0) } + run.named
        let members = try await self.members(of: bundles, records: .min).filter { member in
            guard let next = member.nextAt, !run.handedOut.contains(member.id) else { return false }
            if let named = run.request.podcasts { return named.contains(member.id) }
            return run.isWalk ? !run.isFetched(member) : next <= due
        }
        guard run.request.podcasts == nil else { return WorkRemainder(leased: members.count, skipped: 0) }
        let counts = try await session.read(Shard.all.map { Transaction(.count, $0) })
        let total = counts.all.reduce(0) { $0 + $1.int("podcasts") }
        return WorkRemainder(leased: members.count, skipped: max(0, total - run.handedOut.count - members.count))
    }

    // MARK: Workers

    func lastRefresh() async throws -> RefreshTimes {
        try Self.times(try await owner.read(OwnerDocument.times.read))
    }

    static func times(_ rows: Rows) throws -> RefreshTimes {
        var times = RefreshTimes()
        try OwnerDocument.times.members(rows) { json, key in try times.read(key, from: &json) }
        return times
    }

    func activity() async throws -> WorkActivity? {
        let alive = Parameter.int(now.seconds - options.lease)
        let rows = try await session.read(
            Shard.all.map { Transaction(.liveWorkers, $0, alive) } + Shard.all.map { Transaction(.leases, $0, .time(now)) })
        let workers = Array(rows.prefix(Shard.count)).all.compactMap { row in
            row.time("started_at").flatMap { start in
                row.time("seen_at").map { WorkActivity.Worker(name: row.text("name"), startedAt: start, seenAt: $0) }
            }
        }
        let leases = Array(rows.dropFirst(Shard.count)).all.reduce(0) { $0 + $1.int("leases") }
        return WorkActivity(workers: workers.sorted { ($0.startedAt, $0.name) < ($1.startedAt, $1.name) }, leases: leases)
    }

    /// Records that this process is alive.
    func signingOn(_ now: Timestamp) -> Transaction {
        Transaction(.putWorker, workerShard, .int(leases.worker), .text(ProcessName.text), .time(now))
    }

    /// Removes this process from the list of workers, and those that have been silent for long.
    var signingOff: Transaction {
        Transaction(.dropWorkers, workerShard, .int(leases.worker), .time(now + -600))
    }

    func signOff() async throws {
        for reply in try await session.run([signingOff]) { _ = try reply.orFailure() }
        await leases.signedOn(at: nil)
    }

    private var workerShard: Shard { Shard(number: Int(leases.worker % Int64(Shard.count))) }

    private func bundleKeys(of ids: [PodcastID]) async throws -> [PodcastID: BundleKey] {
        let rows = try await session.read(
            Dictionary(grouping: ids, by: Shard.init).map { Transaction(.bundlesOf, $0, .texts($1.map(\.text))) })
        return Dictionary(rows.all.map { (PodcastID(text: $0.text("id")), BundleKey($0.number("bundle") ?? 0)) }) { a, _ in a }
    }
}

/// A worker's name in `status`: its machine and its process id.
enum ProcessName {
    static let text: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "\(getpid())" }
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(host):\(getpid())"
    }()
}

extension SkippedPodcast {
    /// nil if the podcast should be fetched.
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
