/// The stages of one refresh, side by side. The drawing is at `RefreshEpisodes`.
struct RefreshStages: Sendable {
    let claim: ClaimFeeds
    let feed: RefreshFeed
    let commit: CommitFeeds
    let index: any SearchIndex

    /// Approximate size in bytes of the feeds that may be in memory at once, between the parser and the index.
    private let budget = ByteBudget(6 << 20)
    private let answered = Handover<AskedFeed>(capacity: 64)
    private let compared = Handover<FeedResult>(capacity: 4_096)
    private let stored = Handover<UnindexedChange>(capacity: 1_024)
    private let events = Handover<[RefreshEvent]>(capacity: 64)

    /// Comparisons under way at once: they wait for one disk, and each takes more memory than an answer that waits.
    private static let mostComparing = 8
    /// Many small files share one sync of the disk, but nobody waits long for what has come.
    private static let commitSize = BatchSize(count: 2_048, weight: 4 << 20, patience: .milliseconds(250))
    /// What is indexed leaves the memory before the rest is.
    private static let indexSize = BatchSize(count: 256, weight: 1 << 20, patience: .zero)

    init(claim: ClaimFeeds, feed: RefreshFeed, commit: CommitFeeds, index: any SearchIndex) {
        self.claim = claim
        self.feed = feed
        self.commit = commit
        self.index = index
    }

    /// - Returns: the summary, and the failure that kept the run from claiming more.
    func run(
        _ report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async -> (summary: RefreshSummary, failure: (any Error)?) {
        async let claiming = claimAndAsk()
        async let comparing: Void = compareAll()
        async let committing = commitAll()
        async let indexing: Void = indexAll()
        async let _ = keepLease()
        var summary = RefreshSummary()
        while let some = await events.next() {
            for event in some {
                summary.add(event)
                await report(event)
            }
        }
        _ = await (comparing, indexing)
        let (wasOffline, localFailure) = await committing
        summary.wasOffline = wasOffline
        summary.localFailure = localFailure
        return (summary, await claiming)
    }

    /// Renews the lease while the run waits for slow servers; until it is cancelled, when the stages have ended.
    private func keepLease() async {
        while (try? await Task.sleep(for: .seconds(60))) != nil {
            try? await claim.work.renew(claim.run.lease, now: claim.clock())
        }
    }

    // MARK: The stages

    private func claimAndAsk() async -> (any Error)? {
        var failure: (any Error)?
        do {
            await events.send([.planned(claim.run.due)])
            try await claim.reportSkipped(to: events)
            let scheduler = Scheduler<FeedJob, AskedFeed>(concurrency: claim.options.concurrency, politeness: claim.politeness)
            try await scheduler.run(claim: claim.next, waitForRoom: budget.waitForRoom) { [self] job in
                await ask(job)
            } handOver: { outcome in
                let asked = AskedFeed(outcome)
                if asked.reply.hasFeed {
                    budget.add(asked.reply.weight)
                    await answered.send(asked)
                } else {
                    // A 304 or a failure reads no file, so it need not wait for those that do.
                    for result in await feed.results(of: asked.job, asked.reply) { await compared.send(result) }
                }
            }
        } catch {
            failure = error
        }
        answered.close()
        return failure
    }

    private func ask(_ job: FeedJob) async -> AskedFeed {
        do {
            let current = try await claim.current(job)
            guard !current.podcasts.isEmpty else { return AskedFeed(job, .dropped) }
            if claim.options.reportsStarts { await events.send(current.podcasts.map { .started($0) }) }
            return AskedFeed(current, await feed.reply(to: current))
        } catch {
            return AskedFeed(job, .failure(error))
        }
    }

    private func compareAll() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.mostComparing {
                group.addTask {
                    while let asked = await answered.next() {
                        let results = await feed.results(of: asked.job, asked.reply)
                        budget.add(results.weight - asked.reply.weight)
                        for result in results { await compared.send(result, weight: result.weight) }
                    }
                }
            }
        }
        compared.close()
    }

    private func commitAll() async -> (wasOffline: Bool, LocalFailure?) {
        var commit = commit
        while let batch = await compared.batch(Self.commitSize) {
            await handOn(await commit.run(batch), heldBefore: batch.weight)
        }
        let (report, wasOffline) = await commit.finish()
        await handOn(report, heldBefore: 0)
        stored.close()
        return (wasOffline, commit.localFailure)
    }

    private func handOn(_ report: CommitFeeds.Report, heldBefore weight: Int) async {
        budget.release(weight - report.unindexed.reduce(0) { $0 + $1.weight })
        await events.send(report.outcomes.map { .finished($0) })
        for change in report.unindexed { await stored.send(change, weight: change.weight) }
    }

    private func indexAll() async {
        while let batch = await stored.batch(Self.indexSize) {
            do {
                try await index.add(batch.map(\.change))
            } catch {
                await events.send([.indexFailed(error)])
            }
            budget.release(batch.reduce(0) { $0 + $1.weight })
        }
        do {
            try await index.save(revision: nil)
        } catch {
            await events.send([.indexFailed(error)])
        }
        events.close()
    }
}
