/// What a refresh is going to do, and how that changes while servers answer.
struct RefreshPlan {
    let skipped: [RefreshOutcome]
    /// Podcasts that are due.
    let total: Int
    /// Hosts that asked for a pause, and until when.
    let pauses: HostPauses
    /// False while no server has answered anything: perhaps this machine is offline.
    private(set) var reachedAnyone = false
    private var turns: FetchTurns<Podcast>
    /// By the podcast that stands for all at its URL.
    private var jobs: [PodcastID: FeedJob] = [:]

    enum Turn {
        case fetch(FeedJob)
        /// Not fetched after all: its host asked for a pause, or cannot be reached.
        case settled([FeedResult])
    }

    init(_ podcasts: [Podcast], _ options: RefreshOptions, hostPauses: [String: Timestamp], now: Timestamp) {
        pauses = HostPauses(hostPauses, now: now)
        var skipped: [RefreshOutcome] = []
        var leads: [Podcast] = []
        var leadOfURL: [String: PodcastID] = [:]
        var total = 0
        for podcast in podcasts where options.podcasts?.contains(podcast.id) ?? true {
            let verdict = Schedule.verdict(
                for: podcast, mode: options.mode, isNamed: options.podcasts != nil,
                pause: hostPauses[podcast.hostKey], now: now)
            switch verdict {
            case .wait(let until):
                skipped.append(RefreshOutcome(skipped: podcast, until: until))
            case .gone, .paused:
                skipped.append(RefreshOutcome(skipped: podcast, until: nil))
            case .fetch:
                total += 1
                if let lead = leadOfURL[podcast.feedURL] {
                    jobs[lead]?.podcasts.append(podcast)
                } else {
                    leadOfURL[podcast.feedURL] = podcast.id
                    leads.append(podcast)
                    jobs[podcast.id] = FeedJob(lead: podcast)
                }
            }
        }
        self.skipped = skipped
        self.total = total
        turns = FetchTurns(leads, perHost: options.perHost)
    }

    /// The next thing to do; nil where nothing may start before something under way has ended.
    mutating func next(now: Timestamp) -> Turn? {
        switch turns.take() {
        case .fetch(let lead):
            return .fetch(jobs.removeValue(forKey: lead.id) ?? FeedJob(lead: lead))
        case .wait(let lead, let until):
            return .settled(settle(lead) { FeedResult(RefreshOutcome(skipped: $0, until: until)) })
        case .unreachable(let lead, let failure):
            return .settled(settle(lead) { FeedResult(failed: $0, failure, now: now) })
        case nil:
            return nil
        }
    }

    /// Notes how a job ended: what its host asks for counts for all its feeds.
    mutating func ended(_ job: FeedJob, _ results: [FeedResult], now: Timestamp) {
        let failure = results.first?.outcome.failure
        turns.ended(job.lead, failure: failure)
        if let failure, let until = Schedule.retryAfter(failure, now: now) {
            // The host that said so, wherever redirects led.
            let host = failure.redirects.last.flatMap { WebURL($0.to)?.hostKey } ?? job.lead.hostKey
            pauses.add(host, until: until)
            turns.pause(host, until: until)
        }
        if failure.map({ !$0.isUnreachable && $0.code != .cancelled }) ?? true { reachedAnyone = true }
    }

    private mutating func settle(_ lead: Podcast, _ result: (Podcast) -> FeedResult) -> [FeedResult] {
        (jobs.removeValue(forKey: lead.id) ?? FeedJob(lead: lead)).podcasts.map(result)
    }
}

/// Results that wait to be written, and when that is worth a sync of the disk.
struct PendingResults {
    private var results: [FeedResult] = []
    private var weight = 0
    /// Failures to reach a server, held back while it may be this machine that is offline.
    private var unreached: [FeedResult] = []
    /// They waited long enough.
    var isDue = false

    /// Bytes of feeds, about, that may wait in memory; and how many results are written at once at most.
    private static let fullWeight = 6 << 20
    private static let batchWeight = 4 << 20
    private static let batchCount = 2_048

    var isEmpty: Bool { results.isEmpty }
    var isFull: Bool { weight > Self.fullWeight }
    var isWorthWriting: Bool { isDue || results.count >= Self.batchCount || weight >= Self.batchWeight }

    mutating func add(_ new: [FeedResult], isReachable: Bool) {
        for result in new {
            if !isReachable, result.outcome.failure?.isUnreachable == true {
                unreached.append(result)
            } else {
                results.append(result)
                weight += result.weight
            }
        }
        if isReachable { _ = release(isReachable: true) }
    }

    /// Lets go of what was held back; true where this machine was offline. Then it leaves no trace in the podcasts.
    mutating func release(isReachable: Bool) -> Bool {
        let isOffline = !isReachable
            && Schedule.wasOffline(failures: unreached.compactMap(\.outcome.failure), answers: 0)
        for var result in unreached {
            if isOffline { result.forgetFailure() }
            results.append(result)
        }
        unreached = []
        return isOffline
    }

    mutating func take() -> [FeedResult] {
        defer {
            results = []
            weight = 0
            isDue = false
        }
        return results
    }
}
