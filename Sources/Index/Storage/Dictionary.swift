internal import CTokenizer

/// Where a term stands in a segment.
struct Postings {
    /// Documents that hold the term.
    var count: Int
    var bytes: UnsafeRawBufferPointer
}

/// Goes through the terms of a segment in their order, from any of them on.
final class TermWalk {
    private let segment: Segment
    /// The term it stands at; empty at the end.
    private var current = ByteBuffer(capacity: 128)
    private(set) var count = 0
    private var size = 0
    private var postingsOffset = 0
    private var next = 0
    private var place: UnsafeRawPointer
    private let end: UnsafeRawPointer
    private(set) var isAtEnd = false

    /// At the first term that does not come before `start`.
    init(_ segment: Segment, from start: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) {
        self.segment = segment
        let terms = segment[.terms]
        let base = terms.baseAddress ?? UnsafeRawPointer(current.start)
        place = base
        end = base + terms.count
        // The last block whose first term does not come behind `start`.
        let blocks = segment[.blocks].count / SegmentLayout.blockSize
        var (low, high) = (0, blocks)
        while low + 1 < high {
            let middle = (low + high) / 2
            begin(block: middle)
            if UnsafeRawBufferPointer.order(term, start) <= 0 { low = middle } else { high = middle }
        }
        begin(block: low)
        while !isAtEnd, UnsafeRawBufferPointer.precedes(term, start) { advance() }
    }

    var term: UnsafeRawBufferPointer { current.bytes }
    var postings: Postings { Postings(count: count, bytes: segment[.postings].part(postingsOffset, size)) }

    func advance() {
        postingsOffset &+= size
        read()
    }

    private func begin(block: Int) {
        guard let base = segment[.terms].baseAddress, block * SegmentLayout.blockSize < segment[.blocks].count else {
            isAtEnd = true
            current.removeAll()
            return
        }
        let entry = segment.part(.blocks, block * SegmentLayout.blockSize, SegmentLayout.blockSize)
        place = min(base + Int(clamping: min(entry.number(0, as: UInt64.self), UInt64(segment[.terms].count))), end)
        postingsOffset = Int(truncatingIfNeeded: entry.number(8, as: UInt64.self))
        next = block * SegmentLayout.termsPerBlock
        isAtEnd = false
        current.removeAll()
        read()
    }

    private func read() {
        guard place < end else {
            isAtEnd = true
            current.removeAll()
            return
        }
        let start = place
        let shared = next % SegmentLayout.termsPerBlock == 0 ? 0 : Int(clamping: Varint.read(&place, end))
        let rest = min(Int(clamping: Varint.read(&place, end)), end - place)
        current.cut(to: shared)
        current.append(UnsafeRawBufferPointer(start: place, count: rest))
        place += rest
        count = Int(clamping: Varint.read(&place, end))
        size = Int(clamping: Varint.read(&place, end))
        next += 1
        segment.file.check(start, place - start)
    }
}

extension Segment {
    /// nil where no document holds the term.
    func postings(of term: TermKey) -> Postings? {
        term.withBytes { bytes in
            let walk = TermWalk(self, from: bytes)
            return !walk.isAtEnd && UnsafeRawBufferPointer.order(walk.term, bytes) == 0 ? walk.postings : nil
        }
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

/// A term as the dictionary has it: words as they are; what is no word behind a mark, so that it is not taken for one.
struct TermKey: Hashable {
    private let bytes: [UInt8]

    private static let pairMark = UInt8(CTokenizerMark)
    private static let facetMark: UInt8 = 2

    init(word: String) { bytes = Array(word.utf8) }
    /// Two neighbouring characters of a text without blanks, or the last one.
    init(pair: String) { bytes = [Self.pairMark] + pair.utf8 }
    /// A fact about the episode.
    init(facet: String) { bytes = [Self.facetMark] + facet.utf8 }
    /// The key of a token of a text.
    init(_ token: Token) { self = token.isWord ? TermKey(word: token.text) : TermKey(pair: token.text) }

    func withBytes<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T { bytes.withUnsafeBytes(body) }
}
