public import Domain
public import Results
import Scheduling
public import Searching

/// The main job: fetches every due feed, and makes changes durable and searchable.
///
/// ```
/// claim ─▶ ask × concurrency ─▶ compare × 8 ─▶ commit (batches) ─▶ index (batches)
///   │       │ Scheduler, Visit                    │                   │
///   └───────┴─────────── events ──────────────────┴───────────────────┴──▶ report
/// ```
/// The stages run concurrently, and each hands its results to the next by a bounded `Handover`. One `ByteBudget` covers
/// the memory between the response and the index: while it is spent, no further feed is requested or read. A slot at a
/// host is held only while waiting for the server; it is freed as soon as the response arrives, before the response is
/// compared.
///
/// A commit gathers the results that arrived during the previous one, so that many small files are synced together.
public struct RefreshEpisodes: Sendable {
    let fetcher: any FeedFetching
    let makeParser: MakeFeedParser
    let library: Repositories
    let index: (any SearchIndex)?
    let clock: @Sendable () -> Timestamp
    let journal: (any RunJournal)?
    let meter: RunMeter

    /// - Parameters:
    ///   - index: nil if it follows the library by itself.
    ///   - clock: gives the current time; read once per answer, since a run may take long.
    ///   - journal: records what a replay of the run needs; nil if the run is not recorded.
    ///   - meter: measures the run; the fetcher's wire must report to it.
    public init(
        _ library: Repositories, fetcher: any FeedFetching, makeParser: @escaping MakeFeedParser,
        index: (any SearchIndex)?, clock: @escaping @Sendable () -> Timestamp, journal: (any RunJournal)? = nil,
        meter: RunMeter = RunMeter()
    ) {
        self.fetcher = fetcher
        self.makeParser = makeParser
        self.library = library
        self.index = index
        self.clock = clock
        self.journal = journal
        self.meter = meter
    }

    /// Runs one refresh. If the task is cancelled, answers that have arrived are still stored and reported.
    ///
    /// - Parameters:
    ///   - politeness: shared by all fetches of the process.
    ///   - report: called in order; an outcome is reported once it is durable.
    /// - Throws: `LibraryFailure` if the subscriptions cannot be read or written, or `.locked` beside another refresh.
    public func run(
        _ options: RefreshOptions, _ politeness: Politeness, report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async throws -> RefreshSummary {
        let start = ContinuousClock.now
        let now = clock()
        var request = WorkRequest(podcasts: options.podcasts, mode: options.mode, perHost: options.perHost)
        request.keepsRunning = options.claimsUntil != nil
        let run = try await library.work.begin(request, now: now)
        // Episodes first seen by this run must be newer than those first seen by an earlier one.
        let clock = steady(clock, from: run.lastAddedAt.map { $0 + 1 })
        let startedAt = clock()
        journal?.began(RunStart(now: now, startedAt: startedAt, options: options))
        var times: RefreshTimes?
        var result: (summary: RefreshSummary, failure: (any Error)?) = (RefreshSummary(), nil)
        do {
            politeness.restore(pauses: run.pauses, areObeyed: !options.passesPauses)
            result = await stages(of: run, options, politeness, clock).run(report)
            if result.summary.fetched > 0 { times = result.summary.times(startedAt: startedAt, endedAt: clock(), since: start) }
            result.summary.startedAt = startedAt
            result.summary.wantsTexts = run.wantsTexts
            let hosts = politeness.rows()
            if result.failure == nil {
                journal?.ended(RunEnd(reachedAnyone: politeness.reachedAnyone, times: times, hosts: hosts))
            }
            try await library.work.store(hosts)
        } catch {
            result.failure = result.failure ?? error
        }
        do {
            try await library.work.release(run.lease, times: times)
        } catch {
            result.failure = result.failure ?? error
        }
        result.summary.milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        if let failure = result.failure {
            // If the database was lost, results stored before are still reported.
            guard let lost = failure as? DatabaseFailure, lost.isAbsence, result.summary.podcasts > 0 else { throw failure }
            result.summary.localFailure = result.summary.localFailure ?? LocalFailure(failure)
            return result.summary
        }
        // Applies tags that waited for these episodes. Those that cannot be written keep waiting.
        if result.summary.fetched > 0 || !request.keepsRunning { try? await RestoreTags(library).placeWaiting(now: clock()) }
        if let index {
            do {
                try await ReconcileIndex(library, index: index)()
            } catch {
                await report(.indexFailed(error))
            }
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
        let commit = CommitFeeds(library, lease: run.lease, isIndexed: index != nil)
        let store = StoreStages(commit: commit, index: index, meter: meter, journal: journal)
        ask.budget = store.budget
        return RefreshStages(
            claim: ClaimFeeds(library, run: run, options: options, politeness: politeness, clock: clock),
            feed: RefreshFeed(ask: ask, episodes: library.episodes, options: options),
            store: store, journal: journal)
    }
}
