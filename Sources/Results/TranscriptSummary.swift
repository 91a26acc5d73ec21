public import Domain

/// The results of fetching transcripts in a refresh.
public struct TranscriptSummary: Equatable, Sendable {
    /// Episodes that had none before.
    public var added = 0
    public var replaced = 0
    /// Requested again, but equal to the stored ones.
    public var unchanged = 0
    public var failed = 0
    /// Left to a later run, because of the limit of a run or because the host asked for a pause.
    public var waiting = 0
    /// The first failure of this machine.
    public var localFailure: LocalFailure?

    public init() {}

    /// The sum with an earlier run's counts. Waiting transcripts are not added: the later run counts them too.
    func added(to earlier: TranscriptSummary?) -> TranscriptSummary {
        guard let earlier else { return self }
        var sum = self
        sum.added += earlier.added
        sum.replaced += earlier.replaced
        sum.unchanged += earlier.unchanged
        sum.failed += earlier.failed
        return sum
    }
}
