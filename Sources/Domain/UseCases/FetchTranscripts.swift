/// Fetches the transcripts that feeds offer, of those podcasts whose transcripts are wanted.
///
/// ```
/// podcasts ─▶ TranscriptPlan ─▶ FetchTurns ─▶ AskTranscript × concurrency ─▶ commit, some at a time ─▶ index
///             (what is due,                    (ask, read)      (settle)
///              the newest first)
/// ```
/// It runs after the feeds were refreshed, by the same fetcher: limits and pauses of a host hold for both.
public struct FetchTranscripts: Sendable {
    private let fetcher: any FeedFetching
    private let read: ReadTranscript
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let transcripts: any TranscriptRepository
    private let work: any WorkSource
    private let index: any SearchIndex
    private let clock: @Sendable () -> Timestamp

    public init(
        fetcher: any FeedFetching, read: @escaping ReadTranscript, podcasts: any PodcastRepository,
        episodes: any EpisodeRepository, transcripts: any TranscriptRepository, work: any WorkSource,
        index: any SearchIndex, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.fetcher = fetcher
        self.read = read
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.work = work
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
        let pauses = HostPauses(try await work.pauses(now: clock()), now: clock())
        var run = Run(plan: TranscriptPlan(options, pauses, now: clock()), pauses: pauses)
        try await look(options, &run)
        guard !run.plan.podcasts.isEmpty || run.summary.localFailure != nil else { return nil }
        await fetch(options, &run, report)
        do {
            try await store(run.newPauses)
            try await store(run.plan)
        } catch {
            run.summary.localFailure = run.summary.localFailure ?? LocalFailure(error)
        }
        run.summary.waiting = run.plan.waiting
        do {
            if run.summary.added + run.summary.replaced > 0 {
                try await ReconcileIndex(podcasts: podcasts, episodes: episodes, transcripts: transcripts, index: index)()
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
        var newPauses: [String: Timestamp] = [:]
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
                newPauses[host] = until
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

    private func look(_ options: RefreshOptions, _ run: inout Run) async throws {
        if let named = options.podcasts {
            let due = try await podcasts.podcasts(named.sorted()).filter(run.plan.isDue)
                .sorted { ($0.latestEpisodeAt ?? .distantPast) > ($1.latestEpisodeAt ?? .distantPast) }
            for podcast in due where try await !look(at: podcast, &run) { break }
        } else {
            let listing = PodcastListing.transcripts(
                now: clock(), byDefault: options.transcripts, all: options.mode == .force)
            try await podcasts.forEach(in: listing, pageSize: 64) { try await look(at: $0, &run) }
        }
        run.plan.choose()
    }

    /// False if the plan needs no more podcasts.
    private func look(at podcast: Podcast, _ run: inout Run) async throws -> Bool {
        if Task.isCancelled || run.plan.isFull(before: podcast) { return false }
        guard run.plan.isDue(podcast) else { return true }
        do {
            let channel = try await episodes.channel(of: podcast.id) ?? Channel()
            let all = try await episodes.episodes(of: podcast.id)
            run.plan.add(podcast, channel, all, try await transcripts.known(of: podcast.id))
        } catch let failure as LibraryFailure {
            run.summary.localFailure = run.summary.localFailure ?? .storage(failure)
        }
        return true
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
        var settlements: [TranscriptSettlement] = []
        for (id, results) in Dictionary(grouping: batch, by: \.job.podcast.id) {
            if let podcast = run.plan.podcasts[id]?.podcast { settlements.append(TranscriptSettlement(podcast, results)) }
        }
        var stored: [(after: Int, podcast: Podcast)] = []
        do {
            stored = try await settle(settlements)
        } catch {
            return run.broke(LocalFailure(error))
        }
        for (_, podcast) in stored { run.plan.stored(podcast) }
        for result in batch {
            run.plan.ended(result)
            run.summary.add(result)
        }
        do {
            let episodes = Dictionary(grouping: batch.filter { !$0.segments.isEmpty }.map(\.job.episode), by: \.podcastID)
            let segments = Dictionary(
                settlements.map { ($0.podcast.id, $0.segments) }, uniquingKeysWith: { first, _ in first })
            try await index.apply(
                stored.filter { $0.after != $0.podcast.contentRevision }.map { after, podcast in
                    .episodes(
                        of: podcast, after: after, run.plan.podcasts[podcast.id]?.channel ?? Channel(),
                        episodes[podcast.id] ?? [], transcripts: segments[podcast.id] ?? [:])
                })
        } catch {
            await report(.indexFailed(error))
        }
    }

    /// Settles again on records that were edited meanwhile. Podcasts that are gone are dropped.
    ///
    /// - Returns: the stored records, and the content revision that each had before.
    private func settle(_ settlements: [TranscriptSettlement]) async throws -> [(after: Int, podcast: Podcast)] {
        var stored: [(after: Int, podcast: Podcast)] = []
        var remaining = settlements
        while !remaining.isEmpty {
            var lost: [TranscriptSettlement] = []
            for (settlement, result) in zip(remaining, try await transcripts.settle(remaining)) {
                switch result {
                case .stored(let podcast): stored.append((settlement.podcast.contentRevision, podcast))
                case .lost(let current):
                    guard let current else { continue }
                    var again = settlement
                    again.podcast = current
                    lost.append(again)
                }
            }
            remaining = lost
        }
        return stored
    }

    private func store(_ pauses: [String: Timestamp]) async throws {
        guard !pauses.isEmpty else { return }
        var hosts = try await work.hosts(Array(pauses.keys))
        for (host, until) in pauses { hosts[host, default: HostState()].pausedUntil = until }
        try await work.store(hosts)
    }

    private func store(_ plan: TranscriptPlan) async throws {
        var remaining = plan.records()
        while !remaining.isEmpty {
            remaining = try await podcasts.update(remaining).compactMap { result in
                guard case .lost(let current?) = result else { return nil }
                return plan.settled(current)
            }
        }
    }
}

extension TranscriptSettlement {
    fileprivate init(_ podcast: Podcast, _ results: [TranscriptResult]) {
        self.init(podcast)
        for result in results {
            if !result.segments.isEmpty { segments[result.entry.episodeID] = result.segments }
            entries.append(result.entry)
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
