/// All words with a common beginning, up to thousands: `pod*`.
///
/// Windows are filled term by term. Terms in few documents, which are the majority, are read at once.
final class PrefixCursor: TextCursor {
    private let segment: Segment
    private let postings: [Postings]
    private let column: Column?
    /// For use document by document.
    private lazy var any = AnyTermCursor(postings.map { TermCursor($0, in: segment, column: column) })

    // For use window by window.
    private var hasBegun = false
    private var common: [TermCursor] = []
    /// The documents (upper half) of the rare terms in order, and the frequency of a term in each.
    private var rare: [UInt64] = []
    private var nextRare = 0
    /// For each document of the window, the frequency of all words together.
    private var frequencies: [UInt32] = []

    private static let windowSize = 4_096

    init(_ postings: [Postings], in segment: Segment, column: Column?) {
        self.segment = segment
        self.postings = postings
        self.column = column
    }

    override var cost: Int { postings.reduce(0) { $0 + $1.count } }

    // MARK: Document by document

    override func advance(to target: Int) {
        any.advance(to: target)
        document = any.document
    }

    override func read(into occurrences: OccurrenceList) { any.read(into: occurrences) }

    override var frequency: TermFrequency { any.frequency }

    // MARK: Window by window

    override var repeatsWindows: Bool { true }

    private func begin() {
        hasBegun = true
        frequencies = [UInt32](repeating: 0, count: Self.windowSize)
        for postings in postings {
            let cursor = TermCursor(postings, in: segment, column: column)
            if postings.count > BitPacking.count {
                common.append(cursor)
            } else {
                cursor.eachMatch(in: 0...Int.max - 1) { rare.append(UInt64($0) << 32 | UInt64($1.number)) }
            }
        }
        rare.sort()
    }

    override func windowEnd(from start: Int) -> Int {
        if !hasBegun { begin() }
        moveRare(to: start)
        var first = nextRare < rare.count ? Int(rare[nextRare] >> 32) : Int.max
        for cursor in common { first = min(first, cursor.firstPossible(from: start)) }
        return first == .max ? .max : max(first, start) + Self.windowSize - 1
    }

    override func gather(_ window: ClosedRange<Int>, minWeight: Float, _ weigher: Weigher, into list: WindowCandidates) {
        if !hasBegun { begin() }
        for start in stride(from: window.lowerBound, through: window.upperBound, by: Self.windowSize) {
            let part = start...min(window.upperBound, start + Self.windowSize - 1)
            frequencies.withUnsafeMutableBufferPointer { frequencies in
                fill(part, frequencies)
                for index in 0..<part.count where frequencies[index] != 0 {
                    let weight = weigher.weigh(TermFrequency(number: frequencies[index]), of: start + index)
                    frequencies[index] = 0
                    if weight >= minWeight { list.append(start + index, weight) }
                }
            }
        }
    }

    override func weigh(_ list: WindowCandidates, term: Int, factor: Float, _ weigher: Weigher) {
        if !hasBegun { begin() }
        let weights = list.weights(of: term)
        var next = 0
        while next < list.count {
            let start = Int(list.documents[next])
            let window = start...start + Self.windowSize - 1
            frequencies.withUnsafeMutableBufferPointer { frequencies in
                fill(window, frequencies)
                while next < list.count, case let document = Int(list.documents[next]), window.contains(document) {
                    let frequency = frequencies[document - start]
                    if frequency != 0 {
                        weights[next] += factor * weigher.weigh(TermFrequency(number: frequency), of: document)
                    }
                    next += 1
                }
                frequencies.update(repeating: 0)
            }
        }
    }

    private func fill(_ window: ClosedRange<Int>, _ frequencies: UnsafeMutableBufferPointer<UInt32>) {
        func add(_ document: Int, _ frequency: TermFrequency) {
            let index = document - window.lowerBound
            frequencies[index] = TermFrequency(number: frequencies[index]).adding(frequency).number
        }
        moveRare(to: window.lowerBound)
        while nextRare < rare.count, Int(rare[nextRare] >> 32) <= window.upperBound {
            add(Int(rare[nextRare] >> 32), TermFrequency(number: UInt32(rare[nextRare] & 0xFFFF_FFFF)))
            nextRare += 1
        }
        for cursor in common { cursor.eachMatch(in: window, add) }
    }

    /// Moves to the first document of the rare terms that is not before `start`: also back, since a window may begin where the
    /// last one did, and documents are weighed beyond its end.
    private func moveRare(to start: Int) {
        while nextRare > 0, Int(rare[nextRare - 1] >> 32) >= start { nextRare -= 1 }
        while nextRare < rare.count, Int(rare[nextRare] >> 32) < start { nextRare += 1 }
    }
}
