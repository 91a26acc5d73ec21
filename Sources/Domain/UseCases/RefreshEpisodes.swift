/// The main job: asks for every feed that is due, and makes what changed durable and findable.
///
/// ```
/// podcasts ─▶ due? ─▶ turns ─▶ RefreshFeed × concurrency ─▶ RefreshCommit, one at a time ─▶ report, index
///            Schedule  FetchTurns  (ask, parse; compare)      (episodes, podcasts)
/// ```
/// Only who waits for a server takes one of the places for servers: what has come makes room for the next at once, and is
/// compared with what is kept when the disk has time.
///
/// Commits gather what ended while the one before was being written, so that many small files are synced together.
public struct RefreshEpisodes: Sendable {
    private let fetcher: any FeedFetching
    private let makeParser: MakeFeedParser
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let transcripts: any TranscriptRepository
    private let index: any SearchIndex
    private let clock: @Sendable () -> Timestamp

    /// - Parameter clock: the current time; asked once for each answer, since a long run outlives its start.
    public init(
        fetcher: any FeedFetching, makeParser: @escaping MakeFeedParser, podcasts: any PodcastRepository,
        episodes: any EpisodeRepository, transcripts: any TranscriptRepository, index: any SearchIndex,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.fetcher = fetcher
        self.makeParser = makeParser
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.index = index
        self.clock = clock
    }

    /// Runs one refresh. When the task is cancelled, what servers answered until then is still stored and reported.
    ///
    /// - Parameter report: called in order; an outcome is reported once it is durable.
    /// - Throws: `LibraryFailure` where the subscriptions themselves cannot be read or written.
    public func run(
        _ options: RefreshOptions, report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async throws -> RefreshSummary {
        let start = ContinuousClock.now
        var ledger = try await podcasts.ledger()
        var plan: RefreshPlan
        let clock: @Sendable () -> Timestamp
        (plan, clock) = try await makePlan(options, ledger)
        var summary = RefreshSummary()
        await report(.planned(plan.total))
        for outcome in plan.skipped {
            summary.add(outcome)
            await report(.finished(outcome))
        }

        let startedAt = clock()
        await refresh(&plan, options, &summary, clock, report)

        if summary.fetched > 0 {
            ledger.lastRefreshAt = startedAt
            ledger.lastRefreshEndedAt = clock()
            ledger.hostPauses = plan.pauses.all
            try await podcasts.save(ledger)
        }
        do {
            try await MendIndex(podcasts: podcasts, episodes: episodes, transcripts: transcripts, index: index).run()
        } catch {
            await report(.indexFailed(error))
        }
        summary.milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        return summary
    }

    /// What to do, and the clock of this run. The podcasts as they are now live on only in what is still to be done.
    private func makePlan(
        _ options: RefreshOptions, _ ledger: RefreshLedger
    ) async throws -> (RefreshPlan, @Sendable () -> Timestamp) {
        let known = try await podcasts.podcasts()
        let clock = clock(after: known)
        return (RefreshPlan(known, options, hostPauses: ledger.hostPauses, now: clock()), clock)
    }

    /// What this run sees first must be younger than what an earlier one saw, were that only a moment ago: these times
    /// tell which episodes are new, and they are whole seconds.
    private func clock(after podcasts: [Podcast]) -> @Sendable () -> Timestamp {
        let (clock, now) = (clock, clock())
        guard let latest = podcasts.compactMap(\.lastAddedAt).max(), latest >= now, latest - now < 5 else { return clock }
        return { max(clock(), latest + 1) }
    }

    private enum Step: Sendable {
        /// The results are there where no file had to be read for them.
        case answered(FeedJob, FeedReply, [FeedResult]?)
        case compared([FeedResult], weight: Int)
        case committed(RefreshCommit.Report)
        case indexed(weight: Int, (any Error)?)
        /// Wakes the loop, so that results do not wait for a slow server to be stored and shown.
        case tick
    }

    /// Bytes of feeds, about, that may be in memory at once, between the parser and the index.
    private static let mostHeld = 6 << 20
    /// Comparisons under way at once: they wait for one disk, and each takes more memory than a reply that waits for its turn.
    private static let mostComparing = 8

    private func refresh(
        _ plan: inout RefreshPlan, _ options: RefreshOptions, _ summary: inout RefreshSummary,
        _ clock: @escaping @Sendable () -> Timestamp, _ report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async {
        let feed = RefreshFeed(
            ask: AskFeed(fetcher: fetcher, makeParser: makeParser, pauses: options.passesPauses ? nil : plan.pauses),
            episodes: episodes, clock: clock, options: options)
        let commit = RefreshCommit(podcasts: podcasts, episodes: episodes, transcripts: transcripts)
        let index = self.index
        var pending = PendingResults()
        var unindexed = UnindexedChanges()
        var running = 0
        var replies: [(job: FeedJob, reply: FeedReply)] = []
        var comparing = 0
        var held = 0
        var isCommitting = false
        var isIndexing = false
        var isTicking = false

        await withTaskGroup(of: Step.self) { group in
            while true {
                // 1. Fill the window.
                while running < options.concurrency, held < Self.mostHeld, !Task.isCancelled,
                    let turn = plan.next(now: clock())
                {
                    switch turn {
                    case .fetch(let job):
                        running += 1
                        for podcast in job.podcasts { await report(.started(podcast)) }
                        group.addTask {
                            let reply = await feed.reply(to: job)
                            return .answered(job, reply, reply.hasFeed ? nil : await feed.results(of: job, reply))
                        }
                    case .settled(let results):
                        held += results.weight
                        pending.add(results, isReachable: plan.reachedAnyone)
                    }
                }
                // 2. Compare what has come with what is kept.
                while comparing < Self.mostComparing, !replies.isEmpty {
                    let (job, reply) = replies.removeFirst()
                    comparing += 1
                    group.addTask { .compared(await feed.results(of: job, reply), weight: reply.weight) }
                }
                // 3. Write what has gathered, one batch at a time.
                let isWaiting = running > 0 || comparing > 0
                if !isWaiting, pending.release(isReachable: plan.reachedAnyone) { summary.wasOffline = true }
                if !isCommitting, !pending.isEmpty {
                    if pending.isWorthWriting || !isWaiting {
                        isCommitting = true
                        let batch = pending.take()
                        group.addTask { .committed(await commit.run(batch)) }
                    } else if !isTicking {
                        isTicking = true
                        group.addTask {
                            try? await Task.sleep(for: .milliseconds(250))
                            return .tick
                        }
                    }
                }
                // 4. Index what is durable, beside the writing of the next batch.
                if !isIndexing, !unindexed.isEmpty {
                    isIndexing = true
                    let some = unindexed.takeSome()
                    group.addTask {
                        do { try await index.add(some.changes) } catch { return .indexed(weight: some.weight, error) }
                        return .indexed(weight: some.weight, nil)
                    }
                }
                // 5. Wait for the next thing to end.
                guard isWaiting || isCommitting || isIndexing, let step = await group.next() else { break }
                switch step {
                case .answered(let job, let reply, let results):
                    running -= 1
                    plan.ended(job, reply.failure, now: clock())
                    if let results {
                        pending.add(results, isReachable: plan.reachedAnyone)
                    } else {
                        held += reply.weight
                        replies.append((job, reply))
                    }
                case .compared(let results, let weight):
                    comparing -= 1
                    held += results.weight - weight
                    pending.add(results, isReachable: plan.reachedAnyone)
                case .committed(let done):
                    isCommitting = false
                    held -= done.releasedWeight
                    summary.localFailure = summary.localFailure ?? done.localFailure
                    for outcome in done.outcomes {
                        summary.add(outcome)
                        await report(.finished(outcome))
                    }
                    unindexed.add(done.unindexed)
                case .indexed(let weight, let error):
                    isIndexing = false
                    held -= weight
                    if let error { await report(.indexFailed(error)) }
                case .tick:
                    isTicking = false
                    pending.isDue = true
                }
            }
            group.cancelAll()
        }
        do { try await index.save() } catch { await report(.indexFailed(error)) }
    }
}
