/// Documents that contain one term.
final class TermCursor: TextCursor {
    private let reader: PostingsReader
    /// The only column that counts; nil for all.
    private let column: Column?
    /// The index of the current document in the reader's block.
    private var index = 0
    private let occurrences = OccurrenceList()

    init(_ postings: Postings, in segment: Segment, column: Column?) {
        reader = PostingsReader(postings, in: segment)
        self.column = column
    }

    override var cost: Int { reader.count }

    // MARK: Document by document

    override func advance(to target: Int) {
        guard document < target else { return }
        move(to: target)
        guard column != nil else { return }
        while document != .max, frequency.number == 0 { move(to: document + 1) }
    }

    @inline(__always) private func move(to target: Int) {
        if reader.size > 0, Int(reader.documents[reader.size - 1]) >= target {
            index = document < 0 ? 0 : index
            find(target)
        } else {
            moveToBlock(of: target)
        }
    }

    private func moveToBlock(of target: Int) {
        let block = reader.block(from: max(0, reader.block), target: target)
        if block != reader.block { reader.load(block) }
        index = 0
        guard reader.size > 0, Int(reader.documents[reader.size - 1]) >= target else {
            document = .max
            return
        }
        find(target)
    }

    /// The block must have a document that is not before `target`.
    @inline(__always) private func find(_ target: Int) {
        index = reader.index(from: index, target: target)
        document = Int(reader.documents[index])
    }

    override func read(into occurrences: OccurrenceList) {
        occurrences.append(reader.positions(index))
        if let column { occurrences.keep(column: column) }
    }

    override var frequency: TermFrequency { frequency(index) }

    @inline(__always) private func frequency(_ index: Int) -> TermFrequency {
        let all = reader.frequency(index)
        return column == nil ? all : inColumn(all, index)
    }

    private func inColumn(_ all: TermFrequency, _ index: Int) -> TermFrequency {
        guard let column else { return all }
        if all.others == 0, column != .facet {
            return TermFrequency(number: all.number & (column == .title ? 0xFF00 : column == .text ? 0xFF : 0))
        }
        occurrences.removeAll()
        occurrences.append(reader.positions(index))
        occurrences.keep(column: column)
        return occurrences.frequency
    }

    // MARK: Window by window

    override var repeatsWindows: Bool { true }

    /// The block in which the last window began.
    private var windowBlock = 0

    override func windowEnd(from start: Int) -> Int {
        windowBlock = reader.block(from: windowBlock, target: start)
        return windowBlock < reader.blocks ? reader.last(of: windowBlock) : .max
    }

    /// A document at or before the first match from `start` on; `Int.max` if none is left.
    func firstPossible(from start: Int) -> Int {
        windowBlock = reader.block(from: windowBlock, target: start)
        guard windowBlock < reader.blocks else { return .max }
        return windowBlock > 0 ? max(start, reader.last(of: windowBlock - 1) + 1) : start
    }

    /// Calls `body` with each match in the window, and the term's frequency in it.
    @inline(__always) func eachMatch(in window: ClosedRange<Int>, _ body: (Int, TermFrequency) -> Void) {
        var block = reader.block(from: windowBlock, target: window.lowerBound)
        while block < reader.blocks, block == 0 || reader.last(of: block - 1) < window.upperBound {
            if block != reader.block { reader.load(block) }
            if reader.size > 0, Int(reader.documents[reader.size - 1]) >= window.lowerBound {
                var index = reader.index(from: 0, target: window.lowerBound)
                while index < reader.size, Int(reader.documents[index]) <= window.upperBound {
                    let frequency = frequency(index)
                    if column == nil || frequency.number != 0 { body(Int(reader.documents[index]), frequency) }
                    index += 1
                }
            }
            block += 1
        }
    }

    override func maxWeight(in window: ClosedRange<Int>, _ weigher: Weigher) -> Float {
        var block = reader.block(from: windowBlock, target: window.lowerBound)
        windowBlock = block
        if reader.blocks == 1 { return maxWeightOfSingleBlock(weigher) }
        var most: Float = 0
        while block < reader.blocks {
            most = max(most, reader.weight(of: block))
            if reader.last(of: block) >= window.upperBound { break }
            block += 1
        }
        return most * weigher.growth
    }

    private var maxInSingleBlock: Float?

    private func maxWeightOfSingleBlock(_ weigher: Weigher) -> Float {
        if let maxInSingleBlock { return maxInSingleBlock }
        if reader.block != 0 { reader.load(0) }
        var most: Float = 0
        for index in 0..<reader.size {
            most = max(most, weigher.weigh(reader.frequency(index), of: Int(reader.documents[index])))
        }
        maxInSingleBlock = most
        return most
    }

    override func gather(_ window: ClosedRange<Int>, minWeight: Float, _ weigher: Weigher, into list: WindowCandidates) {
        var block = reader.block(from: windowBlock, target: window.lowerBound)
        while block < reader.blocks, block == 0 || reader.last(of: block - 1) < window.upperBound {
            if reader.weight(of: block) * weigher.growth >= minWeight {
                if block != reader.block { reader.load(block) }
                gatherFromBlock(window, minWeight: minWeight, weigher, into: list)
            }
            block += 1
        }
    }

    private func gatherFromBlock(_ window: ClosedRange<Int>, minWeight: Float, _ weigher: Weigher, into list: WindowCandidates) {
        guard reader.size > 0 else { return }
        // The frequency of the term alone rules out most documents, whatever their lengths.
        let kinds = reader.frequencyKinds
        var isOut = SIMD2<UInt64>()
        for kind in kinds.indices where weigher.weights.maxWeight(TermFrequency(number: kinds[kind])) < minWeight {
            isOut[kind >> 6] |= 1 << UInt64(kind & 63)
        }
        var index = 0
        if Int(reader.documents[0]) < window.lowerBound {
            guard Int(reader.documents[reader.size - 1]) >= window.lowerBound else { return }
            index = reader.index(from: 0, target: window.lowerBound)
        }
        while index < reader.size {
            defer { index += 1 }
            let document = Int(reader.documents[index])
            if document > window.upperBound { return }
            if kinds.count > 0 {
                let kind = reader.kind(index)
                if isOut[kind >> 6] & 1 << UInt64(kind & 63) != 0 { continue }
            }
            let frequency = frequency(index)
            if column != nil, frequency.number == 0 { continue }
            let weight = weigher.weigh(frequency, of: document)
            if weight >= minWeight { list.append(document, weight) }
        }
    }

    override func weigh(_ list: WindowCandidates, term: Int, factor: Float, _ weigher: Weigher) {
        let weights = list.weights(of: term)
        var block = windowBlock
        var index = 0
        for candidate in 0..<list.count {
            let wanted = Int(list.documents[candidate])
            if block != reader.block || reader.size == 0 || Int(reader.documents[reader.size - 1]) < wanted {
                block = reader.block(from: block, target: wanted)
                guard block < reader.blocks else { return }
                if block != reader.block { reader.load(block) }
                index = 0
                guard reader.size > 0, Int(reader.documents[reader.size - 1]) >= wanted else { continue }
            }
            index = reader.index(from: index, target: wanted)
            if Int(reader.documents[index]) == wanted {
                weights[candidate] += factor * weigher.weigh(frequency(index), of: wanted)
            }
        }
    }
}

extension PostingsReader {
    /// The index of the first document in the block, from this index on, that is not before `target`. It must exist.
    @inline(__always) func index(from index: Int, target: Int) -> Int {
        let wanted = UInt32(truncatingIfNeeded: target)
        var index = index
        while index + 16 < size, documents[index + 15] < wanted { index += 16 }
        while documents[index] < wanted { index += 1 }
        return index
    }
}
