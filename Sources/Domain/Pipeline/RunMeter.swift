import Synchronization

/// A step of a feed's way through a refresh.
public enum RunStage: String, Sendable, CaseIterable {
    /// For its host's turn.
    case wait
    case lookUp, connect, tls
    /// From the request to the first byte of the response.
    case firstByte
    case body
    case parse, compare
    /// With the other feeds of its batch.
    case commit, index

    public var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// How long each step took, in nanoseconds.
public struct RunTimings: Equatable, Sendable {
    private var nanoseconds = [Int](repeating: 0, count: RunStage.allCases.count)

    public init() {}

    public subscript(stage: RunStage) -> Int {
        get { nanoseconds[stage.place] }
        set { nanoseconds[stage.place] = newValue }
    }

    static func += (a: inout Self, b: Self) {
        for stage in RunStage.allCases { a[stage] += b[stage] }
    }
}

/// Something that took time in a run.
public struct RunSpan: Sendable {
    public var stage: RunStage
    /// The podcast's id; empty for a batch of several.
    public var subject: String
    public var start: ContinuousClock.Instant
    public var end: ContinuousClock.Instant
    /// Feeds in it, if it is a batch.
    public var feeds = 1
}

/// Measures a run: the one place that does. Timings of feeds, the summary and the trace all read from it.
public final class RunMeter: Sendable {
    private struct State {
        var feeds: [String: RunTimings] = [:]
        var total = RunTimings()
        var gauges: [(name: String, read: @Sendable () -> Int)] = []
    }

    private let trace: (@Sendable (RunSpan) -> Void)?
    private let state = Mutex(State())

    /// - Parameter trace: is told of each span; nil if nobody draws it.
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

    /// A batch took so long, and each of its feeds waited for all of it.
    func note(_ span: RunSpan, of subjects: [String]) {
        note(span)
        let nanoseconds = (span.end - span.start).nanoseconds
        state.withLock { state in
            for subject in subjects { state.feeds[subject, default: RunTimings()][span.stage] += nanoseconds }
        }
    }

    /// A number that changes as the run goes on, such as the length of a queue.
    func gauge(_ name: String, _ read: @escaping @Sendable () -> Int) {
        state.withLock { $0.gauges.append((name, read)) }
    }

    /// What was measured for a feed; it is forgotten.
    func take(_ subject: String) -> RunTimings? { state.withLock { $0.feeds.removeValue(forKey: subject) } }

    /// The sum over all feeds and batches.
    public var total: RunTimings { state.withLock { $0.total } }

    /// The gauges as they are now.
    public var readings: [(name: String, value: Int)] {
        state.withLock { $0.gauges }.map { ($0.name, $0.read()) }
    }
}

extension Duration {
    var nanoseconds: Int { Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000) }
}
