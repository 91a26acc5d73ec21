/// Asks servers for many things at once: feeds, transcripts, whatever has a host.
///
/// ```
/// claim ─▶ Turns (hosts take turns) ─▶ ask × concurrency ─▶ hand over
///            ▲ standing of each host
///        Politeness
/// ```
/// A job has room in the window until its reply is here; what becomes of the reply makes nobody wait.
struct Scheduler<Job: Hosted, Reply: Sendable>: Sendable {
    /// How many jobs are under way at once.
    let concurrency: Int
    let politeness: Politeness
    /// More are claimed when fewer wait; nil for as many as are under way at once.
    var lookahead: Int?

    /// How often, and after which time, more is asked for while what was claimed is not settled.
    private var longestWait: Int { 30 }
    private var wait: Duration { .milliseconds(100) }

    enum Outcome: Sendable {
        case replied(Job, Reply)
        /// Not asked: its host asked to be left alone.
        case paused(Job, until: Timestamp)
        /// Not asked: its host is unreachable, as other jobs found.
        case unreachable(Job, FetchFailure)
    }

    /// Runs until all jobs have an outcome. If the task is cancelled, no job begins any more, and those under way end.
    ///
    /// - Parameters:
    ///   - claim: the next jobs, asked for when the window has room for more; empty if there are no more, nil if there may be more later.
    ///   - waitForRoom: waits until the stages after this one have room for another reply.
    ///   - ask: asks a server.
    ///   - handOver: takes the outcomes, one after the other.
    /// - Throws: what `claim` throws, when the jobs under way have ended.
    func run(
        claim: () async throws -> [Job]?, waitForRoom: () async -> Void = {}, ask: @escaping @Sendable (Job) async -> Reply,
        handOver: (Outcome) async -> Void
    ) async throws {
        var turns = Turns<Job>(slotsPerHost: politeness.slotsPerHost)
        var isExhausted = false
        var waits = 0
        var nextClaim = ContinuousClock.now
        var running = 0
        var failure: (any Error)?
        await withTaskGroup(of: (Job, Reply).self) { group in
            while true {
                // 1. Fill the window.
                while running < concurrency, !Task.isCancelled {
                    await waitForRoom()
                    let turn = turns.remaining < lookahead ?? concurrency && !isExhausted ? nil : turns.take(politeness)
                    switch turn {
                    case .ask(let job):
                        running += 1
                        group.addTask { (job, await ask(job)) }
                        continue
                    case .paused(let job, let until):
                        await handOver(.paused(job, until: until))
                        continue
                    case .unreachable(let job, let failure):
                        await handOver(.unreachable(job, failure))
                        continue
                    case nil: break
                    }
                    // 2. Nothing may begin, or soon nothing will: claim more.
                    if isExhausted || ContinuousClock.now < nextClaim { break }
                    do {
                        if let jobs = try await claim() {
                            isExhausted = jobs.isEmpty
                            turns.add(jobs)
                            waits = 0
                        } else {
                            waits += 1
                            isExhausted = waits > longestWait
                            nextClaim = .now + wait
                        }
                    } catch {
                        (failure, isExhausted) = (error, true)
                    }
                }
                // 3. Wait for a reply.
                if running == 0, !isExhausted, !Task.isCancelled, turns.remaining == 0 {
                    try? await Task.sleep(until: nextClaim)
                    continue
                }
                guard running > 0, let (job, reply) = await group.next() else { break }
                running -= 1
                turns.ended(job)
                await handOver(.replied(job, reply))
            }
        }
        if let failure { throw failure }
    }
}
