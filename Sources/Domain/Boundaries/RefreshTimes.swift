/// When a refresh ran.
public struct RefreshTimes: Equatable, Sendable {
    /// Episodes first seen since then are new.
    public var startedAt: Timestamp?
    public var endedAt: Timestamp?
    /// When stored, the counters of this refresh; when read, those of all refreshes.
    public var counters = RunCounters()

    public init() {}

    public init(startedAt: Timestamp?, endedAt: Timestamp?) {
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}

/// Totals over all refreshes, for monitoring. They only grow.
public struct RunCounters: Equatable, Sendable {
    public var refreshes = 0
    public var fetches: [RefreshOutcome.Kind: Int] = [:]
    public var added = 0
    /// Bytes of bodies as they were sent.
    public var bytes = 0
    public var milliseconds = 0
    public var stages = RunTimings()

    public init() {}

    public static func += (a: inout Self, b: Self) {
        a.refreshes += b.refreshes
        a.fetches.merge(b.fetches, uniquingKeysWith: +)
        a.added += b.added
        a.bytes += b.bytes
        a.milliseconds += b.milliseconds
        a.stages += b.stages
    }
}
