public import Domain

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
    /// The number of added episodes that are not new because they came with the first fetch of their podcast.
    public var fromFirstFetches = 0
    public var changed = 0
    public var withdrawn = 0
    public var bytes = 0
    /// nil if the run did not get to the end.
    public var startedAt: Timestamp?
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
    /// False if no podcast has transcripts or chapters turned on.
    public var wantsTexts = true
    /// nil if no transcripts were due.
    public var transcripts: TranscriptSummary?
    /// nil if no chapters were due.
    public var chapters: TranscriptSummary?

    public init() {}

    public var podcasts: Int { counts.values.reduce(0, +) }
    /// Podcasts whose request was answered, or failed.
    public var fetched: Int { podcasts - count(of: .skipped) - interrupted }
    public func count(of kind: RefreshOutcome.Kind) -> Int { counts[kind, default: 0] }

    /// True if the library has other episodes or addresses than before.
    public var changesLibrary: Bool { added + changed + withdrawn + count(of: .moved) > 0 }

    package mutating func add(_ event: RefreshEvent) {
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
        if outcome.podcast.episodesRevision == 1 { fromFirstFetches += outcome.added.count - outcome.new.count }
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
        fromFirstFetches += later.fromFirstFetches
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
    package func times(startedAt: Timestamp, endedAt: Timestamp, since start: ContinuousClock.Instant) -> RefreshTimes {
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
