import Domain

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

    private enum Arrival: Sendable {
        case reply(Job, Reply)
        case claimed(Result<[Job]?, any Error>)
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

    /// Asks for all these jobs, until each has an outcome. If the task is cancelled, no further job begins, and those in
    /// progress are cancelled.
    ///
    /// - Parameters:
    ///   - ask: asks a server.
    ///   - handOver: receives the outcomes one by one.
    func run(
        _ jobs: [Job], ask: @escaping @Sendable (Job) async -> Reply, handOver: (Outcome) async -> Void
    ) async {
        var turns = Turns<Job>(slotsPerHost: politeness.slotsPerHost)
        turns.add(jobs)
        // Only a claim can fail.
        try? await run(turns, claim: { _ in [] }, waitForRoom: {}, ask, handOver)
    }

    /// The same for jobs that are claimed a page at a time, the next page while the servers are asked.
    ///
    /// - Parameters:
    ///   - claim: returns the next jobs, for a window with so much room; empty if there are no more, nil if there may
    /// be more later.
    ///   - waitForRoom: waits until the stages after this one have room for another reply.
    /// - Throws: the error of `claim`, once the jobs in progress have ended.
    func run(
        claim: @escaping @Sendable (_ room: Int) async throws -> [Job]?, waitForRoom: () async -> Void = {},
        ask: @escaping @Sendable (Job) async -> Reply, handOver: (Outcome) async -> Void
    ) async throws {
        try await run(Turns<Job>(slotsPerHost: politeness.slotsPerHost), claim: claim, waitForRoom: waitForRoom, ask, handOver)
    }

    private func run(
        _ turns: Turns<Job>, claim: @escaping @Sendable (_ room: Int) async throws -> [Job]?, waitForRoom: () async -> Void,
        _ ask: @escaping @Sendable (Job) async -> Reply, _ handOver: (Outcome) async -> Void
    ) async throws {
        var turns = turns
        var claims = Claims()
        var running = 0
        var isEnding: Bool { Task.isCancelled || politeness.isEnding }
        await withTaskGroup(of: Arrival.self) { group in
            while true {
                // 1. Fill the window.
                var isStarved = false
                filling: while running < concurrency, !isEnding {
                    await waitForRoom()
                    switch turns.take(politeness) {
                    case .ask(let job):
                        running += 1
                        group.addTask { .reply(job, await ask(job)) }
                    case .paused(let job, let until): await handOver(.paused(job, until: until))
                    case .unreachable(let job, let failure): await handOver(.unreachable(job, failure))
                    case nil:
                        isStarved = true
                        break filling
                    }
                }
                // 2. No job may begin now, or soon none will be left: claim more.
                if isStarved || turns.remaining < lookahead ?? concurrency, !isEnding {
                    switch claims.next() {
                    case .now:
                        let room = concurrency - running
                        group.addTask {
                            do { return .claimed(.success(try await claim(room))) } catch { return .claimed(.failure(error)) }
                        }
                    case .at(let time):
                        group.addTask {
                            try? await Task.sleep(until: time)
                            return .time
                        }
                    case .never: break
                    }
                }
                // 3. Wait for a reply or a claim, or for the time of the next claim.
                guard running > 0 || claims.isUnderWay || claims.isTimed && !isEnding, let arrival = await group.next() else {
                    break
                }
                switch arrival {
                case .time: claims.isTimed = false
                case .claimed(let page): turns.add(claims.take(page, isBusy: running > 0))
                case .reply(let job, let reply):
                    running -= 1
                    turns.ended(job)
                    await handOver(.replied(job, reply))
                }
            }
            group.cancelAll()
        }
        if let failure = claims.failure { throw failure }
    }

    /// When to claim, and what came of it.
    private struct Claims {
        enum Next {
            case now, never
            case at(ContinuousClock.Instant)
        }

        /// How many claims in a row may find nothing, while no job is in progress and claimed ones are unsettled.
        private static var maxWaits: Int { 30 }

        private var isExhausted = false
        private(set) var isUnderWay = false
        /// True while the time of the next claim is awaited.
        var isTimed = false
        private(set) var failure: (any Error)?
        private var waits = 0
        private var nextTime = ContinuousClock.now

        /// Whether to claim now, or to wait for the time of the next claim.
        mutating func next() -> Next {
            if isExhausted || isUnderWay { return .never }
            if ContinuousClock.now < nextTime {
                if isTimed { return .never }
                isTimed = true
                return .at(nextTime)
            }
            isUnderWay = true
            return .now
        }

        /// Ends the claim that is under way.
        ///
        /// - Parameter isBusy: true if jobs are in progress: then the next claim may wait longer.
        mutating func take(_ page: Result<[Job]?, any Error>, isBusy: Bool) -> [Job] {
            isUnderWay = false
            switch page {
            case .success(let jobs?):
                isExhausted = jobs.isEmpty
                waits = 0
                return jobs
            case .success(nil):
                nextTime = .now + (isBusy ? .milliseconds(100 << min(waits, 2)) : .milliseconds(100))
                waits += 1
                isExhausted = !isBusy && waits > Self.maxWaits
            case .failure(let error): (failure, isExhausted) = (error, true)
            }
            return []
        }
    }
}
