public import Domain
public import Results
public import Searching

/// Fetches the transcripts, or the chapters, that feeds offer, for podcasts that want them.
///
/// ```
/// podcasts ─▶ TranscriptPlan ─▶ ask × concurrency ─▶ commit (batches) ─▶ index
///             (what is due,      Scheduler           (settle)
///              the newest first)
/// ```
/// It runs after the feeds were refreshed and shares their `Politeness`, so that limits and pauses of a host cover
/// both.
public struct FetchTranscripts: Sendable {
    private let fetcher: any FeedFetching
    private let read: ReadTranscript
    private let library: Repositories
    private let index: (any SearchIndex)?
    private let passages: (any PassageStore)?
    private let clock: @Sendable () -> Timestamp
    private let journal: (any RunJournal)?

    /// - Parameters:
    ///   - passages: nil if advertising is not looked for.
    ///   - journal: notes what a replay needs; nil if the run is not recorded.
    public init(
        _ library: Repositories, fetcher: any FeedFetching, read: @escaping ReadTranscript, index: (any SearchIndex)?,
        passages: (any PassageStore)? = nil, clock: @escaping @Sendable () -> Timestamp, journal: (any RunJournal)? = nil
    ) {
        self.fetcher = fetcher
        self.read = read
        self.library = library
        self.index = index
        self.passages = passages
        self.clock = clock
        self.journal = journal
    }

    /// Runs once. If the task is cancelled, answers that have arrived are still stored.
    ///
    /// - Returns: nil if no transcript was due.
    /// - Throws: `LibraryFailure` if the subscriptions themselves cannot be read.
    public func run(
        _ text: EpisodeText, _ options: RefreshOptions, _ politeness: Politeness,
        report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async throws -> TranscriptSummary? {
        let now = clock()
        guard var commit = try await plan(text, options, politeness, now: now) else { return nil }
        journal?.noted(.planned(text, at: now))
        await fetch(options, politeness, &commit, report)
        let (hosts, reachedAnyone) = (politeness.rows(), politeness.reachedAnyone)
        journal?.noted(.textsEnded(reachedAnyone: reachedAnyone, hosts: hosts))
        if let failure = await commit.finish(reachedAnyone: reachedAnyone) { await report(.indexFailed(failure)) }
        return await end(commit, hosts, report)
    }

    /// Replays a recorded run from its plan on: no server is asked.
    ///
    /// - Throws: the errors of `run`, and of the script if it cannot be read.
    func replay(
        _ text: EpisodeText, plannedAt now: Timestamp, _ script: any RunScript, _ politeness: Politeness,
        report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async throws -> TranscriptSummary? {
        let options = script.start.options
        guard var commit = try await plan(text, options, politeness, now: now) else { return nil }
        let jobs = Dictionary(commit.plan.jobs.map { ($0.episode.id, $0) }) { first, _ in first }
        while let step = try script.nextStep() {
            switch step {
            case .texts(let replies, let reachedAnyone):
                var batch: [TranscriptResult] = []
                for reply in replies {
                    guard let job = jobs[reply.episode] else { continue }
                    guard case .asked = reply.kind else {
                        batch.append(TranscriptResult(job, notAsked: reply.kind, now: reply.repliedAt))
                        continue
                    }
                    var ask = ask(options, politeness) { reply.repliedAt }
                    ask.script = script
                    batch.append(await ask(job))
                }
                if let failure = await commit.run(batch, reachedAnyone: reachedAnyone) { await report(.indexFailed(failure)) }
            case .textsEnded(let reachedAnyone, let hosts):
                if let failure = await commit.finish(reachedAnyone: reachedAnyone) { await report(.indexFailed(failure)) }
                return await end(commit, hosts, report)
            default: return commit.summary
            }
        }
        // The run was killed before it stored its plan.
        return commit.summary
    }

    /// nil if nothing is due or the task was cancelled while planning.
    private func plan(
        _ text: EpisodeText, _ options: RefreshOptions, _ politeness: Politeness, now: Timestamp
    ) async throws -> CommitTranscripts? {
        var commit = CommitTranscripts(
            transcripts: library.transcripts, index: index, text: text, plan: TranscriptPlan(text, options, politeness, now: now))
        try await findWork(options, politeness, &commit, now: now)
        if Task.isCancelled || commit.plan.podcasts.isEmpty && commit.summary.localFailure == nil { return nil }
        return commit
    }

    private func end(
        _ commit: CommitTranscripts, _ hosts: [String: HostState], _ report: @Sendable (RefreshEvent) async -> Void
    ) async -> TranscriptSummary {
        var summary = commit.summary
        do {
            try await library.work.store(hosts)
            try await store(commit.plan)
        } catch {
            summary.localFailure = summary.localFailure ?? LocalFailure(error)
        }
        summary.waiting = commit.plan.waiting
        do {
            if commit.text == .transcript, let passages, !commit.changed.isEmpty {
                try await MarkAdvertising(library: library, index: index, passages: passages)(commit.changed)
            }
            if let index, summary.added + summary.replaced > 0 {
                try await ReconcileIndex(library, index: index)()
            }
        } catch {
            await report(.indexFailed(error))
        }
        return summary
    }

    private func findWork(
        _ options: RefreshOptions, _ politeness: Politeness, _ commit: inout CommitTranscripts, now: Timestamp
    ) async throws {
        var hasPauses = false
        /// Reads the hosts' pauses only once there is a podcast to add.
        func add(_ podcast: Podcast, to commit: inout CommitTranscripts) async throws -> Bool {
            if !hasPauses { politeness.restore(pauses: try await library.work.pauses(now: now)) }
            hasPauses = true
            return try await self.add(podcast, to: &commit)
        }
        if let named = options.podcasts {
            let due = try await library.podcasts.podcasts(named.sorted()).filter(commit.plan.isDue)
                .sorted { ($0.latestEpisodeAt ?? .distantPast) > ($1.latestEpisodeAt ?? .distantPast) }
            for podcast in due where try await !add(podcast, to: &commit) { break }
        } else {
            let listing = PodcastListing.transcripts(
                of: commit.text, now: now, byDefault: options.wants(commit.text), all: options.mode == .force)
            try await library.podcasts.forEach(in: listing, pageSize: 64) { try await add($0, to: &commit) }
        }
        commit.plan.choose()
    }

    /// False if the plan needs no more podcasts.
    private func add(_ podcast: Podcast, to commit: inout CommitTranscripts) async throws -> Bool {
        if Task.isCancelled || commit.plan.isFull(before: podcast) { return false }
        guard commit.plan.isDue(podcast) else { return true }
        do {
            let channel = try await library.episodes.channel(of: podcast.id) ?? Channel()
            let all = try await library.episodes.episodes(of: podcast.id)
            commit.plan.add(podcast, channel, all, try await library.transcripts.entries(of: podcast.id))
        } catch let failure as LibraryFailure {
            commit.summary.localFailure = commit.summary.localFailure ?? .storage(failure)
        }
        return true
    }

    /// Many small files share one sync of the disk, but no result waits long. A segment weighs 1.
    private static let commitSize = BatchSize(count: 64, weight: 50_000, maxWait: .milliseconds(500))

    private func fetch(
        _ options: RefreshOptions, _ politeness: Politeness, _ commit: inout CommitTranscripts,
        _ report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async {
        let ask = ask(options, politeness, clock)
        let answered = Handover<TranscriptResult>(capacity: 256)
        let scheduler = Scheduler<TranscriptJob, TranscriptResult>(concurrency: options.concurrency, politeness: politeness)
        let (jobs, text, clock) = (commit.plan.jobs, commit.text, clock)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var done = 0
                await scheduler.run(jobs) { job in
                    await ask(job)
                } handOver: { outcome in
                    let result = TranscriptResult(outcome, now: clock())
                    if case .replied = outcome {
                        done += 1
                        await report(.transcripts(text, done: done, total: jobs.count))
                    }
                    await answered.send(result, weight: result.segments.count)
                }
                answered.close()
            }
            while let batch = await answered.batch(Self.commitSize) {
                let reachedAnyone = politeness.reachedAnyone
                journal?.noted(.texts(batch.map(TextReply.init), reachedAnyone: reachedAnyone))
                if let failure = await commit.run(batch, reachedAnyone: reachedAnyone) { await report(.indexFailed(failure)) }
                // A failure of this machine would affect all further results.
                if commit.summary.localFailure != nil { group.cancelAll() }
            }
        }
    }

    private func ask(
        _ options: RefreshOptions, _ politeness: Politeness, _ clock: @escaping @Sendable () -> Timestamp
    ) -> AskTranscript {
        AskTranscript(
            fetcher: fetcher, read: read, clock: clock, limits: options.limits, isForced: options.mode == .force,
            politeness: politeness)
    }

    private func store(_ plan: TranscriptPlan) async throws {
        var remaining = plan.records()
        while !remaining.isEmpty {
            remaining = try await library.podcasts.update(remaining).compactMap { result in
                guard case .lost(let current?) = result else { return nil }
                return plan.settled(current)
            }
        }
    }
}

extension TextReply {
    fileprivate init(_ result: TranscriptResult) {
        self.init(episode: result.job.episode.id, kind: result.reply, repliedAt: result.entry.askedAt)
    }
}
