internal import Glibc

/// The postings of all terms of a new segment, made of documents as rows of words' numbers (see `Collector`).
///
/// The words are walked twice: first to count how often each term occurs, which tells how many bytes it needs at most; then,
/// in the order of the new documents, to write all terms at once, each into its place. That takes less time than sorting
/// the words.
struct TermPostings: ~Copyable {
    /// The terms' numbers in the order of the dictionary.
    let order: [Int]
    private let postings: UnsafeMutablePointer<GrowingPostings>
    private let bytes: ByteBuffer

    /// - Parameters:
    ///   - documents: each new document's place in `words`, in bytes.
    ///   - room: for the postings; what is in it is lost.
    init(_ terms: borrowing TermTable, _ words: ByteBuffer, _ documents: [Range<Int>], in room: ByteBuffer) {
        order = terms.sorted()
        postings = .allocate(capacity: terms.count)
        postings.initialize(repeating: GrowingPostings(), count: terms.count)
        let postings = self.postings
        let most = GrowingPostings.mostBytes(documents: documents.count, positions: Self.count(words, into: postings))
        var size = 0
        for term in order { size += postings[term].settle(at: size, mostBytes: most) }
        bytes = room
        bytes.removeAll()
        bytes.skip(size)
        let start = bytes.start
        Self.eachWord(words, documents) { postings[$0].write($1, $2, in: start) }
        for term in order { postings[term].finish(in: start) }
    }

    deinit { postings.deallocate() }

    func documents(of term: Int) -> Int { Int(postings[term].documents) }

    /// Valid as long as this value.
    subscript(term: Int) -> UnsafeRawBufferPointer { bytes.bytes.part(Int(postings[term].start), postings[term].size) }

    /// Counts the words into their terms' `documents`. Returns the most that stand in one column.
    private static func count(_ words: ByteBuffer, into postings: UnsafeMutablePointer<GrowingPostings>) -> Int {
        var most = 0
        let numbers = words.start.assumingMemoryBound(to: UInt32.self)
        var place = 0
        while place < words.count / 4 {
            let count = Int(numbers[place] & 0xFFF_FFFF)
            most = max(most, count)
            for index in place + 1..<place + 1 + count { postings[Int(numbers[index])].count() }
            place += 1 + count
        }
        return most
    }

    /// Calls `body` with each word's number, its document, and its place there: the column in the upper four bits, and the
    /// position.
    @inline(__always) private static func eachWord(
        _ words: ByteBuffer, _ documents: [Range<Int>], _ body: (Int, UInt32, UInt32) -> Void
    ) {
        for (document, range) in documents.enumerated() {
            var place = UnsafeRawPointer(words.start + range.lowerBound)
            let end = UnsafeRawPointer(words.start + range.upperBound)
            while place < end {
                let head = place.load(as: UInt32.self)
                let numbers = (place + 4).assumingMemoryBound(to: UInt32.self)
                let (column, count) = (head & 0xF000_0000, Int(head & 0xFFF_FFFF))
                for index in 0..<count { body(Int(numbers[index]), UInt32(document), column | UInt32(index)) }
                place += 4 + count * 4
            }
        }
    }
}

/// The postings of one term on their way to `SegmentLayout`'s form: `count` for each word, `settle`, `write` for each word
/// in the order of the documents, and `finish`.
private struct GrowingPostings {
    /// Where they begin, with the skips, and where the next bytes go.
    private(set) var start: UInt32 = 0
    private var place: UInt32 = 0
    /// Until `settle`, occurrences.
    private(set) var documents: UInt32 = 0
    /// Where the skips end, at the latest.
    private var first: UInt32 = 0
    private var document = UInt32.max
    /// The last occurrence in it.
    private var last: UInt32 = 0

    var size: Int { Int(place - start) }

    /// How many bytes one occurrence may take.
    static func mostBytes(documents: Int, positions: Int) -> Int {
        Varint.size(UInt64(documents) << 1 | 1) + Varint.size(UInt64(positions) << 2 | 2) + 1
    }

    @inline(__always) mutating func count() { documents &+= 1 }

    /// Gives them their place. Returns how much they take at most.
    mutating func settle(at start: Int, mostBytes: Int) -> Int {
        let skips = PostingsWriter.skipSize(documents: Int(documents))
        let size = skips + Int(documents) * mostBytes
        self.start = UInt32(truncatingIfNeeded: start)
        first = self.start + UInt32(truncatingIfNeeded: skips)
        (place, documents) = (first, 0)
        return size
    }

    @inline(__always) mutating func write(_ document: UInt32, _ occurrence: UInt32, in bytes: UnsafeMutableRawPointer) {
        if document != self.document {
            if documents > 0, documents % UInt32(SegmentLayout.documentsPerSkip) == 0 { writeSkip(in: bytes) }
            place &+= UInt32(Varint.write(begin(document), at: bytes + Int(place)))
            documents += 1
        }
        let step = step(to: occurrence)
        place &+= UInt32(Varint.write(step, at: bytes + Int(place)))
        if step & 2 != 0 {
            (bytes + Int(place)).storeBytes(of: UInt8(truncatingIfNeeded: occurrence >> 28), as: UInt8.self)
            place += 1
        }
        last = occurrence
    }

    /// Brings the skips, which may be fewer than there was room for, next to the rest.
    mutating func finish(in bytes: UnsafeMutableRawPointer) {
        let skips = UInt32(truncatingIfNeeded: PostingsWriter.skipSize(documents: Int(documents)))
        let begin = first - skips
        if begin != start { memmove(bytes + Int(begin), bytes + Int(start), Int(skips)) }
        start = begin
    }

    private func writeSkip(in bytes: UnsafeMutableRawPointer) {
        let skip = bytes + Int(start) + (Int(documents) / SegmentLayout.documentsPerSkip - 1) * 8
        skip.storeBytes(of: document, as: UInt32.self)
        skip.storeBytes(of: place - first, toByteOffset: 4, as: UInt32.self)
    }

    /// Goes to a new document; returns the number that tells it. The one before the first is -1.
    @inline(__always) private mutating func begin(_ document: UInt32) -> UInt64 {
        let step = UInt64(document &- self.document) << 1 | 1
        (self.document, last) = (document, 0)
        return step
    }

    /// The number that tells an occurrence; its second bit that the column follows.
    @inline(__always) private func step(to occurrence: UInt32) -> UInt64 {
        occurrence ^ last < 1 << 28 ? UInt64(occurrence - last) << 2 : UInt64(occurrence & 0xFFF_FFFF) << 2 | 2
    }
}
