/// What a refresh is going to do, and how that changes while servers answer.
struct RefreshPlan {
    /// Hosts that asked for a pause, and until when.
    let pauses: HostPauses
    /// False while no server has answered anything: perhaps this machine is offline.
    private(set) var reachedAnyone = false
    private var turns: FetchTurns<FeedJob>

    enum Turn {
        case fetch(FeedJob)
        /// Not fetched after all: its host asked for a pause, or cannot be reached.
        case settled([FeedResult])
    }

    /// - Parameter podcasts: what the run claimed.
    init(_ podcasts: [Podcast], _ options: RefreshOptions, pauses: [String: Timestamp], now: Timestamp) {
        self.pauses = HostPauses(pauses, now: now)
        var jobs: [FeedJob] = []
        var jobOfURL: [String: Int] = [:]
        for podcast in podcasts {
            if let job = jobOfURL[podcast.feedURL] {
                jobs[job].podcasts.append(podcast)
            } else {
                jobOfURL[podcast.feedURL] = jobs.count
                jobs.append(FeedJob(podcast, hostKey: podcast.hostKey))
            }
        }
        turns = FetchTurns(jobs, perHost: options.perHost)
    }

    /// The next thing to do; nil where nothing may start before something under way has ended.
    mutating func next(now: Timestamp) -> Turn? {
        switch turns.take() {
        case .fetch(let job):
            return .fetch(job)
        case .wait(let job, let until):
            return .settled(job.podcasts.map { FeedResult(RefreshOutcome(skipped: $0, until: until)) })
        case .unreachable(let job, let failure):
            return .settled(job.podcasts.map { FeedResult(failed: $0, failure, now: now) })
        case nil:
            return nil
        }
    }

    /// Notes how a job ended: what its host asks for counts for all its feeds.
    mutating func ended(_ job: FeedJob, _ failure: FetchFailure?, now: Timestamp) {
        turns.ended(job, failure: failure)
        if let failure, let until = Schedule.retryAfter(failure, now: now) {
            // The host that said so, wherever redirects led.
            let host = failure.redirects.last.flatMap { WebURL($0.to)?.hostKey } ?? job.hostKey
            pauses.add(host, until: until)
            turns.pause(host, until: until)
        }
        if failure.map({ !$0.isUnreachable && $0.code != .cancelled }) ?? true { reachedAnyone = true }
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

    /// Bytes of feeds, about, and results that are worth it.
    private static let batchWeight = 4 << 20
    private static let batchCount = 2_048

    var isEmpty: Bool { results.isEmpty }
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
        let isOffline =
            !isReachable
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
