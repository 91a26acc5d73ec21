/// What the user asked a refresh for.
public struct RefreshOptions: Sendable {
    public enum Mode: Sendable {
        /// What is due.
        case due
        /// Also what is not due yet; never what Retry-After or a 410 forbids.
        case all
        /// Everything, without validators. Podcasts that are named are fetched whatever their servers said.
        case force
    }

    /// Only these; nil for all subscriptions.
    public var podcasts: Set<PodcastID>?
    public var mode = Mode.due
    /// How many feeds are under way at once.
    public var concurrency = 32
    /// How many of them on one host.
    public var perHost = 2
    public var limits = FetchLimits()
    /// Transcripts too, of all podcasts whose own setting does not say otherwise.
    public var transcripts = false
    /// And chapters.
    public var chapters = false
    /// Also reports each podcast when its feed is about to be fetched.
    public var reportsStarts = false
    /// How many episodes of a first fetch are new.
    public var newOnSubscribe = 0
    /// New episodes wait for an `--on-new` command.
    public var hasHook = false
    /// Also reports each podcast that is not due; otherwise they are only counted.
    public var reportsSkipped = false
    /// The run is one of many of a worker that keeps running. It claims until then, so that what follows a run is not late.
    public var claimsUntil: ContinuousClock.Instant?

    public init() {}

    /// The user named podcasts and means it: their hosts are asked though they want to be left alone.
    var passesPauses: Bool { mode == .force && podcasts != nil }
}

/// The outcome of one podcast in a refresh.
public struct RefreshOutcome: Sendable {
    /// The words of `outcome` in the command's JSON.
    public enum Kind: String, Sendable, CaseIterable {
        case updated, unchanged, notModified, moved, gone, skipped, failed
    }

    public var kind: Kind
    /// The podcast as it is stored now. Of a skipped one only id, feed URL and title.
    public var podcast: Podcast
    public var status: Int?
    /// The added episodes themselves, for hooks.
    public var added: [Episode] = []
    /// Those of them that are new to the owner.
    public var new: [EpisodeID] = []
    public var changed = 0
    public var withdrawn = 0
    /// Bytes of the body as they were sent.
    public var bytes = 0
    public var milliseconds = 0
    public var failure: FetchFailure?
    /// With `skipped`: when it is due again; nil after a 410, and if the user paused it.
    public var until: Timestamp?
    /// Why it was skipped.
    public var skipReason = SkippedPodcast.Reason.notYet
    /// Where the feed was before a move.
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

/// What a refresh reports while it runs, in order. An outcome is reported once it is durable.
public indirect enum RefreshEvent: Sendable {
    /// How many podcasts will be fetched.
    case planned(Int)
    case started(Podcast)
    /// So many podcasts are not due; they are not reported one by one.
    case skipped(Int)
    /// So many podcasts are being fetched by other runs.
    case leased(Int)
    case finished(RefreshOutcome)
    /// How many of how many transcripts, or chapters, were asked for.
    case transcripts(EpisodeText, done: Int, total: Int)
    /// The library is fine, but the index could not be brought in line; the next run tries again.
    case indexFailed(any Error)
}

/// On what a run spent processor time, in nanoseconds.
public struct ProcessorTimes: Equatable, Sendable {
    public var fetching = 0
    /// With comparing: both take turns on the same threads.
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
    /// Podcasts whose fetch was cut short because the run was cancelled; counted as `failed` too.
    public var interrupted = 0
    /// Podcasts that were left to other runs; nil if there can be none.
    public var leased: Int?
    public var added = 0
    /// Those of them that are new to the owner.
    public var new = 0
    public var changed = 0
    public var withdrawn = 0
    public var bytes = 0
    public var milliseconds = 0
    /// The first failure of this machine: exit codes 74 and 77.
    public var localFailure: LocalFailure?
    /// No server could be reached at all, so nothing was counted as a failure.
    public var wasOffline = false
    /// How long each stage took, summed over all feeds.
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
            let place = slowest.firstIndex { $0.milliseconds < outcome.milliseconds } ?? slowest.count
            slowest.insert((outcome.podcast, outcome.milliseconds), at: place)
            if slowest.count > Self.slowestCount { slowest.removeLast() }
        }
    }

    /// Adds what a later run of the same worker did.
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

    /// What the ledger keeps of the run.
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
