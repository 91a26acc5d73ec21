internal import Memory

enum TermDictionary {
    /// Approximate size of a block in bytes, all of which a look-up reads and checks.
    static let blockSize = 1_000
    static let headSize = 12
    static let rowSize = 24
    static let topSize = 16
    static let blocksPerTop = 64

    /// The first sixteen bytes of a term as numbers that sort the same way; missing bytes count as 0.
    struct Beginning {
        private let high: UInt64
        private let low: UInt64

        init(_ term: ByteView) {
            high = term.beginning
            low = term.count > 8 ? term.part(8, term.count - 8).beginning : 0
        }

        init(_ bytes: ByteView, at offset: Int) {
            high = bytes.number(offset, as: UInt64.self)
            low = bytes.number(offset + 8, as: UInt64.self)
        }

        func append(to buffer: inout GrowingBytes) {
            buffer.append(fixed: high)
            buffer.append(fixed: low)
        }

        /// -1 if it sorts before the other, 1 if after it.
        @inline(__always) func order(_ other: Beginning) -> Int {
            if high != other.high { return high < other.high ? -1 : 1 }
            return low == other.low ? 0 : low < other.low ? -1 : 1
        }
    }
}

extension Segment {
    /// The last block whose first term does not sort after `term`; the first block if there is none.
    func block(of term: ByteView) -> Int {
        let wanted = TermDictionary.Beginning(term)
        let rows = self[.blocks].count / TermDictionary.rowSize
        let top = (0..<self[.tops].count / TermDictionary.topSize).partitioningIndex {
            let size = TermDictionary.topSize
            return TermDictionary.Beginning(part(.tops, $0 * size, size), at: 0).order(wanted) > 0
        }
        // If several blocks begin alike, any top with that beginning may have been found.
        let first = top > 0 && isTied(top - 1, wanted) ? 0 : max(0, top - 1) * TermDictionary.blocksPerTop
        let range = first..<max(first, min(rows, top * TermDictionary.blocksPerTop))
        let behind = range.partitioningIndex { isBehind(block: $0, wanted, term) }
        return max(0, behind - 1)
    }

    private func isTied(_ top: Int, _ wanted: TermDictionary.Beginning) -> Bool {
        let size = TermDictionary.topSize
        return TermDictionary.Beginning(part(.tops, top * size, size), at: 0).order(wanted) == 0
    }

    /// True if all terms of a block sort after the given one.
    private func isBehind(block: Int, _ wanted: TermDictionary.Beginning, _ term: ByteView) -> Bool {
        let row = part(.blocks, block * TermDictionary.rowSize, TermDictionary.rowSize)
        let order = TermDictionary.Beginning(row, at: 0).order(wanted)
        if order != 0 { return order > 0 }
        var isBehind = false
        TermBlock(block, in: self)?.eachTerm { _, bytes in
            isBehind = ByteView.precedes(term, bytes)
            return false
        }
        return isBehind
    }

    /// nil if no document contains the term.
    func postings(of term: TermKey) -> Postings? { term.withBytes { postings(of: $0) } }

    func postings(of term: ByteView) -> Postings? {
        guard let block = TermBlock(block(of: term), in: self), let number = block.find(term) else { return nil }
        return block.postings(number, of: self)
    }

    /// Calls `body` with each term that has the prefix, until it returns false.
    func eachTerm(prefix: TermKey, _ body: (TermWalk) -> Bool) {
        prefix.withBytes { bytes in
            let walk = TermWalk(self, from: bytes)
            while !walk.isAtEnd, walk.term.count >= bytes.count,
                ByteView.order(walk.term.part(0, bytes.count), bytes) == 0, body(walk)
            {
                walk.advance()
            }
        }
    }
}
