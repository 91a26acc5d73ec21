/// The user's options of a refresh.
public struct RefreshOptions: Sendable {
    public enum Mode: Sendable {
        /// Due podcasts.
        case due
        /// Also podcasts that are not due yet, but never those that a Retry-After or a 410 forbids.
        case all
        /// Everything, without validators. Named podcasts are fetched whatever their servers said.
        case force
    }

    /// Only these podcasts; nil for all.
    public var podcasts: Set<PodcastID>?
    public var mode = Mode.due
    /// Number of feeds in progress at once.
    public var concurrency = 32
    /// Number of simultaneous requests per host.
    public var perHost = 2
    public var limits = FetchLimits()
    /// Whether to fetch transcripts, unless a podcast's own setting differs.
    public var transcripts = false
    /// Whether to fetch chapters, unless a podcast's own setting differs.
    public var chapters = false
    /// Whether to report each podcast when its fetch begins.
    public var reportsStarts = false
    /// Number of episodes of a first fetch that become new.
    public var newOnSubscribe = 0
    /// True if new episodes wait for an `--on-new` command.
    public var hasHook = false
    /// Whether to report each podcast that is not due; otherwise they are only counted.
    public var reportsSkipped = false
    /// Set for a worker that keeps running: the run claims podcasts until then, so that the work after it is not late.
    public var claimsUntil: ContinuousClock.Instant?

    public init() {}

    /// True if named podcasts are fetched although their hosts asked for a pause.
    var passesPauses: Bool { mode == .force && podcasts != nil }
}

/// The outcome of one podcast in a refresh.
public struct RefreshOutcome: Sendable {
    /// The words of `outcome` in the command's JSON.
    public enum Kind: String, Sendable, CaseIterable {
        case updated, unchanged, notModified, moved, gone, skipped, failed
    }

    public var kind: Kind
    /// The podcast as stored now. For a skipped one, only id, feed URL and title are set.
    public var podcast: Podcast
    public var status: Int?
    /// The added episodes, for hooks.
    public var added: [Episode] = []
    /// The added episodes that are new to the owner.
    public var new: [EpisodeID] = []
    public var changed = 0
    public var withdrawn = 0
    /// Bytes of the body as they were sent.
    public var bytes = 0
    public var milliseconds = 0
    public var failure: FetchFailure?
    /// For `skipped`: when it is due again; nil after a 410 and if the user paused it.
    public var until: Timestamp?
    /// Why it was skipped.
    public var skipReason = SkippedPodcast.Reason.notYet
    /// The feed URL before a move.
    public var movedFrom: String?
    /// How long each step took; nil if nothing was measured.
    public var timings: RunTimings?

    public init(_ kind: Kind, podcast: Podcast) {
        self.kind = kind
        self.podcast = podcast
    }

    init(_ skipped: SkippedPodcast) {
        var podcast = Podcast(id: skipped.id, feedURL: skipped.feedURL, subscribedAt: .distantPast)
        podcast.title = skipped.title
        self.init(skipped: podcast, until: skipped.until)
        skipReason = skipped.reason
    }

    init(skipped podcast: Podcast, until: Timestamp?) {
        self.init(.skipped, podcast: podcast)
        self.until = until
    }
}

/// An event that a refresh reports, in order. An outcome is reported once it is durable.
public indirect enum RefreshEvent: Sendable {
    /// The number of podcasts to be fetched.
    case planned(Int)
    case started(Podcast)
    /// The number of podcasts that are not due, if they are not reported one by one.
    case skipped(Int)
    /// The number of podcasts that other runs are fetching.
    case leased(Int)
    case finished(RefreshOutcome)
    /// The progress of fetching transcripts or chapters.
    case transcripts(EpisodeText, done: Int, total: Int)
    /// The library is fine, but the index could not be brought in line; the next run tries again.
    case indexFailed(any Error)
}

/// Processor time used by a run, in nanoseconds.
public struct ProcessorTimes: Equatable, Sendable {
    public var fetching = 0
    /// Includes comparing, which shares its threads.
    public var parsing = 0
    public var storing = 0
    public var indexing = 0

    public init() {}

    public static func += (a: inout Self, b: Self) {
        a.fetching += b.fetching
        a.parsing += b.parsing
        a.storing += b.storing
        a.indexing += b.indexing
    }

    public static func - (a: Self, b: Self) -> Self {
        var difference = ProcessorTimes()
        difference.fetching = a.fetching - b.fetching
        difference.parsing = a.parsing - b.parsing
        difference.storing = a.storing - b.storing
        difference.indexing = a.indexing - b.indexing
        return difference
    }
}

/// The counts of a whole refresh.
public struct RefreshSummary: Sendable {
    public var counts: [RefreshOutcome.Kind: Int] = [:]
    /// Podcasts whose fetch was interrupted because the run was cancelled; also counted as `failed`.
    public var interrupted = 0
    /// Podcasts left to other runs; nil if the library is not shared.
    public var leased: Int?
    public var added = 0
    /// The number of added episodes that are new to the owner.
    public var new = 0
    public var changed = 0
    public var withdrawn = 0
    public var bytes = 0
    public var milliseconds = 0
    /// The first failure of this machine (exit codes 74 and 77).
    public var localFailure: LocalFailure?
    /// True if no server could be reached at all, so that nothing was counted as a failure.
    public var wasOffline = false
    /// The time that each stage took, summed over all feeds.
    public var time = RunTimings()
    public var processor = ProcessorTimes()
    /// The podcasts whose servers took longest, with milliseconds, slowest first.
    public private(set) var slowest: [(podcast: Podcast, milliseconds: Int)] = []
    /// nil if no transcripts were due.
    public var transcripts: TranscriptSummary?
    /// nil if no chapters were due.
    public var chapters: TranscriptSummary?

    public init() {}

    public var podcasts: Int { counts.values.reduce(0, +) }
    /// Podcasts whose request was answered, or failed.
    public var fetched: Int { podcasts - count(of: .skipped) - interrupted }
    public func count(of kind: RefreshOutcome.Kind) -> Int { counts[kind, default: 0] }

    mutating func add(_ event: RefreshEvent) {
        switch event {
        case .finished(let outcome): add(outcome)
        case .skipped(let count): if count > 0 { counts[.skipped, default: 0] += count }
        case .leased(let count): leased = count
        case .planned, .started, .transcripts, .indexFailed: break
        }
    }

    private mutating func add(_ outcome: RefreshOutcome) {
        counts[outcome.kind, default: 0] += 1
        if outcome.failure?.code == .cancelled { interrupted += 1 }
        added += outcome.added.count
        new += outcome.new.count
        changed += outcome.changed
        withdrawn += outcome.withdrawn
        bytes += outcome.bytes
        if outcome.milliseconds > slowest.last?.milliseconds ?? 0 || slowest.count < Self.slowestCount,
            outcome.milliseconds > 0
        {
            let index = slowest.firstIndex { $0.milliseconds < outcome.milliseconds } ?? slowest.count
            slowest.insert((outcome.podcast, outcome.milliseconds), at: index)
            if slowest.count > Self.slowestCount { slowest.removeLast() }
        }
    }

    /// Adds the summary of a later run of the same worker.
    public mutating func add(_ later: RefreshSummary) {
        counts.merge(later.counts, uniquingKeysWith: +)
        interrupted += later.interrupted
        added += later.added
        new += later.new
        changed += later.changed
        withdrawn += later.withdrawn
        bytes += later.bytes
        milliseconds += later.milliseconds
        leased = later.leased
        localFailure = later.localFailure
        wasOffline = later.wasOffline
        time += later.time
        processor += later.processor
        slowest = Array((slowest + later.slowest).sorted { $0.milliseconds > $1.milliseconds }.prefix(Self.slowestCount))
        transcripts = later.transcripts.map { $0.added(to: transcripts) } ?? transcripts
        chapters = later.chapters.map { $0.added(to: chapters) } ?? chapters
    }

    private static let slowestCount = 10

    /// The times and counters to store for the run.
    func times(startedAt: Timestamp, endedAt: Timestamp, since start: ContinuousClock.Instant) -> RefreshTimes {
        var times = RefreshTimes(startedAt: startedAt, endedAt: endedAt)
        times.counters.refreshes = 1
        times.counters.fetches = counts.filter { $0.key != .skipped }
        times.counters.added = added
        times.counters.bytes = bytes
        times.counters.milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        times.counters.stages = time
        return times
    }
}
