/// One block of a dictionary.
struct TermBlock {
    /// Its terms, and what is said of them.
    private let bytes: UnsafeRawBufferPointer
    let count: Int
    private let factsPlace: Int
    /// Where the postings of its first term are.
    let postingsOffset: Int

    /// Where its terms begin, where what is said of them does, and where that ends.
    var parts: (terms: UnsafeRawPointer, facts: UnsafeRawPointer, end: UnsafeRawPointer)? {
        bytes.baseAddress.map { ($0 + TermDictionary.headSize, $0 + factsPlace, $0 + bytes.count) }
    }

    /// nil behind the last block.
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
        factsPlace = Int(bytes.number(2, as: UInt16.self))
        postingsOffset = Int(truncatingIfNeeded: bytes.number(4, as: UInt64.self))
        guard factsPlace >= TermDictionary.headSize, factsPlace <= bytes.count else { return nil }
    }

    /// Calls `body` with each term's number of bytes that it has in common with the one before, and the other bytes, until
    /// it returns false.
    @inline(__always) func eachTerm(_ body: (Int, UnsafeRawBufferPointer) -> Bool) {
        guard let base = bytes.baseAddress else { return }
        var place = base + TermDictionary.headSize
        let end = base + factsPlace
        for _ in 0..<count {
            let shared = Int(clamping: Varint.read(&place, end))
            let size = min(Int(clamping: Varint.read(&place, end)), end - place)
            guard body(shared, UnsafeRawBufferPointer(start: place, count: size)) else { return }
            place += size
        }
    }

    /// The number of a term; nil where the block does not have it.
    func find(_ term: UnsafeRawBufferPointer) -> Int? {
        var (number, found) = (0, false)
        // Bytes that the term has in common with the last one looked at, which comes before it.
        var matching = 0
        eachTerm { shared, bytes in
            if shared < matching { return false }
            if shared == matching {
                let wanted = term.part(shared, term.count - shared)
                var common = 0
                while common < min(bytes.count, wanted.count), bytes[common] == wanted[common] { common += 1 }
                if common == bytes.count, common == wanted.count {
                    found = true
                    return false
                }
                if common == wanted.count || common < bytes.count && bytes[common] > wanted[common] { return false }
                matching += common
            }
            number += 1
            return true
        }
        return found ? number : nil
    }

    /// Where a term's postings are, by its number.
    func postings(_ number: Int, of segment: Segment) -> Postings? {
        guard number < count, var place = parts?.facts, let end = parts?.end else { return nil }
        var offset = postingsOffset
        for _ in 0..<number {
            Varint.skip(1, &place, end)
            let positions = Int(clamping: Varint.read(&place, end))
            offset = offset &+ positions &+ Int(clamping: Varint.read(&place, end))
        }
        let documents = Int(clamping: Varint.read(&place, end))
        let positions = Int(clamping: Varint.read(&place, end))
        let blocks = Int(clamping: Varint.read(&place, end))
        let all = segment[.postings]
        return Postings(
            count: min(documents, segment.documents), positions: all.part(offset, positions),
            blocks: all.part(offset &+ positions, blocks))
    }
}
