import Domain
import Results
import Searching

/// The last stages of a refresh or its replay: batches of results become durable and searchable, and are reported.
struct StoreStages: Sendable {
    /// Results that are committed together, in this order.
    struct Batch: Sendable {
        let results: [FeedResult]
        /// True if any server had answered by then.
        let reachedAnyone: Bool
    }

    let commit: CommitFeeds
    let index: (any SearchIndex)?
    let journal: (any RunJournal)?
    let meter: RunMeter

    /// Approximate bytes of feeds in memory at once, between the parser and the index.
    let budget = ByteBudget(5 << 20)
    let events = Handover<[RefreshEvent]>(capacity: 64)
    private let stored = Handover<UnindexedChange>(capacity: 1_024)

    /// Indexes in batches, so that their memory is freed early.
    private static let indexSize = BatchSize(count: 256, weight: 1 << 20, maxWait: .zero)

    init(commit: CommitFeeds, index: (any SearchIndex)?, meter: RunMeter, journal: (any RunJournal)? = nil) {
        self.commit = commit
        self.index = index
        self.journal = journal
        self.meter = meter
    }

    /// - Parameters:
    ///   - next: the next batch; nil after the last.
    ///   - reachedAnyone: true if any server answered, asked at the end; nil if the run was killed.
    func run(
        _ report: @escaping @Sendable (RefreshEvent) async -> Void, next: @escaping @Sendable () async -> Batch?,
        reachedAnyone: @escaping @Sendable () -> Bool?
    ) async -> RefreshSummary {
        meter.gauge("feeds to index") { stored.length }
        async let committing = commitAll(next, reachedAnyone)
        async let indexing: Void = indexAll()
        var summary = RefreshSummary()
        while let some = await events.next() {
            for event in some {
                summary.add(event)
                await report(event)
            }
        }
        await indexing
        summary.time = meter.total
        (summary.wasOffline, summary.localFailure) = await committing
        return summary
    }

    private func commitAll(
        _ next: @Sendable () async -> Batch?, _ reachedAnyone: @Sendable () -> Bool?
    ) async -> (wasOffline: Bool, LocalFailure?) {
        var commit = commit
        while let batch = await next() {
            let podcasts = batch.results.map(\.outcome.podcast.id)
            journal?.committing(RunBatch(podcasts: podcasts, reachedAnyone: batch.reachedAnyone))
            let start = ContinuousClock.now
            let report = await commit.run(batch.results, reachedAnyone: batch.reachedAnyone)
            journal?.committed()
            var span = RunSpan(stage: .commit, subject: "", start: start, end: .now)
            span.feeds = podcasts.count
            meter.note(span, of: podcasts.map(\.text))
            await handOn(report, heldBefore: batch.results.weight)
        }
        var wasOffline = false
        if let reachedAnyone = reachedAnyone() {
            journal?.finishing(reachedAnyone: reachedAnyone)
            let held = await commit.finish(reachedAnyone: reachedAnyone)
            await handOn(held.0, heldBefore: 0)
            wasOffline = held.wasOffline
        }
        stored.close()
        return (wasOffline, commit.localFailure)
    }

    private func handOn(_ report: CommitFeeds.Report, heldBefore weight: Int) async {
        budget.release(weight - report.unindexed.reduce(0) { $0 + $1.weight })
        await events.send(
            report.outcomes.map {
                var outcome = $0
                outcome.timings = meter.take(outcome.podcast.id.text)
                return .finished(outcome)
            })
        for change in report.unindexed { await stored.send(change, weight: change.weight) }
    }

    /// While nothing arrives for so long, others may write the index: the run waits for the network.
    private static let idleTime = Duration.milliseconds(200)

    private func indexAll() async {
        if let index {
            await indexAll(in: index)
        } else {
            // Nothing is handed on to it, and it ends with the commits.
            while await stored.next() != nil {}
        }
        events.close()
    }

    private func indexAll(in index: any SearchIndex) async {
        var isBegun = false
        while let batch = await nextToIndex(index, isBegun) {
            let start = ContinuousClock.now
            do {
                if !isBegun { try await index.begin() }
                isBegun = true
                try await index.add(batch.map(\.change))
            } catch {
                await events.send([.indexFailed(error)])
            }
            var span = RunSpan(stage: .index, subject: "", start: start, end: .now)
            span.feeds = batch.count
            meter.note(span)
            budget.release(batch.reduce(0) { $0 + $1.weight })
        }
        let start = ContinuousClock.now
        do {
            try await index.save(revision: nil)
        } catch {
            await events.send([.indexFailed(error)])
        }
        meter.note(RunSpan(stage: .index, subject: "", start: start, end: .now))
    }

    /// Makes what was added durable, and thereby releases the index, if the next batch does not come soon.
    private func nextToIndex(_ index: any SearchIndex, _ hasAdded: Bool) async -> [UnindexedChange]? {
        guard hasAdded else { return await stored.batch(Self.indexSize) }
        let saving = Task { () -> (any Error)? in
            guard (try? await Task.sleep(for: Self.idleTime)) != nil else { return nil }
            do { try await index.save(revision: nil) } catch { return error }
            return nil
        }
        let batch = await stored.batch(Self.indexSize)
        saving.cancel()
        if let failure = await saving.value { await events.send([.indexFailed(failure)]) }
        return batch
    }
}
