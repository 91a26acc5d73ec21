/// How much work a run takes at a time, and how often it looks at what other runs do.
public struct WorkPace: Equatable, Sendable {
    /// Number of podcasts in a claim, small enough for the first feeds to be requested soon; nil for only as many as can
    /// begin at once.
    public var claimSize: Int?
    /// More podcasts are claimed if fewer than this are waiting.
    public var lookahead: Int
    /// Number of results that are stored together at most.
    public var batchSize: Int
    /// The longest time that a smaller batch waits.
    public var maxBatchWait: Duration
    /// The age of a claim after which its record is read again before the request, because its owner may have paused,
    /// edited or unsubscribed it.
    public var trustedAge: Duration
    /// How often pauses are exchanged with other runs.
    public var exchangeInterval: Duration
    /// How long a lease may go without `WorkSource.renew`.
    public var renewal: Duration

    /// The pace of a run that has the library to itself. Its lookahead keeps it busy while a batch is written, during which
    /// it claims nothing.
    public static func exclusive(renewal: Duration) -> WorkPace {
        WorkPace(
            claimSize: 256, lookahead: 512, batchSize: 256, maxBatchWait: .milliseconds(250), trustedAge: .milliseconds(10),
            exchangeInterval: renewal, renewal: renewal)
    }

    /// The pace of a run beside others, which may need the feeds sooner. Each read and each batch is a round trip or
    /// several.
    public static func shared(renewal: Duration) -> WorkPace {
        WorkPace(
            claimSize: nil, lookahead: 0, batchSize: 2_048, maxBatchWait: .milliseconds(500), trustedAge: .seconds(5),
            exchangeInterval: .milliseconds(500), renewal: renewal)
    }
}
