/// Any of several terms, where a phrase goes on with any of them.
final class AnyTermCursor: TextCursor {
    /// A heap: the cursor with the first document is the first.
    private var heap: [TermCursor]
    private var hasBegun = false

    init(_ cursors: [TermCursor]) { heap = cursors }

    override var cost: Int { heap.reduce(0) { $0 + $1.cost } }

    override func advance(to target: Int) {
        guard document < target else { return }
        if !hasBegun { begin(at: target) }
        while let first = heap.first, first.document < target {
            first.advance(to: target)
            settle()
        }
        document = heap.first?.document ?? .max
    }

    private func begin(at target: Int) {
        hasBegun = true
        for cursor in heap { cursor.advance(to: target) }
        heap.sort { $0.document < $1.document }
    }

    /// Moves the first cursor to its place.
    private func settle() {
        var place = 0
        while true {
            let (left, right) = (2 * place + 1, 2 * place + 2)
            guard left < heap.count else { return }
            let least = right < heap.count && heap[right].document < heap[left].document ? right : left
            guard heap[least].document < heap[place].document else { return }
            heap.swapAt(place, least)
            place = least
        }
    }

    override var frequency: TermFrequency {
        var sum = TermFrequency()
        add(0, to: &sum)
        return sum
    }

    private func add(_ place: Int, to sum: inout TermFrequency) {
        guard place < heap.count, heap[place].document == document else { return }
        sum = sum.adding(heap[place].frequency)
        add(2 * place + 1, to: &sum)
        add(2 * place + 2, to: &sum)
    }

    override func read(into places: OccurrenceList) {
        read(0, into: places)
        places.sort()
    }

    /// Those at the current document stand at the top of the heap.
    private func read(_ place: Int, into places: OccurrenceList) {
        guard place < heap.count, heap[place].document == document else { return }
        heap[place].read(into: places)
        read(2 * place + 1, into: places)
        read(2 * place + 2, into: places)
    }
}

/// Words side by side. Where they stand is read only of documents that hold all of them, often enough to matter.
final class PhraseCursor: TextCursor {
    private let words: [TextCursor]
    private let calls: Calls<TextCursor>
    private let together: AllCursor
    private let sieve: TermCursor
    private let candidates = CandidateList(terms: 1)
    private let places = OccurrenceList()
    private let next = OccurrenceList()

    /// - Parameter sieve: a second cursor over the rarest word, which skips documents in which that word weighs too little
    ///   without looking for the others.
    init(_ words: [TextCursor], sieve: TermCursor) {
        self.words = words
        self.sieve = sieve
        calls = Calls(words)
        together = AllCursor(words)
    }

    override var cost: Int { together.cost }

    override func advance(to target: Int) {
        guard document < target else { return }
        together.advance(to: target)
        while together.document != .max, !findPlaces() { together.advance(to: together.document + 1) }
        document = together.document
    }

    /// Fills `places` with those of the first word behind which the others stand.
    private func findPlaces() -> Bool {
        places.removeAll()
        calls(0) { $0.read(into: places) }
        for distance in 1..<calls.count {
            next.removeAll()
            calls(distance) { $0.read(into: next) }
            places.keep(distance, before: next)
            if places.count == 0 { return false }
        }
        return true
    }

    override func read(into places: OccurrenceList) { places.append(self.places) }

    override var frequency: TermFrequency { places.frequency }

    // MARK: Window by window

    override func windowEnd(from start: Int) -> Int {
        if together.document < start { together.advance(to: start) }
        return together.document == .max ? .max : max(together.document, start + 4_095)
    }

    /// A phrase stands nowhere more often than any of its words.
    override func mostWeight(in window: ClosedRange<Int>, _ weigher: Weigher) -> Float {
        words.reduce(.infinity) { min($0, $1.mostWeight(in: window, weigher)) }
    }

    override func gather(_ window: ClosedRange<Int>, least: Float, _ weigher: Weigher, into list: CandidateList) {
        candidates.removeAll()
        sieve.gather(window, least: least, weigher, into: candidates)
        for index in 0..<candidates.count {
            let candidate = Int(candidates.documents[index])
            together.advance(to: candidate)
            guard together.document == candidate, weigher.weigh(mostFrequency, of: candidate) >= least, findPlaces() else {
                continue
            }
            let weight = weigher.weigh(frequency, of: candidate)
            if weight >= least { list.append(candidate, weight) }
        }
    }

    override func weigh(_ list: CandidateList, term: Int, factor: Float, _ weigher: Weigher) {
        let weights = list.weights(of: term)
        for index in 0..<list.count {
            let wanted = Int(list.documents[index])
            together.advance(to: wanted)
            if together.document == .max { return }
            if together.document == wanted, findPlaces() { weights[index] += factor * weigher.weigh(frequency, of: wanted) }
        }
    }

    /// How often it may stand in the document at which the words stand.
    private var mostFrequency: TermFrequency {
        var least = calls(0) { $0.frequency }
        for index in 1..<calls.count { least = calls(index) { least.least($0.frequency) } }
        return least
    }
}

/// A text in documents of which something else is said too: a form that only one language has.
final class LimitedCursor: TextCursor {
    private let text: TextCursor
    private let together: AllCursor

    init(_ text: TextCursor, to limit: Cursor) {
        self.text = text
        together = AllCursor([text, limit])
    }

    override var cost: Int { together.cost }

    override func advance(to target: Int) {
        guard document < target else { return }
        together.advance(to: target)
        document = together.document
    }

    override func read(into places: OccurrenceList) { text.read(into: places) }

    override var frequency: TermFrequency { text.frequency }

    override func mostWeight(in window: ClosedRange<Int>, _ weigher: Weigher) -> Float {
        text.mostWeight(in: window, weigher)
    }
}
