import Domain
import Results
import Scheduling

/// Claims due podcasts, a page at a time, and makes one job of the podcasts at one URL.
struct ClaimFeeds: Sendable {
    let work: any WorkSource
    let run: WorkRun
    let options: RefreshOptions
    let politeness: Politeness
    let podcasts: any PodcastRepository
    let clock: @Sendable () -> Timestamp

    /// Skipped podcasts that are reported together.
    private static let pageSize = 256

    init(
        _ library: Repositories, run: WorkRun, options: RefreshOptions, politeness: Politeness,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        work = library.work
        podcasts = library.podcasts
        self.run = run
        self.options = options
        self.politeness = politeness
        self.clock = clock
    }

    /// The next jobs, for at most `room` further ones at once; empty if nothing is left, nil if there may be more once
    /// claimed podcasts are settled.
    func next(_ room: Int) async throws -> [FeedJob]? {
        if let end = options.claimsUntil, .now >= end { return [] }
        let limit = run.pace.claimSize ?? room
        // Checked before claiming: podcasts settled meanwhile may enable a claim that found none.
        let mayFindMore = try await work.hasUnsettled(run.lease)
        let page = try await work.claim(run.lease, limit: limit, now: clock())
        if page.isEmpty { return mayFindMore ? nil : [] }
        let lanes = try await work.lanes(of: page.map(\.id), run.lease)
        var jobs: [FeedJob] = []
        var jobOfURL: [String: Int] = [:]
        for podcast in page {
            if let job = jobOfURL[podcast.feedURL] {
                jobs[job].podcasts.append(podcast)
            } else {
                jobOfURL[podcast.feedURL] = jobs.count
                jobs.append(FeedJob(podcast, hostKey: podcast.hostKey, lane: lanes[podcast.id]))
            }
        }
        let hosts = try await work.hosts(Array(Set(jobs.map(\.hostKey))))
        politeness.restore(pauses: hosts.compactMapValues(\.pausedUntil), areObeyed: !options.passesPauses)
        politeness.restore(allowances: hosts)
        let shares = jobs.compactMap { job in job.lane.map { (job.hostKey, $0.hostSlots) } }
        politeness.restore(shares: Dictionary(shares, uniquingKeysWith: max))
        return jobs
    }

    /// The job with those of its podcasts that should still be fetched from its URL.
    func current(_ job: FeedJob) async throws -> FeedJob {
        var current = job
        let leased = try await work.stillLeased(job.podcasts.map(\.id), run.lease)
        current.podcasts.removeAll { !leased.contains($0.id) }
        if current.podcasts.isEmpty { throw FetchFailure(.cancelled) }
        guard ContinuousClock.now - job.claimedAt > run.pace.trustedAge, !current.podcasts.isEmpty, work.mayHaveChanged else {
            return current
        }
        let now = clock()
        current.podcasts = try await podcasts.podcasts(current.podcasts.map(\.id)).filter {
            let verdict = Schedule.verdict(
                for: $0, mode: options.mode, isNamed: options.podcasts != nil, pause: nil, now: now)
            return $0.feedURL == job.lead.feedURL && verdict == .fetch
        }
        return current
    }

    func reportSkipped(to events: Handover<[RefreshEvent]>) async throws {
        // A worker that keeps running would report the same podcasts again and again.
        guard options.reportsSkipped else {
            return await events.send([.skipped(options.claimsUntil == nil ? run.skipped ?? 0 : 0)])
        }
        var last: PodcastID?
        while true {
            let page = try await work.skipped(run.lease, after: last, limit: Self.pageSize)
            await events.send(page.map { .finished(RefreshOutcome($0)) })
            guard page.count == Self.pageSize else { return }
            last = page.last?.id
        }
    }
}

extension ClaimFeeds {
    func reportRemainder(to events: Handover<[RefreshEvent]>) async throws {
        guard let remainder = try await work.remainder(run.lease) else { return }
        await events.send([.leased(remainder.leased), .skipped(options.reportsSkipped ? 0 : remainder.skipped)])
    }
}

/// A job and its reply.
struct AskedFeed: Sendable {
    let job: FeedJob
    let reply: FeedReply
    /// The time by which the request's validators are chosen.
    let askedAt: Timestamp
    /// The time of all changes that the reply causes, whenever it is compared.
    let repliedAt: Timestamp
    /// For the journal.
    let kind: RunReply.Kind

    init(_ job: FeedJob, _ reply: FeedReply, _ kind: RunReply.Kind, askedAt: Timestamp, repliedAt: Timestamp) {
        self.job = job
        self.reply = reply
        self.kind = kind
        self.askedAt = askedAt
        self.repliedAt = repliedAt
    }

    /// nil if the job was asked.
    init?(unasked outcome: Scheduler<FeedJob, Void>.Outcome, now: Timestamp) {
        switch outcome {
        case .replied: return nil
        case .paused(let job, let until): self.init(job, .paused(until: until), now: now)
        case .unreachable(let job, let failure): self.init(job, .unreachable(failure), now: now)
        }
    }

    /// A job that was not asked.
    init(_ job: FeedJob, _ kind: RunReply.Kind, now: Timestamp) {
        let reply: FeedReply =
            switch kind {
            case .paused(let until): .failure(HostPaused(until: until))
            case .unreachable(let failure): .failure(failure)
            case .asked, .dropped: .dropped
            }
        self.init(job, reply, kind, askedAt: now, repliedAt: now)
    }

    var journalEntry: RunReply {
        RunReply(podcasts: job.podcasts.map(\.id), kind: kind, askedAt: askedAt, repliedAt: repliedAt)
    }
}
