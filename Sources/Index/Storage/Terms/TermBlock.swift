/// One block of a dictionary.
struct TermBlock {
    /// Its terms and their facts.
    private let bytes: ByteView
    let count: Int
    private let factsOffset: Int
    /// Offset of its first term's postings.
    let postingsOffset: Int

    /// The start of its terms, and the start and end of their facts.
    var parts: (terms: UnsafeRawPointer, facts: UnsafeRawPointer, end: UnsafeRawPointer)? {
        bytes.baseAddress.map { ($0 + TermDictionary.headSize, $0 + factsOffset, $0 + bytes.count) }
    }

    /// nil after the last block.
    init?(_ number: Int, in segment: Segment) {
        let rows = segment[.blocks].count / TermDictionary.rowSize
        guard number >= 0, number < rows else { return nil }
        func start(_ number: Int) -> Int {
            number < rows
                ? Int(clamping: segment.number(.blocks, number * TermDictionary.rowSize + 16, as: UInt64.self))
                : segment[.terms].count
        }
        let first = start(number)
        bytes = segment.part(.terms, first, start(number + 1) - first)
        count = Int(bytes.number(0, as: UInt16.self))
        factsOffset = Int(bytes.number(2, as: UInt16.self))
        postingsOffset = Int(truncatingIfNeeded: bytes.number(4, as: UInt64.self))
        guard factsOffset >= TermDictionary.headSize, factsOffset <= bytes.count else { return nil }
    }

    /// Calls `body` for each term with the number of bytes that it shares with the previous one and its other bytes,
    /// until it returns false.
    @inline(__always) func eachTerm(_ body: (Int, ByteView) -> Bool) {
        guard let base = bytes.baseAddress else { return }
        var address = base + TermDictionary.headSize
        let end = base + factsOffset
        for _ in 0..<count {
            let shared = Int(clamping: Varint.read(&address, end))
            let size = min(Int(clamping: Varint.read(&address, end)), end - address)
            guard body(shared, ByteView(start: address, count: size)) else { return }
            address += size
        }
    }

    /// The index of a term; nil if the block does not contain it.
    func find(_ term: ByteView) -> Int? {
        var (number, isFound) = (0, false)
        // Number of bytes that the term shares with the previous one in the block, which precedes it.
        var matching = 0
        eachTerm { shared, bytes in
            if shared < matching { return false }
            if shared == matching {
                let wanted = term.part(shared, term.count - shared)
                var common = 0
                while common < min(bytes.count, wanted.count), bytes[common] == wanted[common] { common += 1 }
                if common == bytes.count, common == wanted.count {
                    isFound = true
                    return false
                }
                if common == wanted.count || common < bytes.count && bytes[common] > wanted[common] { return false }
                matching += common
            }
            number += 1
            return true
        }
        return isFound ? number : nil
    }

    /// The postings of the term at an index.
    func postings(_ number: Int, of segment: Segment) -> Postings? {
        guard number < count, var address = parts?.facts, let end = parts?.end else { return nil }
        var offset = postingsOffset
        for _ in 0..<number {
            Varint.skip(1, &address, end)
            let positions = Int(clamping: Varint.read(&address, end))
            offset = offset &+ positions &+ Int(clamping: Varint.read(&address, end))
        }
        let documents = Int(clamping: Varint.read(&address, end))
        let positions = Int(clamping: Varint.read(&address, end))
        let blocks = Int(clamping: Varint.read(&address, end))
        let all = segment[.postings]
        return Postings(
            count: min(documents, segment.documents), positions: all.part(offset, positions),
            blocks: all.part(offset &+ positions, blocks))
    }
}
