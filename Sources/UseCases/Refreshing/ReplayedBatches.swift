import Domain
import Synchronization

/// The batches of a recorded run, fetched from the recording, parsed and compared anew, one batch ahead of the one
/// being written.
final class ReplayedBatches: Sendable {
    private struct State {
        /// The jobs that have begun, by their first podcast. Each is begun once.
        var replies: [PodcastID: Task<[FeedResult], Never>] = [:]
        /// Number of podcasts of each job whose results are not taken yet.
        var remaining: [PodcastID: Int] = [:]
        var failure: (any Error)?
    }

    private let script: any RunScript
    private let feed: RefreshFeed
    private let podcasts: any PodcastRepository
    private let concurrency: Int
    private let budget: ByteBudget
    private let batches = Handover<StoreStages.Batch>(capacity: 1)
    private let state = Mutex(State())

    init(_ script: any RunScript, _ feed: RefreshFeed, _ podcasts: any PodcastRepository, concurrency: Int, budget: ByteBudget) {
        self.script = script
        self.feed = feed
        self.podcasts = podcasts
        self.concurrency = max(1, concurrency)
        self.budget = budget
    }

    /// Why the script could not be read to its end.
    var failure: (any Error)? { state.withLock { $0.failure } }

    @Sendable func next() async -> StoreStages.Batch? { await batches.next() }

    func readAhead() async {
        do {
            while !Task.isCancelled, let batch = try await script.nextBatch() {
                await budget.waitForRoom()
                let results = await results(of: batch)
                budget.add(results.weight)
                await batches.send(StoreStages.Batch(results: results, reachedAnyone: batch.reachedAnyone))
            }
        } catch {
            state.withLock { $0.failure = error }
        }
        batches.close()
    }

    private func results(of batch: RunBatch) async -> [FeedResult] {
        var results: [FeedResult?] = Array(repeating: nil, count: batch.podcasts.count)
        await withTaskGroup(of: IndexedResult.self) { group in
            for (index, podcast) in batch.podcasts.enumerated() {
                if index >= concurrency, let next = await group.next() { results[next.index] = next.result }
                group.addTask { IndexedResult(index: index, result: await self.result(for: podcast)) }
            }
            for await next in group { results[next.index] = next.result }
        }
        return results.compactMap(\.self)
    }

    private struct IndexedResult: Sendable {
        let index: Int
        let result: FeedResult?
    }

    private func result(for podcast: PodcastID) async -> FeedResult? {
        guard let reply = script.reply(for: podcast) else { return nil }
        guard let task = begin(reply) else { return nil }
        let result = await task.value.first { $0.before.id == podcast }
        state.withLock { state in
            guard let first = reply.podcasts.first else { return }
            state.remaining[first, default: reply.podcasts.count] -= 1
            if state.remaining[first] == 0 { state.replies[first] = nil }
        }
        return result
    }

    /// Begins a job, after the jobs whose answers it shares, even if their batches come later.
    ///
    /// - Returns: nil if all its results were taken.
    private func begin(_ reply: RunReply) -> Task<[FeedResult], Never>? {
        guard let first = reply.podcasts.first else { return nil }
        return state.withLock { state in
            if state.replies[first] == nil, state.remaining[first] == nil {
                state.replies[first] = Task {
                    for owner in self.script.repliesShared(by: first) { _ = await self.begin(owner)?.value }
                    return await self.results(of: reply)
                }
            }
            return state.replies[first]
        }
    }

    private func results(of reply: RunReply) async -> [FeedResult] {
        guard let stored = try? await podcasts.podcasts(reply.podcasts), let lead = stored.first else { return [] }
        var job = FeedJob(lead, hostKey: lead.hostKey)
        job.podcasts = stored
        guard case .asked = reply.kind else { return await feed.results(of: AskedFeed(job, reply.kind, now: reply.repliedAt)) }
        let answer = await feed.reply(to: job, askedAt: reply.askedAt)
        return await feed.results(
            of: AskedFeed(job, answer, .asked, askedAt: reply.askedAt, repliedAt: reply.repliedAt))
    }
}
