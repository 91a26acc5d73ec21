public import Domain
import Synchronization

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
