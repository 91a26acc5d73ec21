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
