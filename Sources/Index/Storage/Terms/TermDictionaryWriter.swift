internal import Memory

/// Writes the dictionary of a segment: blocks of terms, and the tables by which they are found (see `SegmentLayout`).
struct TermDictionaryWriter: ~Copyable {
    private let path: String
    /// The blocks; if there are many, all but the last ones are in `spool`.
    private var terms = GrowingBytes.paged()
    private var spool: Spool?
    private(set) var blocks = GrowingBytes.paged()
    private(set) var tops = GrowingBytes()
    private(set) var count = 0

    private static let maxMemory = 1 << 20

    private var isOpen = false
    private var termsInBlock = 0
    private var blockStart = 0
    /// The facts of the current block's terms, which follow after the terms.
    private var facts = GrowingBytes()
    private var last = GrowingBytes()
    private var postingsOffset = 0

    /// - Parameter path: the segment's path.
    init(_ path: String) { self.path = path }

    /// Adds a term. Terms must come in the order of their bytes, which is also the order of their postings.
    mutating func add(_ term: ByteView, _ new: TermFacts) throws {
        if isOpen, terms.count - blockStart + facts.count + term.count > TermDictionary.blockSize { try endBlock() }
        if isOpen {
            let last = last.view
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
    private mutating func begin(_ term: ByteView) {
        isOpen = true
        blockStart = terms.count
        let key = TermDictionary.Beginning(term)
        if blocks.count % (TermDictionary.blocksPerTop * TermDictionary.rowSize) == 0 { key.append(to: &tops) }
        key.append(to: &blocks)
        blocks.append(fixed: UInt64((spool?.count ?? 0) + blockStart))
        terms.skip(4)
        terms.append(fixed: UInt64(postingsOffset))
    }

    private mutating func append(_ term: ByteView, shared: Int) {
        terms.append(varint: UInt64(shared))
        terms.append(varint: UInt64(term.count - shared))
        terms.append(term.part(shared, term.count - shared))
    }

    /// Writes all blocks.
    mutating func write(to file: FileWriter) throws {
        try endBlock()
        try spool?.copy(to: file)
        try file.write(terms)
    }

    mutating func endBlock() throws {
        guard isOpen else { return }
        terms.start.storeBytes(of: UInt16(termsInBlock), toByteOffset: blockStart, as: UInt16.self)
        terms.start.storeBytes(of: UInt16(clamping: terms.count - blockStart), toByteOffset: blockStart + 2, as: UInt16.self)
        terms.append(facts.view)
        facts.removeAll()
        (isOpen, termsInBlock) = (false, 0)
        guard terms.count > Self.maxMemory else { return }
        let spool = try self.spool ?? Spool(beside: path)
        self.spool = spool
        try spool.write(terms.view)
        terms.removeAll()
    }
}
