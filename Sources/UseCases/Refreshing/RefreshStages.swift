import Domain
import Results
import Synchronization

/// The concurrent stages of one refresh, drawn at `RefreshEpisodes`.
struct RefreshStages: Sendable {
    let claim: ClaimFeeds
    let feed: RefreshFeed
    let store: StoreStages
    let journal: (any RunJournal)?

    private let answered = Handover<AskedFeed>(capacity: 64)
    private let compared = Handover<FeedResult>(capacity: 4_096)

    /// Comparisons in progress at once. They wait for one disk, and each takes more memory than a waiting answer.
    private static let maxComparing = 8
    /// Many small files share one sync of the disk, but no result waits long, and the last batch is small. In a
    /// database each batch takes several round trips.
    private var commitSize: BatchSize {
        BatchSize(count: claim.run.pace.batchSize, weight: 3 << 19, maxWait: claim.run.pace.maxBatchWait)
    }

    init(claim: ClaimFeeds, feed: RefreshFeed, store: StoreStages, journal: (any RunJournal)?) {
        self.claim = claim
        self.feed = feed
        self.store = store
        self.journal = journal
    }

    private var budget: ByteBudget { store.budget }
    private var events: Handover<[RefreshEvent]> { store.events }

    /// - Returns: the summary, and the failure that kept the run from claiming more.
    func run(
        _ report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async -> (summary: RefreshSummary, failure: (any Error)?) {
        store.meter.gauge("feeds to compare") { answered.length }
        store.meter.gauge("feeds to commit") { compared.length }
        async let claiming = claimAndAsk()
        async let comparing: Void = compareAll()
        async let _ = keepLease()
        let summary = await store.run(report) {
            guard let results = await compared.batch(commitSize) else { return nil }
            return StoreStages.Batch(results: results, reachedAnyone: claim.politeness.reachedAnyone)
        } reachedAnyone: {
            claim.politeness.reachedAnyone
        }
        await comparing
        return (summary, await claiming)
    }

    /// Renews the lease while the run waits for slow servers. It is cancelled when the stages have ended.
    private func keepLease() async {
        let pace = claim.run.pace
        var renewed = ContinuousClock.now
        while (try? await Task.sleep(for: pace.exchangeInterval)) != nil {
            await exchangePauses()
            guard ContinuousClock.now - renewed >= pace.renewal else { continue }
            try? await claim.work.renew(claim.run.lease, now: claim.clock())
            renewed = .now
        }
    }

    /// Shares a host's pauses with the other runs that fetch from it.
    private func exchangePauses() async {
        guard let pauses = try? await claim.work.exchange(pauses: claim.politeness.takeNewPauses(), claim.run.lease) else {
            return
        }
        claim.politeness.restore(pauses: pauses, areObeyed: !claim.options.passesPauses)
    }

    // MARK: The stages

    private func claimAndAsk() async -> (any Error)? {
        var failure: (any Error)?
        do {
            await events.send([.planned(claim.run.due ?? 0)])
            // Runs while the first feeds are claimed.
            if claim.run.due != 0 { Task { feed.ask.fetcher.prepare() } }
            try await claim.reportSkipped(to: events)
            let scheduler = Scheduler<FeedJob, Void>(
                concurrency: claim.options.concurrency, politeness: claim.politeness, lookahead: claim.run.pace.lookahead)
            let claimed = Atomic(0)
            let next: @Sendable (Int) async throws -> [FeedJob]? = { [self] room in
                let jobs = try await claim.next(room)
                if let jobs, !jobs.isEmpty, claim.run.due == nil {
                    let count = jobs.reduce(0) { $0 + $1.podcasts.count }
                    await events.send([.planned(claimed.add(count, ordering: .relaxed).newValue)])
                }
                return jobs
            }
            try await scheduler.run(claim: next, waitForRoom: budget.waitForRoom) { [self] job in
                await handOn(ask(job))
            } handOver: { outcome in
                if let unasked = AskedFeed(unasked: outcome, now: claim.clock()) { await handOn(unasked) }
            }
            try await claim.reportRemainder(to: events)
        } catch {
            failure = error
        }
        answered.close()
        return failure
    }

    private func ask(_ job: FeedJob) async -> AskedFeed {
        let askedAt = claim.clock()
        do {
            let current = try await claim.current(job)
            guard !current.podcasts.isEmpty else { return AskedFeed(job, .dropped, now: askedAt) }
            if claim.options.reportsStarts { await events.send(current.podcasts.map { .started($0) }) }
            let reply = await feed.reply(to: current, askedAt: askedAt)
            return AskedFeed(current, reply, .asked, askedAt: askedAt, repliedAt: claim.clock())
        } catch {
            return AskedFeed(job, .failure(error), .dropped, askedAt: askedAt, repliedAt: claim.clock())
        }
    }

    /// Called by the task that asked: a reply must count before anything else may run, and be on its way before the
    /// scheduler waits for room again.
    private func handOn(_ asked: AskedFeed) async {
        // Must come before other runs get the host.
        if asked.reply.asksForPause { await exchangePauses() }
        journal?.replied(asked.journalEntry)
        if asked.reply.hasFeed {
            budget.add(asked.reply.weight)
            await answered.send(asked)
        } else {
            // A 304 or a failure reads no file, so it need not wait behind results that do.
            for result in await feed.results(of: asked) { await compared.send(result) }
        }
    }

    private func compareAll() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.maxComparing {
                group.addTask {
                    while let asked = await answered.next() {
                        let start = ContinuousClock.now
                        let results = await feed.results(of: asked)
                        store.meter.note(RunSpan(stage: .compare, subject: asked.job.lead.id.text, start: start, end: .now))
                        budget.add(results.weight - asked.reply.weight)
                        for result in results { await compared.send(result, weight: result.weight) }
                    }
                }
            }
        }
        compared.close()
    }
}
