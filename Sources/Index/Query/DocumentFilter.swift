internal import Domain
internal import Searching

/// The conditions of a search for which the index has no terms: dates, lengths, when an episode was added.
struct DocumentFilter {
    /// All of these must pass.
    private var tests: [(DocumentFacts) -> Bool] = []
    /// Documents are in the order of their dates, so a condition on dates excludes whole ranges of them.
    private var newest = UInt32.max
    private var oldest: UInt32 = 0

    init(_ conditions: [SearchQuery.Condition], _ request: SearchRequest) {
        var conditions = conditions
        if let since = request.since { conditions.append(SearchQuery.Condition(.after(since))) }
        if let until = request.until { conditions.append(SearchQuery.Condition(.before(until + 1))) }
        for condition in conditions { add(condition, request) }
    }

    private mutating func add(_ condition: SearchQuery.Condition, _ request: SearchRequest) {
        let test: (DocumentFacts) -> Bool
        switch condition.kind {
        case .after(let time):
            test = { $0.publishedAt != .min && $0.publishedAt >= time.seconds }
            if !condition.isNegated { oldest = max(oldest, DocumentFacts.rank(time.seconds)) }
        case .before(let time):
            test = { $0.publishedAt != .min && $0.publishedAt < time.seconds }
            if !condition.isNegated { newest = min(newest, DocumentFacts.rank(time.seconds)) }
        case .added(let from, let to):
            let (first, last) = (from?.seconds ?? .min, to?.seconds ?? .max)
            test = { $0.firstSeenAt >= first && $0.firstSeenAt <= last }
        case .longer(let seconds):
            test = { Double($0.duration) > seconds }
        case .shorter(let seconds):
            test = { Double($0.duration) < seconds }
        case .season, .type, .inQueue, .tagged, .isWithdrawn, .hasTranscript, .hasSource, .hasChapters, .marked:
            return
        }
        // A missing value satisfies neither a condition nor its negation: an episode without a date is not "not before
        // 2020".
        let hasValue: (DocumentFacts) -> Bool =
            switch condition.kind {
            case .after, .before: { $0.publishedAt != .min }
            case .longer, .shorter: { !$0.duration.isNaN }
            default: { _ in true }
            }
        tests.append(condition.isNegated ? { hasValue($0) && !test($0) } : test)
    }

    /// True if every document passes.
    var isEmpty: Bool { tests.isEmpty }

    /// The documents of a segment that may pass.
    func documents(of segment: Segment) -> Range<Int> {
        let first = newest == .max ? 0 : segment.firstDocument(notNewerThan: newest)
        let last = oldest == 0 ? segment.documents : segment.firstDocument(notNewerThan: oldest - 1)
        return first..<max(first, last)
    }

    func passes(_ facts: @autoclosure () -> DocumentFacts) -> Bool {
        if tests.isEmpty { return true }
        let facts = facts()
        return tests.allSatisfy { $0(facts) }
    }
}
