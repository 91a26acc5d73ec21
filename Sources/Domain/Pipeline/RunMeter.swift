import Synchronization

/// A step of processing one feed in a refresh.
public enum RunStage: String, Sendable, CaseIterable {
    /// Waiting for the host's turn.
    case wait
    case lookUp, connect, tls
    /// From the request to the first byte of the response.
    case firstByte
    case body
    case parse, compare
    /// For the whole batch that the feed is in.
    case commit, index

    var ordinal: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// How long each step took, in nanoseconds.
public struct RunTimings: Equatable, Sendable {
    private var nanoseconds = [Int](repeating: 0, count: RunStage.allCases.count)

    public init() {}

    public subscript(stage: RunStage) -> Int {
        get { nanoseconds[stage.ordinal] }
        set { nanoseconds[stage.ordinal] = newValue }
    }

    static func += (a: inout Self, b: Self) {
        for stage in RunStage.allCases { a[stage] += b[stage] }
    }
}

/// One timed step of a run.
public struct RunSpan: Sendable {
    public var stage: RunStage
    /// The podcast's id; empty for a batch of several.
    public var subject: String
    public var start: ContinuousClock.Instant
    public var end: ContinuousClock.Instant
    /// Number of feeds in a batch.
    public var feeds = 1
}

/// The only source of a run's measurements: the timings of feeds, the summary and the trace all read it.
public final class RunMeter: Sendable {
    private struct State {
        var feeds: [String: RunTimings] = [:]
        var total = RunTimings()
        var gauges: [(name: String, read: @Sendable () -> Int)] = []
    }

    private let trace: (@Sendable (RunSpan) -> Void)?
    private let state = Mutex(State())

    /// - Parameter trace: receives each span; nil if no trace is drawn.
    public init(trace: (@Sendable (RunSpan) -> Void)? = nil) { self.trace = trace }

    /// Measures what `body` does for one feed.
    func measure<Value>(_ stage: RunStage, for subject: String, _ body: () throws -> Value) rethrows -> Value {
        let start = ContinuousClock.now
        defer { note(RunSpan(stage: stage, subject: subject, start: start, end: .now)) }
        return try body()
    }

    func note(_ span: RunSpan) {
        let nanoseconds = (span.end - span.start).nanoseconds
        guard nanoseconds > 0 else { return }
        state.withLock { state in
            state.total[span.stage] += nanoseconds
            if !span.subject.isEmpty { state.feeds[span.subject, default: RunTimings()][span.stage] += nanoseconds }
        }
        trace?(span)
    }

    /// Counts a batch once in the total, and its full duration for each of its feeds.
    func note(_ span: RunSpan, of subjects: [String]) {
        note(span)
        let nanoseconds = (span.end - span.start).nanoseconds
        state.withLock { state in
            for subject in subjects { state.feeds[subject, default: RunTimings()][span.stage] += nanoseconds }
        }
    }

    /// Registers a number that changes during the run, such as the length of a queue.
    func gauge(_ name: String, _ read: @escaping @Sendable () -> Int) {
        state.withLock { $0.gauges.append((name, read)) }
    }

    /// Returns and forgets the timings of one feed.
    func take(_ subject: String) -> RunTimings? { state.withLock { $0.feeds.removeValue(forKey: subject) } }

    /// The sum over all feeds and batches.
    public var total: RunTimings { state.withLock { $0.total } }

    /// The current values of the gauges.
    public var readings: [(name: String, value: Int)] {
        state.withLock { $0.gauges }.map { ($0.name, $0.read()) }
    }
}

extension Duration {
    var nanoseconds: Int { Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000) }
}
