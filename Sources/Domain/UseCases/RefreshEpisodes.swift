/// The main job: asks for every feed that is due, and makes what changed durable and findable.
///
/// ```
/// claim ─▶ turns ─▶ RefreshFeed × concurrency ─▶ RefreshCommit, one at a time ─▶ report, index
///         FetchTurns  (ask, parse; compare)        (settle)
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
    private let work: any WorkSource
    private let index: any SearchIndex
    private let clock: @Sendable () -> Timestamp

    /// - Parameter clock: the current time; asked once for each answer, since a long run outlives its start.
    public init(
        fetcher: any FeedFetching, makeParser: @escaping MakeFeedParser, podcasts: any PodcastRepository,
        episodes: any EpisodeRepository, transcripts: any TranscriptRepository, work: any WorkSource,
        index: any SearchIndex, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.fetcher = fetcher
        self.makeParser = makeParser
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.work = work
        self.index = index
        self.clock = clock
    }

    /// Runs one refresh. When the task is cancelled, what servers answered until then is still stored and reported.
    ///
    /// - Parameter report: called in order; an outcome is reported once it is durable.
    /// - Throws: `LibraryFailure` if the subscriptions themselves cannot be read or written, `.locked` beside another refresh.
    public func run(
        _ options: RefreshOptions, report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async throws -> RefreshSummary {
        let start = ContinuousClock.now
        let work = try await self.work.begin(WorkRequest(podcasts: options.podcasts, mode: options.mode), now: clock())
        var summary = RefreshSummary()
        var times: RefreshTimes?
        do {
            let clock = clock(after: work.lastAddedAt)
            await report(.planned(work.due))
            try await skip(work, options, &summary, report)
            var plan = try await makePlan(work, options, now: clock())
            let known = plan.pauses.all
            let startedAt = clock()
            await refresh(&plan, work.lease, options, &summary, clock, report)
            if summary.fetched > 0 { times = RefreshTimes(startedAt: startedAt, endedAt: clock()) }
            try await store(plan.pauses, besides: known)
        } catch {
            try? await self.work.release(work.lease, times: nil)
            throw error
        }
        try await self.work.release(work.lease, times: times)
        do {
            try await ReconcileIndex(podcasts: podcasts, episodes: episodes, transcripts: transcripts, index: index)()
        } catch {
            await report(.indexFailed(error))
        }
        summary.milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        return summary
    }

    private static let pageSize = 512

    private func skip(
        _ run: WorkRun, _ options: RefreshOptions, _ summary: inout RefreshSummary,
        _ report: @Sendable (RefreshEvent) async -> Void
    ) async throws {
        guard options.reportsSkipped else {
            if run.skipped > 0 { summary.counts[.skipped] = run.skipped }
            return
        }
        var last: PodcastID?
        while true {
            let page = try await work.skipped(run.lease, after: last, limit: Self.pageSize)
            for podcast in page {
                let outcome = RefreshOutcome(podcast)
                summary.add(outcome)
                await report(.finished(outcome))
            }
            guard page.count == Self.pageSize else { return }
            last = page.last?.id
        }
    }

    private func makePlan(_ run: WorkRun, _ options: RefreshOptions, now: Timestamp) async throws -> RefreshPlan {
        var claimed: [Podcast] = []
        while claimed.count < run.due {
            let page = try await work.claim(run.lease, limit: Self.pageSize, now: now)
            if page.isEmpty { break }
            claimed += page
        }
        return RefreshPlan(claimed, options, pauses: try await work.pauses(now: now), now: now)
    }

    private func store(_ pauses: HostPauses, besides known: [String: Timestamp]) async throws {
        let new = pauses.all.filter { known[$0.key] != $0.value }
        guard !new.isEmpty else { return }
        var hosts = try await work.hosts(Array(new.keys))
        for (host, until) in new { hosts[host, default: HostState()].pausedUntil = until }
        try await work.store(hosts)
    }

    /// What this run sees first must be younger than what an earlier one saw, even if that was only a moment ago: these
    /// times tell which episodes are new, and they are whole seconds.
    private func clock(after latest: Timestamp?) -> @Sendable () -> Timestamp {
        let (clock, now) = (clock, clock())
        guard let latest, latest >= now, latest - now < 5 else { return clock }
        return { max(clock(), latest + 1) }
    }

    /// The job with the records as they are now: nil if its podcasts were removed, moved or paused since they were claimed.
    private func current(_ job: FeedJob, _ options: RefreshOptions) async throws -> FeedJob? {
        var current = job
        current.podcasts = try await podcasts.podcasts(job.podcasts.map(\.id)).filter {
            $0.feedURL == job.lead.feedURL && (!$0.settings.isPaused || options.podcasts != nil)
        }
        return current.podcasts.isEmpty ? nil : current
    }

    private enum Step: Sendable {
        /// The results are there where no file had to be read for them.
        case answered(FeedJob, FeedReply, [FeedResult]?)
        /// Not asked: the podcasts were removed, moved or paused since they were claimed.
        case dropped(FeedJob)
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
        _ plan: inout RefreshPlan, _ lease: WorkLease, _ options: RefreshOptions, _ summary: inout RefreshSummary,
        _ clock: @escaping @Sendable () -> Timestamp, _ report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async {
        let feed = RefreshFeed(
            ask: AskFeed(fetcher: fetcher, makeParser: makeParser, pauses: options.passesPauses ? nil : plan.pauses),
            episodes: episodes, clock: clock, options: options)
        let commit = RefreshCommit(work: work, lease: lease, transcripts: transcripts)
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
                            let reply: FeedReply
                            do {
                                guard let current = try await current(job, options) else { return .dropped(job) }
                                reply = await feed.reply(to: current)
                                return .answered(current, reply, reply.hasFeed ? nil : await feed.results(of: current, reply))
                            } catch {
                                reply = .failure(error)
                            }
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
                case .dropped(let job):
                    running -= 1
                    plan.ended(job, FetchFailure(.cancelled), now: clock())
                    pending.add(job.podcasts.map { .dropped($0) }, isReachable: plan.reachedAnyone)
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
        do { try await index.save(revision: nil) } catch { await report(.indexFailed(error)) }
    }
}
