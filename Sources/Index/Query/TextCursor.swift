/// A cursor over a piece of text, which also determines the text's positions in a document and its weight for ranking.
///
/// It is used in one of two ways: document by document, or window by window (`gather` and `weigh`), with windows in the
/// order of documents.
class TextCursor: Cursor {
    /// Appends the occurrences in the current document, in order.
    func read(into occurrences: OccurrenceList) {}

    /// The frequency of the text in the current document.
    var frequency: TermFrequency {
        scratch.removeAll()
        read(into: scratch)
        return scratch.frequency
    }

    private let scratch = OccurrenceList()

    // MARK: Windows of documents

    /// Whether one cursor can both gather and then weigh the documents of one window.
    var repeatsWindows: Bool { false }

    /// The end of a window from `start` in which little work is needed; `Int.max` if no match is left.
    func windowEnd(from start: Int) -> Int {
        if document < start { advance(to: start) }
        return document == .max ? .max : max(document, start + 4_095)
    }

    /// A weight that no document of the window exceeds.
    func maxWeight(in window: ClosedRange<Int>, _ weigher: Weigher) -> Float { .infinity }

    /// Adds each match in the window that weighs at least `least`, once.
    func gather(_ window: ClosedRange<Int>, minWeight: Float, _ weigher: Weigher, into list: WindowCandidates) {
        if document < window.lowerBound { advance(to: window.lowerBound) }
        while document <= window.upperBound {
            let weight = weigher.weigh(frequency, of: document)
            if weight >= minWeight { list.append(document, weight) }
            advance(to: document + 1)
        }
    }

    /// Adds the text's weight in each of the documents, times `factor`, to the weights of the term.
    func weigh(_ list: WindowCandidates, term: Int, factor: Float, _ weigher: Weigher) {
        let weights = list.weights(of: term)
        for index in 0..<list.count {
            let wanted = Int(list.documents[index])
            if document < wanted { advance(to: wanted) }
            if document == .max { return }
            if document == wanted { weights[index] += factor * weigher.weigh(frequency, of: wanted) }
        }
    }
}

/// Weighs frequencies in the documents of one segment.
final class Weigher {
    let weights: FrequencyWeights
    /// The factor by which a frequency may weigh more than the segment's table of blocks says.
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

/// Documents of a window that may be among the best, and the weight of each term of the query in them.
final class WindowCandidates {
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

    /// The weight of the term in each of the documents.
    @inline(__always) func weights(of term: Int) -> UnsafeMutablePointer<Float> { allWeights + term * capacity }

    /// - Parameter weight: the weight of the first term. The other weights are not set.
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

    /// Moves the weights of the first term, times `factor`, to another term, and clears all others.
    func assignWeights(to term: Int, factor: Float) {
        for other in 0..<terms where other != 0 { weights(of: other).update(repeating: 0, count: count) }
        if factor != 1 { for index in 0..<count { allWeights[index] *= factor } }
        guard term != 0 else { return }
        weights(of: term).update(from: allWeights, count: count)
        allWeights.update(repeating: 0, count: count)
    }

    /// Sorts the documents that several cursors added, removes duplicates, and clears the weights.
    func mergeAll() {
        var all = UnsafeMutableBufferPointer(start: documents, count: count)
        all.sort()
        var newCount = 0
        for index in 0..<count where newCount == 0 || documents[index] != documents[newCount - 1] {
            documents[newCount] = documents[index]
            newCount += 1
        }
        count = newCount
        for term in 0..<terms { weights(of: term).update(repeating: 0, count: count) }
    }

    /// Keeps the documents for which the test holds; it receives their indices in the list.
    @inline(__always) func keep(where isKept: (Int) -> Bool) {
        var newCount = 0
        for index in 0..<count where isKept(index) {
            if newCount != index {
                documents[newCount] = documents[index]
                for term in 0..<terms { allWeights[term * capacity + newCount] = allWeights[term * capacity + index] }
            }
            newCount += 1
        }
        count = newCount
    }
}
