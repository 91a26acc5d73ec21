/// Writes the dictionary of a segment: blocks of terms, and the tables that lead to them (see `SegmentLayout`).
final class TermDictionaryWriter {
    private let path: String
    /// The blocks; where they are many, all but the last ones are in `spool`.
    private let terms = ByteBuffer(capacity: 1 << 16)
    private var spool: Spool?
    let blocks = ByteBuffer()
    let tops = ByteBuffer()
    private(set) var count = 0

    private static let mostMemory = 1 << 20

    private var isOpen = false
    private var termsInBlock = 0
    private var blockStart = 0
    /// What is said of the block's terms, which stands behind them.
    private let facts = ByteBuffer()
    private let last = ByteBuffer()
    private var postingsOffset = 0

    /// - Parameter path: of the segment.
    init(_ path: String) { self.path = path }

    /// Terms come in the order of their bytes, as their postings do.
    func add(_ term: UnsafeRawBufferPointer, _ new: TermFacts) throws {
        if isOpen, terms.count - blockStart + facts.count + term.count > TermDictionary.blockSize { try endBlock() }
        if isOpen {
            let last = last.bytes
            var shared = 0
            while shared < min(term.count, last.count), term[shared] == last[shared] { shared += 1 }
            append(term, shared: shared)
        } else {
            begin(term)
            append(term, shared: 0)
        }
        facts.append(varint: UInt64(new.documents))
        facts.append(varint: UInt64(new.positionsSize))
        facts.append(varint: UInt64(new.blocksSize))
        postingsOffset += new.positionsSize + new.blocksSize
        last.removeAll()
        last.append(term)
        termsInBlock += 1
        count += 1
    }

    /// Begins a block.
    private func begin(_ term: UnsafeRawBufferPointer) {
        isOpen = true
        blockStart = terms.count
        let key = TermDictionary.Beginning(term)
        if blocks.count % (TermDictionary.blocksPerTop * TermDictionary.rowSize) == 0 { key.append(to: tops) }
        key.append(to: blocks)
        blocks.append(fixed: UInt64((spool?.count ?? 0) + blockStart))
        terms.skip(4)
        terms.append(fixed: UInt64(postingsOffset))
    }

    private func append(_ term: UnsafeRawBufferPointer, shared: Int) {
        terms.append(varint: UInt64(shared))
        terms.append(varint: UInt64(term.count - shared))
        terms.append(term.part(shared, term.count - shared))
    }

    /// Writes all blocks.
    func write(to file: FileWriter) throws {
        try endBlock()
        try spool?.copy(to: file)
        try file.write(terms)
    }

    func endBlock() throws {
        guard isOpen else { return }
        terms.start.storeBytes(of: UInt16(termsInBlock), toByteOffset: blockStart, as: UInt16.self)
        terms.start.storeBytes(of: UInt16(clamping: terms.count - blockStart), toByteOffset: blockStart + 2, as: UInt16.self)
        terms.append(facts.bytes)
        facts.removeAll()
        (isOpen, termsInBlock) = (false, 0)
        guard terms.count > Self.mostMemory else { return }
        let spool = try self.spool ?? Spool(beside: path)
        self.spool = spool
        try spool.write(terms.bytes)
        terms.removeAll()
    }
}

enum TermDictionary {
    /// Bytes of a block, about: what a look-up reads and checks.
    static let blockSize = 1_000
    static let headSize = 12
    static let rowSize = 24
    static let topSize = 16
    static let blocksPerTop = 64

    /// The first sixteen bytes of a term as numbers of the same order; zeros for those that are missing.
    struct Beginning {
        private let high: UInt64
        private let low: UInt64

        init(_ term: UnsafeRawBufferPointer) {
            high = term.beginning
            low = term.count > 8 ? term.part(8, term.count - 8).beginning : 0
        }

        init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
            high = bytes.number(offset, as: UInt64.self)
            low = bytes.number(offset + 8, as: UInt64.self)
        }

        func append(to buffer: ByteBuffer) {
            buffer.append(fixed: high)
            buffer.append(fixed: low)
        }

        /// -1 where it comes before the other, 1 where it comes behind it.
        @inline(__always) func order(_ other: Beginning) -> Int {
            if high != other.high { return high < other.high ? -1 : 1 }
            return low == other.low ? 0 : low < other.low ? -1 : 1
        }
    }
}

extension Segment {
    /// The last block whose first term does not come behind `term`; the first block where all do.
    func block(of term: UnsafeRawBufferPointer) -> Int {
        let wanted = TermDictionary.Beginning(term)
        let rows = self[.blocks].count / TermDictionary.rowSize
        let top = (0..<self[.tops].count / TermDictionary.topSize).partitioningIndex {
            let size = TermDictionary.topSize
            return TermDictionary.Beginning(part(.tops, $0 * size, size), at: 0).order(wanted) > 0
        }
        // Of several blocks that begin alike one top may stand for any.
        let first = top > 0 && isTied(top - 1, wanted) ? 0 : max(0, top - 1) * TermDictionary.blocksPerTop
        let range = first..<max(first, min(rows, top * TermDictionary.blocksPerTop))
        let behind = range.partitioningIndex { isBehind(block: $0, wanted, term) }
        return max(0, behind - 1)
    }

    private func isTied(_ top: Int, _ wanted: TermDictionary.Beginning) -> Bool {
        let size = TermDictionary.topSize
        return TermDictionary.Beginning(part(.tops, top * size, size), at: 0).order(wanted) == 0
    }

    /// Whether all terms of a block come behind this one.
    private func isBehind(block: Int, _ wanted: TermDictionary.Beginning, _ term: UnsafeRawBufferPointer) -> Bool {
        let row = part(.blocks, block * TermDictionary.rowSize, TermDictionary.rowSize)
        let order = TermDictionary.Beginning(row, at: 0).order(wanted)
        if order != 0 { return order > 0 }
        var isBehind = false
        TermBlock(block, in: self)?.eachTerm { _, bytes in
            isBehind = UnsafeRawBufferPointer.precedes(term, bytes)
            return false
        }
        return isBehind
    }

    /// nil where no document holds the term.
    func postings(of term: TermKey) -> Postings? { term.withBytes { postings(of: $0) } }

    func postings(of term: UnsafeRawBufferPointer) -> Postings? {
        guard let block = TermBlock(block(of: term), in: self), let number = block.find(term) else { return nil }
        return block.postings(number, of: self)
    }

    /// Calls `body` with each term that begins so, until it returns false.
    func eachTerm(prefix: TermKey, _ body: (TermWalk) -> Bool) {
        prefix.withBytes { bytes in
            let walk = TermWalk(self, from: bytes)
            while !walk.isAtEnd, walk.term.count >= bytes.count,
                UnsafeRawBufferPointer.order(walk.term.part(0, bytes.count), bytes) == 0, body(walk)
            {
                walk.advance()
            }
        }
    }
}

/// Goes through the terms of a segment in their order, from any of them on.
final class TermWalk {
    private let segment: Segment
    /// The term it stands at; empty at the end.
    private let current = ByteBuffer(capacity: 128)
    private var block: Int
    private(set) var isAtEnd = false
    private var remainingTerms = 0
    /// Where the block's next term is, and the facts of the current one.
    private var place: UnsafeRawPointer
    private var end: UnsafeRawPointer
    private var factsPlace: UnsafeRawPointer
    private var factsEnd: UnsafeRawPointer
    /// Terms whose facts were not read yet, the current one included.
    private var unreadFacts = 0
    private var postingsOffset = 0
    private var lastPostings: Postings?

    /// At the first term that does not come before `start`.
    init(_ segment: Segment, from start: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) {
        self.segment = segment
        block = start.count > 0 ? segment.block(of: start) : 0
        let nowhere = UnsafeRawPointer(current.start)
        (place, end, factsPlace, factsEnd) = (nowhere, nowhere, nowhere, nowhere)
        load()
        seek(start)
    }

    /// Goes to the first term of the block that does not come before `start`, or to the next block.
    private func seek(_ start: UnsafeRawBufferPointer) {
        // Bytes that `start` has in common with the last term looked at, which comes before it.
        var matching = 0
        while remainingTerms > 0 {
            let before = place
            let shared = Int(clamping: Varint.read(&place, end))
            let size = min(Int(clamping: Varint.read(&place, end)), end - place)
            var isBefore = shared > matching
            if shared == matching {
                let wanted = start.part(shared, start.count - shared)
                var common = 0
                while common < min(size, wanted.count), place.load(fromByteOffset: common, as: UInt8.self) == wanted[common] {
                    common += 1
                }
                isBefore =
                    common < wanted.count
                    && (common == size || place.load(fromByteOffset: common, as: UInt8.self) < wanted[common])
                matching += common
            }
            if !isBefore {
                place = before
                current.removeAll()
                current.append(start.part(0, min(shared, start.count)))
                break
            }
            place += size
            remainingTerms -= 1
            unreadFacts += 1
        }
        advance()
    }

    var term: UnsafeRawBufferPointer { current.bytes }

    /// Documents that hold the term.
    var count: Int { postings.count }

    /// Read when asked for: most walks want few.
    var postings: Postings {
        if unreadFacts == 0, let lastPostings { return lastPostings }
        var (documents, positions, blocks) = (0, 0, 0)
        while unreadFacts > 0 {
            documents = Int(clamping: Varint.read(&factsPlace, factsEnd))
            positions = Int(clamping: Varint.read(&factsPlace, factsEnd))
            blocks = Int(clamping: Varint.read(&factsPlace, factsEnd))
            postingsOffset = postingsOffset &+ positions &+ blocks
            unreadFacts -= 1
        }
        let all = segment[.postings]
        let postings = Postings(
            count: min(documents, segment.documents), positions: all.part(postingsOffset &- blocks &- positions, positions),
            blocks: all.part(postingsOffset &- blocks, blocks))
        lastPostings = postings
        return postings
    }

    func advance() {
        if remainingTerms == 0 {
            block += 1
            load()
        }
        guard remainingTerms > 0 else {
            isAtEnd = true
            current.removeAll()
            return
        }
        let shared = Int(clamping: Varint.read(&place, end))
        let size = min(Int(clamping: Varint.read(&place, end)), end - place)
        current.cut(to: shared)
        current.append(UnsafeRawBufferPointer(start: place, count: size))
        place += size
        remainingTerms -= 1
        unreadFacts += 1
    }

    private func load() {
        guard let block = TermBlock(block, in: segment), let parts = block.parts else { return }
        (remainingTerms, unreadFacts, postingsOffset) = (block.count, 0, block.postingsOffset)
        (place, end, factsPlace, factsEnd) = (parts.terms, parts.facts, parts.facts, parts.end)
    }
}
