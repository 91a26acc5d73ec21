/// Asks many servers at once, for feeds, transcripts or anything else that has a host.
///
/// ```
/// claim ─▶ Turns (hosts take turns) ─▶ ask × concurrency ─▶ hand over
///            ▲ standing of each host
///        Politeness
/// ```
/// A job occupies the window until its reply has arrived. Processing the reply holds up no other job.
struct Scheduler<Job: Hosted, Reply: Sendable>: Sendable {
    /// The number of jobs in progress at once.
    let concurrency: Int
    let politeness: Politeness
    /// More jobs are claimed if fewer than this are waiting; nil stands for `concurrency`.
    var lookahead: Int?

    /// How many claims in a row may find nothing, while no job is in progress and claimed ones are unsettled.
    private var mostWaits: Int { 30 }

    /// Time until the next claim: longer while jobs are in progress.
    private func wait(after waits: Int, isBusy: Bool) -> Duration {
        isBusy ? .milliseconds(100 << min(waits, 2)) : .milliseconds(100)
    }

    private enum Arrival: Sendable {
        case reply(Job, Reply)
        /// Time for the next claim.
        case time
    }

    enum Outcome: Sendable {
        case replied(Job, Reply)
        /// Not asked: its host asked to be left alone.
        case paused(Job, until: Timestamp)
        /// Not asked: other jobs found its host unreachable.
        case unreachable(Job, FetchFailure)
    }

    /// Runs until all jobs have an outcome. If the task is cancelled, no further job begins, and those in progress are
    /// cancelled.
    ///
    /// - Parameters:
    ///   - claim: returns the next jobs, for a window with so much room; empty if there are no more, nil if there may
    /// be more later.
    ///   - waitForRoom: waits until the stages after this one have room for another reply.
    ///   - ask: asks a server.
    ///   - handOver: receives the outcomes one by one.
    /// - Throws: the error of `claim`, once the jobs in progress have ended.
    func run(
        claim: (_ room: Int) async throws -> [Job]?, waitForRoom: () async -> Void = {},
        ask: @escaping @Sendable (Job) async -> Reply,
        handOver: (Outcome) async -> Void
    ) async throws {
        var turns = Turns<Job>(slotsPerHost: politeness.slotsPerHost)
        var isExhausted = false
        var waits = 0
        var nextClaim = ContinuousClock.now
        var isTimed = false
        var running = 0
        var failure: (any Error)?
        var isEnding: Bool { Task.isCancelled || politeness.isEnding }
        await withTaskGroup(of: Arrival.self) { group in
            while true {
                // 1. Fill the window.
                while running < concurrency, !isEnding {
                    await waitForRoom()
                    let turn = turns.remaining < lookahead ?? concurrency && !isExhausted ? nil : turns.take(politeness)
                    switch turn {
                    case .ask(let job):
                        running += 1
                        group.addTask { .reply(job, await ask(job)) }
                        continue
                    case .paused(let job, let until):
                        await handOver(.paused(job, until: until))
                        continue
                    case .unreachable(let job, let failure):
                        await handOver(.unreachable(job, failure))
                        continue
                    case nil: break
                    }
                    // 2. No job may begin now, or soon none will be left: claim more.
                    if isExhausted || ContinuousClock.now < nextClaim { break }
                    do {
                        if let jobs = try await claim(concurrency - running) {
                            isExhausted = jobs.isEmpty
                            turns.add(jobs)
                            waits = 0
                        } else {
                            nextClaim = .now + wait(after: waits, isBusy: running > 0)
                            waits += 1
                            isExhausted = running == 0 && waits > mostWaits
                        }
                    } catch {
                        (failure, isExhausted) = (error, true)
                    }
                }
                // 3. Wait for a reply, or for the time of the next claim.
                if !isExhausted, !isEnding, !isTimed, nextClaim > .now, running < concurrency {
                    isTimed = true
                    group.addTask { [nextClaim] in
                        try? await Task.sleep(until: nextClaim)
                        return .time
                    }
                }
                guard running > 0 || isTimed && !isEnding, let arrival = await group.next() else { break }
                switch arrival {
                case .time: isTimed = false
                case .reply(let job, let reply):
                    running -= 1
                    turns.ended(job)
                    await handOver(.replied(job, reply))
                }
            }
            group.cancelAll()
        }
        if let failure { throw failure }
    }
}
