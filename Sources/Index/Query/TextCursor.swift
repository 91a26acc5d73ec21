/// A cursor over a piece of text: it knows where in a document the text stands, and what that weighs in ranking.
///
/// It is used in one of two ways: document by document, or window by window (`gather` and `weigh`), and then windows come
/// in the order of documents.
class TextCursor: Cursor {
    /// Adds the places in the current document to `places`, in order.
    func read(into places: OccurrenceList) {}

    /// How often it stands in the current document.
    var frequency: TermFrequency {
        scratch.removeAll()
        read(into: scratch)
        return scratch.frequency
    }

    private let scratch = OccurrenceList()

    // MARK: Windows of documents

    /// Whether it may gather and then weigh the documents of one window.
    var repeatsWindows: Bool { false }

    /// The end of a window that begins at `start` in which little has to be looked at; `Int.max` where no match is left.
    func windowEnd(from start: Int) -> Int {
        if document < start { advance(to: start) }
        return document == .max ? .max : max(document, start + 4_095)
    }

    /// No document of the window weighs more.
    func mostWeight(in window: ClosedRange<Int>, _ weigher: Weigher) -> Float { .infinity }

    /// Adds the matches in the window that weigh no less than `least`, and none twice.
    func gather(_ window: ClosedRange<Int>, least: Float, _ weigher: Weigher, into list: CandidateList) {
        if document < window.lowerBound { advance(to: window.lowerBound) }
        while document <= window.upperBound {
            let weight = weigher.weigh(frequency, of: document)
            if weight >= least { list.append(document, weight) }
            advance(to: document + 1)
        }
    }

    /// Adds what it weighs in each of the documents, multiplied, to the weights of a term.
    func weigh(_ list: CandidateList, term: Int, factor: Float, _ weigher: Weigher) {
        let weights = list.weights(of: term)
        for index in 0..<list.count {
            let wanted = Int(list.documents[index])
            if document < wanted { advance(to: wanted) }
            if document == .max { return }
            if document == wanted { weights[index] += factor * weigher.weigh(frequency, of: wanted) }
        }
    }
}

/// Says what a frequency weighs in the documents of one segment.
final class Weigher {
    let weights: FrequencyWeights
    /// How much more a frequency may weigh than the segment's table of blocks says.
    let growth: Float
    private let segment: Segment

    init(_ weights: FrequencyWeights, _ segment: Segment) {
        self.weights = weights
        self.segment = segment
        growth = weights.growth(since: segment.header.usualLengths)
    }

    @inline(__always) func weigh(_ frequency: TermFrequency, of document: Int) -> Float {
        weights.weigh(frequency, lengths: segment.lengths(document))
    }
}

/// Documents of a window that may be among the best, and what each term of the query weighs in them.
final class CandidateList {
    private(set) var count = 0
    private(set) var documents: UnsafeMutablePointer<UInt32>
    private var allWeights: UnsafeMutablePointer<Float>
    private let terms: Int
    private var capacity = 1_024

    init(terms: Int) {
        self.terms = max(1, terms)
        documents = .allocate(capacity: capacity)
        allWeights = .allocate(capacity: capacity * self.terms)
    }

    deinit {
        documents.deallocate()
        allWeights.deallocate()
    }

    func removeAll() { count = 0 }

    /// What the term weighs in each of the documents.
    @inline(__always) func weights(of term: Int) -> UnsafeMutablePointer<Float> { allWeights + term * capacity }

    /// - Parameter weight: of the first term; others weigh nothing yet.
    @inline(__always) func append(_ document: Int, _ weight: Float) {
        if count == capacity { grow() }
        documents[count] = UInt32(truncatingIfNeeded: document)
        allWeights[count] = weight
        count += 1
    }

    @inline(never) private func grow() {
        let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity * 2)
        larger.update(from: documents, count: count)
        let largerWeights = UnsafeMutablePointer<Float>.allocate(capacity: capacity * 2 * terms)
        for term in 0..<terms { (largerWeights + term * capacity * 2).update(from: weights(of: term), count: count) }
        documents.deallocate()
        allWeights.deallocate()
        (documents, allWeights, capacity) = (larger, largerWeights, capacity * 2)
    }

    /// The weights of the first term, multiplied, become those of another, and the others nothing.
    func assignWeights(to term: Int, factor: Float) {
        for other in 0..<terms where other != 0 { weights(of: other).update(repeating: 0, count: count) }
        if factor != 1 { for index in 0..<count { allWeights[index] *= factor } }
        guard term != 0 else { return }
        weights(of: term).update(from: allWeights, count: count)
        allWeights.update(repeating: 0, count: count)
    }

    /// Brings documents that several cursors gave in order, each once, without weights.
    func mergeAll() {
        var all = UnsafeMutableBufferPointer(start: documents, count: count)
        all.sort()
        var kept = 0
        for index in 0..<count where kept == 0 || documents[index] != documents[kept - 1] {
            documents[kept] = documents[index]
            kept += 1
        }
        count = kept
        for term in 0..<terms { weights(of: term).update(repeating: 0, count: count) }
    }

    /// Keeps those for which the test, of their places in the list, holds.
    @inline(__always) func keep(where isKept: (Int) -> Bool) {
        var kept = 0
        for index in 0..<count where isKept(index) {
            if kept != index {
                documents[kept] = documents[index]
                for term in 0..<terms { allWeights[term * capacity + kept] = allWeights[term * capacity + index] }
            }
            kept += 1
        }
        count = kept
    }
}
