internal import Memory

/// Walks the terms of all sources in their common order.
final class MergeWalks {
    private let walks: [TermWalk]
    /// The first bytes of each walk's current term: comparing these settles nearly all cases. At the end `UInt64.max`,
    /// which is not UTF-8.
    private var beginnings: [UInt64]
    /// The walks whose current term is the first.
    private(set) var first: [Int] = []

    init(_ sources: [Segment]) {
        walks = sources.map { TermWalk($0) }
        beginnings = walks.map { $0.isAtEnd ? .max : $0.term.beginning }
    }

    /// Finds the first term and the walks that have it. Returns false at the end.
    func findFirst(_ term: inout GrowingBytes) -> Bool {
        first.removeAll(keepingCapacity: true)
        for index in beginnings.indices where beginnings[index] != .max {
            guard let best = first.first else {
                first.append(index)
                continue
            }
            if beginnings[index] > beginnings[best] { continue }
            let order =
                beginnings[index] < beginnings[best] ? -1 : ByteView.order(walks[index].term, walks[best].term)
            if order < 0 { first.removeAll(keepingCapacity: true) }
            if order <= 0 { first.append(index) }
        }
        guard let best = first.first else { return false }
        term.removeAll()
        term.append(walks[best].term)
        return true
    }

    func postings(_ index: Int) -> Postings { walks[index].postings }

    /// Advances the walks that have the first term.
    func advance() {
        for index in first {
            let walk = walks[index]
            walk.advance()
            beginnings[index] = walk.isAtEnd ? .max : walk.term.beginning
        }
    }
}

/// Goes through a term's documents in one of the sources, without the deleted ones.
final class MergeCursor {
    private let reader: PostingsReader
    private let numbers: [Int32]
    private var block = -1
    private var index = 0
    /// The document's number in the new segment; `Int32.max` at the end.
    private(set) var number = Int32.max

    init(_ segment: Segment, numbers: [Int32]) {
        reader = PostingsReader(in: segment)
        self.numbers = numbers
    }

    func open(_ postings: Postings) {
        reader.open(postings)
        block = -1
        index = 0
        advance()
    }

    func advance() {
        index += 1
        while true {
            while index < reader.size {
                number = numbers[Int(reader.documents[index])]
                if number >= 0 { return }
                index += 1
            }
            block += 1
            guard block < reader.blocks else {
                number = .max
                return
            }
            reader.load(block)
            index = 0
        }
    }

    /// Puts the postings into the window that begins with this document, and advances to the first one after it.
    func put(into window: MergeWindow, from first: Int) {
        while Int(number) < first + MergeWindow.size {
            // Numbers go back only in a forged source.
            if number >= first { window.set(Int(number) - first, reader.frequency(index), positions: reader.positions(index)) }
            advance()
        }
    }
}
