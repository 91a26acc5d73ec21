/// Fetches the transcripts that feeds offer, of those podcasts whose transcripts are wanted.
///
/// ```
/// podcasts ─▶ TranscriptPlan ─▶ FetchTurns ─▶ AskTranscript × concurrency ─▶ commit, some at a time ─▶ index
///             (what is due,                    (ask, read)      (count the write, transcripts)
///              the newest first)
/// ```
/// It runs after the feeds were refreshed, by the same fetcher: limits and pauses of a host hold for both.
public struct FetchTranscripts: Sendable {
    private let fetcher: any FeedFetching
    private let read: ReadTranscript
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let transcripts: any TranscriptRepository
    private let index: any SearchIndex
    private let clock: @Sendable () -> Timestamp

    public init(
        fetcher: any FeedFetching, read: @escaping ReadTranscript, podcasts: any PodcastRepository,
        episodes: any EpisodeRepository, transcripts: any TranscriptRepository, index: any SearchIndex,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.fetcher = fetcher
        self.read = read
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.index = index
        self.clock = clock
    }

    /// Runs once. When the task is cancelled, what servers answered until then is still kept.
    ///
    /// - Returns: nil where no transcript was due.
    /// - Throws: `LibraryFailure` where the subscriptions themselves cannot be read.
    public func run(
        _ options: RefreshOptions, report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async throws -> TranscriptSummary? {
        let known = try await podcasts.podcasts()
        guard options.transcripts || known.contains(where: { $0.settings.transcripts == true }) else { return nil }
        var ledger = try await podcasts.ledger()
        let pauses = HostPauses(ledger.hostPauses, now: clock())
        var run = Run(plan: TranscriptPlan(options, pauses, now: clock()), pauses: pauses)
        try await look(at: known, &run)
        guard !run.plan.podcasts.isEmpty || run.summary.localFailure != nil else { return nil }
        await fetch(options, &run, report)
        do {
            if pauses.all != ledger.hostPauses {
                ledger.hostPauses = pauses.all
                try await podcasts.save(ledger)
            }
            try await podcasts.save(run.plan.records())
        } catch {
            run.summary.localFailure = run.summary.localFailure ?? LocalFailure(error)
        }
        run.summary.waiting = run.plan.waiting
        do {
            if run.summary.added + run.summary.replaced > 0 {
                try await MendIndex(podcasts: podcasts, episodes: episodes, transcripts: transcripts, index: index).run()
            }
        } catch {
            await report(.indexFailed(error))
        }
        return run.summary
    }

    /// What changes while it runs.
    private struct Run {
        var plan: TranscriptPlan
        let pauses: HostPauses
        var summary = TranscriptSummary()
        /// Answered, and not yet written.
        var pending: [TranscriptResult] = []
        /// It waited long enough.
        var isDue = false
        /// Failures to reach a server, held back while it may be this machine that is offline.
        var unreached: [TranscriptResult] = []
        var reachedAnyone = false
        /// The disk or this machine failed: there is no use in going on.
        var isBroken = false

        /// Many small files share one sync of the disk, but nobody waits long for what has come.
        var isWorthWriting: Bool {
            isDue || pending.count >= 64 || pending.reduce(0) { $0 + $1.segments.count } > 50_000
        }

        mutating func ended(_ result: TranscriptResult, now: Timestamp) {
            if let failure = result.localFailure {
                broke(failure)
                return settle(result)
            }
            guard let failure = result.failure else {
                reachedAnyone = true
                return settle(result)
            }
            if let until = Schedule.retryAfter(failure, now: now) {
                let host = failure.redirects.last.flatMap { WebURL($0.to)?.hostKey } ?? result.job.hostKey
                pauses.add(host, until: until)
            }
            if failure.isUnreachable { unreached.append(result) } else { settle(result) }
            if !failure.isUnreachable, failure.code != .cancelled { reachedAnyone = true }
        }

        mutating func settle(_ result: TranscriptResult) {
            if case .waiting = result.kind { plan.ended(result) } else { pending.append(result) }
        }

        mutating func broke(_ failure: LocalFailure?) {
            isBroken = true
            summary.localFailure = summary.localFailure ?? failure
        }

        /// One server that cannot be reached has failed; where none can, nobody has.
        mutating func settleUnreached() {
            guard reachedAnyone || !Schedule.wasOffline(failures: unreached.compactMap(\.failure), answers: 0) else { return }
            unreached.forEach { settle($0) }
            unreached = []
        }
    }

    private func look(at known: [Podcast], _ run: inout Run) async throws {
        let due = known.filter(run.plan.isDue)
            .sorted { ($0.latestEpisodeAt ?? .distantPast) > ($1.latestEpisodeAt ?? .distantPast) }
        for podcast in due {
            if Task.isCancelled || run.plan.isFull(before: podcast) { break }
            do {
                let channel = try await episodes.channel(of: podcast.id) ?? Channel()
                let all = try await episodes.episodes(of: podcast.id)
                run.plan.add(podcast, channel, all, try await transcripts.known(of: podcast.id))
            } catch let failure as LibraryFailure {
                run.summary.localFailure = run.summary.localFailure ?? .storage(failure)
            }
        }
        run.plan.choose()
    }

    private func fetch(
        _ options: RefreshOptions, _ run: inout Run, _ report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async {
        let ask = AskTranscript(
            fetcher: fetcher, read: read, clock: clock, limits: options.limits,
            isForced: options.mode == .force, pauses: run.pauses)
        var turns = FetchTurns(run.plan.jobs, perHost: options.perHost)
        let total = turns.remaining
        var (running, done) = (0, 0)
        var isTicking = false
        await withTaskGroup(of: TranscriptResult?.self) { group in
            while true {
                while running < options.concurrency, !run.isBroken, !Task.isCancelled, let turn = turns.take() {
                    switch turn {
                    case .fetch(let job):
                        running += 1
                        group.addTask { await ask(job) }
                    case .wait(let job, let until):
                        run.settle(TranscriptResult(job, .waiting(until: until), now: clock()))
                    case .unreachable(let job, let failure):
                        run.ended(TranscriptResult(job, failure, now: clock()), now: clock())
                    }
                }
                if running == 0 { run.settleUnreached() }
                if run.isWorthWriting || running == 0 {
                    await commit(&run, report)
                }
                if run.isBroken { group.cancelAll() }
                if !run.pending.isEmpty, !isTicking {
                    isTicking = true
                    group.addTask {
                        try? await Task.sleep(for: .milliseconds(500))
                        return nil
                    }
                }
                guard running > 0, let next = await group.next() else { break }
                guard let result = next else {
                    // What has come does not wait for a slow server to be kept.
                    (isTicking, run.isDue) = (false, true)
                    continue
                }
                running -= 1
                done += 1
                turns.ended(result.job, failure: result.failure)
                run.ended(result, now: clock())
                await report(.transcripts(done: done, total: total))
            }
            group.cancelAll()
        }
    }

    // MARK: Writing

    /// Makes what is pending durable, then findable.
    private func commit(_ run: inout Run, _ report: @escaping @Sendable (RefreshEvent) async -> Void) async {
        let batch = run.pending
        run.pending = []
        run.isDue = false
        guard !batch.isEmpty else { return }
        var changes: [TranscriptChanges] = []
        var counted: [Podcast] = []
        for (id, results) in Dictionary(grouping: batch, by: \.job.podcast.id) {
            if results.contains(where: { !$0.segments.isEmpty }), let podcast = run.plan.nextRevision(of: id) {
                counted.append(podcast)
            }
            let revision = run.plan.podcasts[id]?.podcast.transcripts.revision ?? 0
            changes.append(TranscriptChanges(podcastID: id, revision: revision, results))
        }
        do {
            // 1. The index must ask again for whatever comes next, should this be cut short.
            if !counted.isEmpty { try await podcasts.save(counted) }
            // 2. The transcripts, then the lists that speak of them.
            try await transcripts.apply(changes)
        } catch {
            return run.broke(LocalFailure(error))
        }
        for podcast in counted { run.plan.wrote(podcast.id) }
        for result in batch {
            run.plan.ended(result)
            run.summary.add(result)
        }
        // 3. What is derived.
        do {
            let episodes = Dictionary(grouping: batch.filter { !$0.segments.isEmpty }.map(\.job.episode), by: \.podcastID)
            let segments = Dictionary(changes.map { ($0.podcastID, $0.segments) }, uniquingKeysWith: { first, _ in first })
            try await index.apply(
                counted.map { podcast in
                    .episodes(
                        of: podcast.asIndexed, run.plan.podcasts[podcast.id]?.channel ?? Channel(),
                        episodes[podcast.id] ?? [], transcripts: segments[podcast.id] ?? [:])
                })
        } catch {
            await report(.indexFailed(error))
        }
    }
}

extension TranscriptChanges {
    fileprivate init(podcastID: PodcastID, revision: Int, _ results: [TranscriptResult]) {
        self.init(podcastID: podcastID, revision: revision)
        for result in results {
            var entry = result.entry
            if !result.segments.isEmpty {
                entry.kept?.revision = revision
                segments[entry.episodeID] = result.segments
            }
            entries.append(entry)
        }
    }
}

/// What became of the transcripts in a refresh.
public struct TranscriptSummary: Hashable, Sendable {
    /// Episodes that had none before.
    public var added = 0
    public var replaced = 0
    /// Asked for again, and still what is kept.
    public var unchanged = 0
    public var failed = 0
    /// Left to a later run: there are more than one run asks for, or the host asked for a pause.
    public var waiting = 0
    public var localFailure: LocalFailure?

    public init() {}

    mutating func add(_ result: TranscriptResult) {
        switch result.kind {
        case .added: added += 1
        case .replaced: replaced += 1
        case .unchanged: unchanged += 1
        case .failed: failed += 1
        case .waiting: break
        }
    }
}
