public import Domain
public import Results
public import Searching

/// Replays a recorded refresh: no server is asked and no clock is read.
///
/// ```
/// script: batch by batch ─▶ ask, parse, compare × concurrency ─▶ commit ─▶ index ─▶ report
///                           (a wire repeats what servers said)
/// ```
/// Everything behind the wire runs for real. The script gives the batches and their order, so the resulting library is
/// that of the recorded run, whatever this machine does first.
public struct ReplayEpisodes: Sendable {
    let fetcher: any FeedFetching
    let makeParser: MakeFeedParser
    let library: Repositories
    let index: any SearchIndex
    let steps: ReplaySteps

    /// - Parameter fetcher: fetches through a wire that repeats the recording.
    public init(
        _ library: Repositories, fetcher: any FeedFetching, makeParser: @escaping MakeFeedParser, index: any SearchIndex,
        steps: ReplaySteps
    ) {
        self.fetcher = fetcher
        self.makeParser = makeParser
        self.library = library
        self.index = index
        self.steps = steps
    }

    /// - Parameters:
    ///   - concurrency: number of feeds parsed at once; does not affect the result.
    ///   - report: called in order; an outcome is reported once it is durable.
    /// - Throws: `LibraryFailure`, and the script's error if it cannot be read.
    public func run(
        _ script: any RunScript, concurrency: Int, report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async throws -> RefreshSummary {
        let start = ContinuousClock.now
        let run = try await library.work.begin(
            WorkRequest(podcasts: script.start.options.podcasts, mode: script.start.options.mode), now: script.start.now)
        let store = StoreStages(
            commit: CommitFeeds(library, lease: run.lease, isIndexed: true), index: index,
            meter: RunMeter())
        let batches = ReplayedBatches(script, feed(script), library.podcasts, concurrency: concurrency, budget: store.budget)
        await store.events.send([.planned(run.due ?? 0), .skipped(run.skipped ?? 0)])
        async let reading: Void = batches.readAhead()
        var summary = await store.run(report, next: batches.next) { script.reachedAnyone }
        await reading
        // A run that was killed stored no hosts.
        if let end = script.end { try await library.work.store(end.hosts) }
        try await library.work.release(run.lease, times: script.end?.times)
        if let failure = batches.failure { throw failure }
        if script.end != nil { try await finish(script, &summary, report) }
        do {
            try await ReconcileIndex(library, index: index)()
        } catch {
            await report(.indexFailed(error))
        }
        summary.milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        return summary
    }

    /// The steps after the last batch.
    private func finish(
        _ script: any RunScript, _ summary: inout RefreshSummary, _ report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async throws {
        try? await RestoreTags(library).placeWaiting(now: script.start.now)
        try await steps.run(script, &summary, report: report)
        if script.hookSucceeded { try await library.tags.take(library.tags.pendingEpisodes()) }
    }

    private func feed(_ script: any RunScript) -> RefreshFeed {
        let options = script.start.options
        let politeness = Politeness(slotsPerHost: options.perHost) { script.start.now }
        return RefreshFeed(
            ask: AskFeed(fetcher: fetcher, makeParser: makeParser, politeness: politeness, script: script),
            episodes: library.episodes,
            options: options)
    }
}
