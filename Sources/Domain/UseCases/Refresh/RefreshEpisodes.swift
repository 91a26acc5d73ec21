/// The main job: asks for every feed that is due, and makes what changed durable and findable.
///
/// ```
/// claim ─▶ ask × concurrency ─▶ compare × 8 ─▶ commit (batches) ─▶ index (batches)
///   │       │ Scheduler, Visit                    │                   │
///   └───────┴─────────── events ──────────────────┴───────────────────┴──▶ report
/// ```
/// The stages run side by side, and each hands its work to the next by a bounded `Handover`. One `ByteBudget` covers what
/// is in memory between the response and the index: while it is spent, no further feed is asked for. A slot at a host is
/// held only while waiting for the server; it is freed as soon as the response arrives, before the response is compared.
///
/// Commits gather what arrived while the one before was being written, so that many small files are synced together.
public struct RefreshEpisodes: Sendable {
    let fetcher: any FeedFetching
    let makeParser: MakeFeedParser
    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository
    let transcripts: any TranscriptRepository
    let work: any WorkSource
    let tags: any TagRepository
    let index: any SearchIndex
    let clock: @Sendable () -> Timestamp
    let journal: (any RunJournal)?
    let meter: RunMeter

    /// - Parameters:
    ///   - clock: the current time; asked once for each answer, since a long run outlives its start.
    ///   - journal: notes what a replay of the run needs; nil if it is not recorded.
    ///   - meter: measures the run; its wire is the fetcher's.
    public init(
        fetcher: any FeedFetching, makeParser: @escaping MakeFeedParser, podcasts: any PodcastRepository,
        episodes: any EpisodeRepository, transcripts: any TranscriptRepository, work: any WorkSource,
        tags: any TagRepository, index: any SearchIndex, clock: @escaping @Sendable () -> Timestamp,
        journal: (any RunJournal)? = nil, meter: RunMeter = RunMeter()
    ) {
        self.fetcher = fetcher
        self.makeParser = makeParser
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.work = work
        self.tags = tags
        self.index = index
        self.clock = clock
        self.journal = journal
        self.meter = meter
    }

    /// Runs one refresh. When the task is cancelled, what servers answered until then is still stored and reported.
    ///
    /// - Parameters:
    ///   - politeness: shared with whatever else the process fetches.
    ///   - report: called in order; an outcome is reported once it is durable.
    /// - Throws: `LibraryFailure` if the subscriptions themselves cannot be read or written, `.locked` beside another refresh.
    public func run(
        _ options: RefreshOptions, _ politeness: Politeness, report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async throws -> RefreshSummary {
        let start = ContinuousClock.now
        let now = clock()
        var request = WorkRequest(podcasts: options.podcasts, mode: options.mode, perHost: options.perHost)
        request.keepsRunning = options.claimsUntil != nil
        let run = try await work.begin(request, now: now)
        // What this run sees first is younger than what an earlier one saw.
        let clock = steady(clock, from: run.lastAddedAt.map { $0 + 1 })
        let startedAt = clock()
        journal?.began(RunStart(now: now, startedAt: startedAt, options: options))
        var times: RefreshTimes?
        var result: (summary: RefreshSummary, failure: (any Error)?) = (RefreshSummary(), nil)
        do {
            // With claims of a library that is shared come the pauses of their hosts.
            if !work.isShared {
                politeness.recall(pauses: try await work.pauses(now: startedAt), areObeyed: !options.passesPauses)
            }
            result = await stages(of: run, options, politeness, clock).run(report)
            if result.summary.fetched > 0 { times = result.summary.times(startedAt: startedAt, endedAt: clock(), since: start) }
            let hosts = politeness.rows()
            if result.failure == nil {
                journal?.ended(RunEnd(reachedAnyone: politeness.reachedAnyone, times: times, hosts: hosts))
            }
            try await work.store(hosts)
        } catch {
            result.failure = result.failure ?? error
        }
        do {
            try await work.release(run.lease, times: times)
        } catch {
            result.failure = result.failure ?? error
        }
        result.summary.milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        if let failure = result.failure {
            // What was stored before the database was lost is told all the same.
            guard let lost = failure as? DatabaseFailure, lost.isAbsence, result.summary.podcasts > 0 else { throw failure }
            result.summary.localFailure = result.summary.localFailure ?? LocalFailure(failure)
            return result.summary
        }
        // Tags that waited for these episodes. Those that cannot be written go on waiting.
        try? await RestoreTags(podcasts: podcasts, episodes: episodes, tags: tags).placeWaiting()
        do {
            try await ReconcileIndex(podcasts: podcasts, episodes: episodes, transcripts: transcripts, index: index)()
        } catch {
            await report(.indexFailed(error))
        }
        result.summary.milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        return result.summary
    }

    private func stages(
        of run: WorkRun, _ options: RefreshOptions, _ politeness: Politeness, _ clock: @escaping @Sendable () -> Timestamp
    ) -> RefreshStages {
        var ask = AskFeed(fetcher: fetcher, makeParser: makeParser, politeness: politeness)
        ask.journal = journal
        ask.meter = meter
        let commit = CommitFeeds(work: work, lease: run.lease, transcripts: transcripts)
        return RefreshStages(
            claim: ClaimFeeds(work: work, run: run, options: options, politeness: politeness, podcasts: podcasts, clock: clock),
            feed: RefreshFeed(ask: ask, episodes: episodes, options: options),
            store: StoreStages(commit: commit, index: index, meter: meter, journal: journal), journal: journal)
    }
}
