internal import Domain
internal import Glibc

/// How well an episode answers a query.
///
/// BM25F: a term's occurrences are added up over the columns, each with its column's weight, set against the length
/// of the text (see `FrequencyWeights`), and saturate; terms count by how rare they are. On top, newer is a little better:
/// an episode of today gains 30%, half of that after two years. Source: Robertson and Zaragoza, "The Probabilistic
/// Relevance Framework: BM25 and Beyond", 2009.
struct Ranking {
    /// For each term, its inverse document frequency.
    let terms: [Double]
    let weights: FrequencyWeights
    private let now: Timestamp?

    private static let saturation = 1.2

    /// - Parameter weights: nil for those of the texts that the index has.
    init(_ expression: MatchExpression, _ snapshot: IndexSnapshot, now: Timestamp?, weights: FrequencyWeights? = nil) {
        terms = expression.weights
        self.weights = weights ?? snapshot.weights
        self.now = now
    }

    /// The inverse document frequency of a term that so many of all episodes hold.
    static func rarity(_ episodes: Int, of all: Int) -> Double {
        let (all, some) = (Double(all), Double(min(episodes, all)))
        return log(1 + (all - some + 0.5) / (some + 0.5))
    }

    /// What a weight counts: the more, the less each further occurrence adds.
    @inline(__always) static func saturated(_ weight: Double) -> Double {
        weight < .infinity ? weight * (saturation + 1) / (weight + saturation) : saturation + 1
    }

    /// The part of the score that comes from a term which weighs so much in the document.
    @inline(__always) func score(_ weight: Float, term: Int) -> Double {
        terms[term] * Self.saturated(Double(weight))
    }

    /// What a term must weigh to score so much; infinity where that cannot be.
    func weight(scoring score: Double, term: Int) -> Float {
        let share = score / max(terms[term], 1e-12)
        if share <= 0 { return -.infinity }
        return share < Self.saturation + 1 ? Float(share * Self.saturation / (Self.saturation + 1 - share)) : .infinity
    }

    /// By which the score is multiplied; never grows from one document of a segment to the next.
    func freshness(_ publishedAt: UInt32) -> Double {
        guard let now, publishedAt != 0 else { return 1 }
        let years = max(0, Double(now.seconds - Int64(publishedAt))) / (365.25 * 86_400)
        return 1 + 0.3 * exp2(-years / 2)
    }
}

/// A document that matches.
struct Candidate {
    var segment: Int
    var document: Int
    var published: UInt32
    /// Its title is exactly what was asked for.
    var isExactTitle: Bool
    var score: Double
}

/// The best of all matches that were found until now.
final class BestCandidates {
    let limit: Int
    private let sort: SearchRequest.Sort
    /// A heap when it is full: the last of them is the first.
    private var heap: [Candidate] = []

    init(limit: Int, sort: SearchRequest.Sort) {
        self.limit = limit
        self.sort = sort
    }

    /// The last of the best, where there are as many as wanted.
    var last: Candidate? { heap.count >= limit ? heap.first : nil }

    var isFull: Bool { heap.count >= limit }

    /// How many candidates there were.
    private(set) var added = 0

    /// What scores less is none of the best.
    private(set) var threshold = -Double.infinity

    var sorted: [Candidate] { heap.sorted(by: comesFirst) }

    /// Sorted by date: false if no match of that second can be among the best.
    func mayTake(published: Int) -> Bool {
        guard let last else { return true }
        return sort == .oldest
            ? UInt32(published) &- 1 <= last.published &- 1 : UInt32(published) >= last.published
    }

    func add(_ candidate: Candidate) {
        added += 1
        if heap.count < limit {
            heap.append(candidate)
            if heap.count == limit { heap.sort { comesFirst($1, $0) } }
        } else if let last, comesFirst(candidate, last) {
            heap[0] = candidate
            sink()
        }
        if let last, sort == .relevance { threshold = last.isExactTitle ? .infinity : last.score }
    }

    private func sink() {
        var place = 0
        while true {
            var last = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && comesFirst(heap[last], heap[child]) {
                last = child
            }
            if last == place { return }
            heap.swapAt(place, last)
            place = last
        }
    }

    /// Ties are settled by the place in the index, which is the same at each search.
    private func comesFirst(_ a: Candidate, _ b: Candidate) -> Bool {
        switch sort {
        case .relevance:
            if a.isExactTitle != b.isExactTitle { return a.isExactTitle }
            if a.score != b.score { return a.score > b.score }
            if a.published != b.published { return a.published > b.published }
        case .date, .oldest:
            // Episodes without a date come last in both orders.
            if a.published != b.published, sort == .oldest { return a.published &- 1 < b.published &- 1 }
            if a.published != b.published { return a.published > b.published }
            if a.score != b.score { return a.score > b.score }
        }
        return (a.segment, a.document) < (b.segment, b.document)
    }
}
