internal import Memory

/// Enumerates the terms of a segment in order, from any of them on.
final class TermWalk {
    private let segment: Segment
    /// The current term; empty at the end. Not checked: each access ends before another begins.
    @exclusivity(unchecked) private var current = GrowingBytes(capacity: 128)
    private var block: Int
    private(set) var isAtEnd = false
    private var remainingTerms = 0
    /// The addresses of the block's next term and of the current term's facts.
    private var address: UnsafeRawPointer
    private var end: UnsafeRawPointer
    private var factsAddress: UnsafeRawPointer
    private var factsEnd: UnsafeRawPointer
    /// Number of terms whose facts were not read yet, including the current one.
    private var unreadFacts = 0
    private var postingsOffset = 0
    private var lastPostings: Postings?

    /// Begins at the first term that does not sort before `start`.
    init(_ segment: Segment, from start: ByteView = .none) {
        self.segment = segment
        block = start.count > 0 ? segment.block(of: start) : 0
        let nowhere = UnsafeRawPointer(current.start)
        (address, end, factsAddress, factsEnd) = (nowhere, nowhere, nowhere, nowhere)
        load()
        seek(start)
    }

    /// Moves to the first term of the block that does not sort before `start`, or to the next block.
    private func seek(_ start: ByteView) {
        // Number of bytes that `start` shares with the last examined term, which sorts before it.
        var matching = 0
        while remainingTerms > 0 {
            let before = address
            let shared = Int(clamping: Varint.read(&address, end))
            let size = min(Int(clamping: Varint.read(&address, end)), end - address)
            var isBefore = shared > matching
            if shared == matching {
                let wanted = start.part(shared, start.count - shared)
                var common = 0
                while common < min(size, wanted.count), address.load(fromByteOffset: common, as: UInt8.self) == wanted[common] {
                    common += 1
                }
                isBefore =
                    common < wanted.count
                    && (common == size || address.load(fromByteOffset: common, as: UInt8.self) < wanted[common])
                matching += common
            }
            if !isBefore {
                address = before
                current.removeAll()
                current.append(start.part(0, min(shared, start.count)))
                break
            }
            address += size
            remainingTerms -= 1
            unreadFacts += 1
        }
        advance()
    }

    var term: ByteView { current.view }

    /// Number of documents that contain the term.
    var count: Int { postings.count }

    /// The term's postings. They are read only when needed, since most walks need few.
    var postings: Postings {
        if unreadFacts == 0, let lastPostings { return lastPostings }
        var (documents, positions, blocks) = (0, 0, 0)
        while unreadFacts > 0 {
            documents = Int(clamping: Varint.read(&factsAddress, factsEnd))
            positions = Int(clamping: Varint.read(&factsAddress, factsEnd))
            blocks = Int(clamping: Varint.read(&factsAddress, factsEnd))
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
        let shared = Int(clamping: Varint.read(&address, end))
        let size = min(Int(clamping: Varint.read(&address, end)), end - address)
        current.cut(to: shared)
        current.append(ByteView(start: address, count: size))
        address += size
        remainingTerms -= 1
        unreadFacts += 1
    }

    private func load() {
        guard let block = TermBlock(block, in: segment), let parts = block.parts else { return }
        (remainingTerms, unreadFacts, postingsOffset) = (block.count, 0, block.postingsOffset)
        (address, end, factsAddress, factsEnd) = (parts.terms, parts.facts, parts.facts, parts.end)
    }
}
