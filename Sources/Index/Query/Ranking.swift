internal import Domain
internal import Glibc
internal import Searching

/// How well an episode answers a query.
///
/// BM25F: the occurrences of a term are summed over the columns with the columns' weights, set against the length of
/// the text (see `FrequencyWeights`), and saturate. Terms count by their rarity. On top, newer episodes gain a little:
/// 30% if published today, half of that after two years. Words said close together in a transcript add to the score as well
/// (see `SpokenPassages`). Source: Robertson and Zaragoza, "The Probabilistic Relevance
/// Framework: BM25 and Beyond", 2009.
struct Ranking {
    /// The inverse document frequency of each term.
    let terms: [Double]
    let weights: FrequencyWeights
    private let now: Timestamp?

    private static let saturation = 1.2

    /// - Parameter weights: nil for those of the index's own texts.
    init(_ expression: MatchExpression, _ snapshot: IndexSnapshot, now: Timestamp?, weights: FrequencyWeights? = nil) {
        terms = expression.weights
        self.weights = weights ?? snapshot.weights
        self.now = now
    }

    /// The inverse document frequency of a term that this many of all episodes contain.
    static func rarity(_ episodes: Int, of all: Int) -> Double {
        let (all, some) = (Double(all), Double(min(episodes, all)))
        return log(1 + (all - some + 0.5) / (some + 0.5))
    }

    /// The contribution of a weight to the score: it grows less with each further occurrence, towards a limit.
    @inline(__always) static func saturated(_ weight: Double) -> Double {
        weight < .infinity ? weight * (saturation + 1) / (weight + saturation) : saturation + 1
    }

    /// The part of the score that comes from a term with this weight in the document.
    @inline(__always) func score(_ weight: Float, term: Int) -> Double {
        terms[term] * Self.saturated(Double(weight))
    }

    /// The weight at which a term scores this much; infinity if no weight suffices.
    func weight(scoring score: Double, term: Int) -> Float {
        let share = score / max(terms[term], 1e-12)
        if share <= 0 { return -.infinity }
        return share < Self.saturation + 1 ? Float(share * Self.saturation / (Self.saturation + 1 - share)) : .infinity
    }

    // MARK: Spoken passages

    /// The most words of a query whose closeness counts.
    static let maxPassageWords = 32

    /// The number of words that a passage spans at most: two lines of a transcript, or more for a long query.
    static func maxPassage(of words: Int) -> Int { 20 + 2 * words }

    /// The number of words from which a passage has most words of a query.
    static func minWords(of words: Int) -> Int { words - max(1, words / 4) }

    /// The factor of a passage whose words are this share of all words that it spans.
    @inline(__always) static func closeness(_ share: Double) -> Double { 0.5 + 0.5 * share }

    /// How much a passage counts, in the scores of its words.
    ///
    /// In transcripts alone, words that are close together count more than any number of occurrences far apart, also in a new
    /// episode. In a search of all texts they count less than a title with all of these words.
    static func closenessStrength(of words: Int, isSpokenOnly: Bool) -> Double {
        isSpokenOnly ? 4 : 0.3 * Double(min(words, 4))
    }

    /// The factor of the score. It never grows from one document of a segment to the next.
    func freshness(_ publishedAt: UInt32) -> Double {
        guard let now, publishedAt != 0 else { return 1 }
        let years = max(0, Double(now.seconds - Int64(publishedAt))) / (365.25 * 86_400)
        return 1 + 0.3 * exp2(-years / 2)
    }
}

/// A matching document.
struct Candidate {
    var segment: Int
    var document: Int
    var published: UInt32
    /// Whether its title is exactly the query.
    var isExactTitle: Bool
    /// The part of the score that comes from words said close together, without the freshness.
    var closeness = 0.0
    var score: Double
}

/// The best of all matches added so far.
final class BestCandidates {
    let limit: Int
    private let sort: SearchRequest.Sort
    private let snapshot: IndexSnapshot
    /// A heap once it is full, with the worst match at the top.
    private var heap: [Candidate] = []

    init(_ snapshot: IndexSnapshot, limit: Int, sort: SearchRequest.Sort) {
        self.snapshot = snapshot
        self.limit = limit
        self.sort = sort
    }

    /// The worst of the best matches; nil until there are as many as wanted.
    var last: Candidate? { heap.count >= limit ? heap.first : nil }

    var isFull: Bool { heap.count >= limit }

    /// The number of candidates added.
    private(set) var added = 0

    /// A match that scores less is not among the best.
    private(set) var threshold = -Double.infinity

    var sorted: [Candidate] { heap.sorted(by: comesFirst) }

    /// For sorting by date: false if no match published in that second can be among the best.
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
        var parent = 0
        while true {
            var last = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && comesFirst(heap[last], heap[child]) {
                last = child
            }
            if last == parent { return }
            heap.swapAt(parent, last)
            parent = last
        }
    }

    private func comesFirst(_ a: Candidate, _ b: Candidate) -> Bool {
        if sort == .relevance {
            if a.isExactTitle != b.isExactTitle { return a.isExactTitle }
            if a.score != b.score { return a.score > b.score }
        }
        if a.published != b.published {
            // Episodes without a date come last in both orders.
            return sort == .oldest ? a.published &- 1 < b.published &- 1 : a.published > b.published
        }
        let (first, second) = sort == .oldest ? (b, a) : (a, b)
        return snapshot.isNewer((first.segment, first.document), than: (second.segment, second.document))
    }
}
