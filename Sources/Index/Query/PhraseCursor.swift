/// Documents that contain any of several terms, in the place of a word of a phrase.
final class AnyTermCursor: TextCursor {
    /// A heap, with the cursor at the first document at the top.
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

    /// Moves the cursor at the top down to its position in the heap.
    private func settle() {
        var parent = 0
        while true {
            let (left, right) = (2 * parent + 1, 2 * parent + 2)
            guard left < heap.count else { return }
            let least = right < heap.count && heap[right].document < heap[left].document ? right : left
            guard heap[least].document < heap[parent].document else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    override var frequency: TermFrequency {
        var sum = TermFrequency()
        add(0, to: &sum)
        return sum
    }

    private func add(_ index: Int, to sum: inout TermFrequency) {
        guard index < heap.count, heap[index].document == document else { return }
        sum = sum.adding(heap[index].frequency)
        add(2 * index + 1, to: &sum)
        add(2 * index + 2, to: &sum)
    }

    override func read(into occurrences: OccurrenceList) {
        read(0, into: occurrences)
        occurrences.sort()
    }

    /// The cursors at the current document are all at the top of the heap.
    private func read(_ index: Int, into occurrences: OccurrenceList) {
        guard index < heap.count, heap[index].document == document else { return }
        heap[index].read(into: occurrences)
        read(2 * index + 1, into: occurrences)
        read(2 * index + 2, into: occurrences)
    }
}

/// Words side by side. Positions are read only in documents that contain all of the words, often enough to matter.
final class PhraseCursor: TextCursor {
    private let words: [TextCursor]
    private let calls: Calls<TextCursor>
    private let together: AllCursor
    private let sieve: TermCursor
    private let candidates = WindowCandidates(terms: 1)
    private let occurrences = OccurrenceList()
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
        while together.document != .max, !findOccurrences() { together.advance(to: together.document + 1) }
        document = together.document
    }

    /// Collects the occurrences of the first word that the others follow. Returns false if there are none.
    private func findOccurrences() -> Bool {
        occurrences.removeAll()
        calls(0) { $0.read(into: occurrences) }
        for distance in 1..<calls.count {
            next.removeAll()
            calls(distance) { $0.read(into: next) }
            occurrences.keep(distance, before: next)
            if occurrences.count == 0 { return false }
        }
        return true
    }

    override func read(into occurrences: OccurrenceList) { occurrences.append(self.occurrences) }

    override var frequency: TermFrequency { occurrences.frequency }

    // MARK: Window by window

    override func windowEnd(from start: Int) -> Int {
        if together.document < start { together.advance(to: start) }
        return together.document == .max ? .max : max(together.document, start + 4_095)
    }

    /// A phrase weighs no more than any of its words.
    override func maxWeight(in window: ClosedRange<Int>, _ weigher: Weigher) -> Float {
        words.reduce(.infinity) { min($0, $1.maxWeight(in: window, weigher)) }
    }

    override func gather(_ window: ClosedRange<Int>, minWeight: Float, _ weigher: Weigher, into list: WindowCandidates) {
        candidates.removeAll()
        sieve.gather(window, minWeight: minWeight, weigher, into: candidates)
        for index in 0..<candidates.count {
            let candidate = Int(candidates.documents[index])
            together.advance(to: candidate)
            guard together.document == candidate, weigher.weigh(maxFrequency, of: candidate) >= minWeight, findOccurrences()
            else { continue }
            let weight = weigher.weigh(frequency, of: candidate)
            if weight >= minWeight { list.append(candidate, weight) }
        }
    }

    override func weigh(_ list: WindowCandidates, term: Int, factor: Float, _ weigher: Weigher) {
        let weights = list.weights(of: term)
        for index in 0..<list.count {
            let wanted = Int(list.documents[index])
            together.advance(to: wanted)
            if together.document == .max { return }
            if together.document == wanted, findOccurrences() { weights[index] += factor * weigher.weigh(frequency, of: wanted) }
        }
    }

    /// The most often that the phrase may occur in the current document of `together`.
    private var maxFrequency: TermFrequency {
        var least = calls(0) { $0.frequency }
        for index in 1..<calls.count { least = calls(index) { least.pointwiseMin($0.frequency) } }
        return least
    }
}

/// A text in documents that another cursor matches too: a form that only one language has.
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

    override func read(into occurrences: OccurrenceList) { text.read(into: occurrences) }

    override var frequency: TermFrequency { text.frequency }

    override func maxWeight(in window: ClosedRange<Int>, _ weigher: Weigher) -> Float {
        text.maxWeight(in: window, weigher)
    }
}
