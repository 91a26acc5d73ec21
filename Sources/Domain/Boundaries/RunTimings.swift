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

    package static func += (a: inout Self, b: Self) {
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

    package init(
        stage: RunStage, subject: String, start: ContinuousClock.Instant, end: ContinuousClock.Instant, feeds: Int = 1
    ) {
        (self.stage, self.subject, self.start, self.end, self.feeds) = (stage, subject, start, end, feeds)
    }
}
