/// What became of the transcripts in a refresh.
public struct TranscriptSummary: Equatable, Sendable {
    /// Episodes that had none before.
    public var added = 0
    public var replaced = 0
    /// Asked for again, and still what is stored.
    public var unchanged = 0
    public var failed = 0
    /// Left to a later run: there are more than one run asks for, or the host asked for a pause.
    public var waiting = 0
    /// The first failure of this machine.
    public var localFailure: LocalFailure?

    public init() {}

    /// What was waiting is part of what the later run dealt with.
    func added(to earlier: TranscriptSummary?) -> TranscriptSummary {
        guard let earlier else { return self }
        var sum = self
        sum.added += earlier.added
        sum.replaced += earlier.replaced
        sum.unchanged += earlier.unchanged
        sum.failed += earlier.failed
        return sum
    }

    mutating func add(_ result: TranscriptResult) {
        switch result.kind {
        case .added: added += 1
        case .replaced: replaced += 1
        case .unchanged: unchanged += 1
        case .failed: failed += 1
        case .waiting: break
        }
    }
}
