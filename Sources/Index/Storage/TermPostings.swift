/// The postings of all terms of a new segment, made of documents as rows of words' numbers (see `Collector`).
///
/// The words are walked twice, in the order of the new documents: first to find how many bytes each term needs, then to
/// write them, all terms at once, each into its place. That takes less memory and time than sorting the words.
struct TermPostings: ~Copyable {
    /// The terms' numbers in the order of the dictionary.
    let order: [Int]
    private let postings: UnsafeMutablePointer<GrowingPostings>
    private let bytes: ByteBuffer

    /// - Parameter documents: each new document's place in `words`, in bytes.
    init(_ terms: borrowing TermTable, _ words: ByteBuffer, _ documents: [Range<Int>]) {
        order = terms.sorted()
        postings = .allocate(capacity: terms.count)
        postings.initialize(repeating: GrowingPostings(), count: terms.count)
        let postings = self.postings
        Self.eachWord(words, documents) { postings[$0].measure($1, $2) }
        var size = 0
        for term in order { size += postings[term].settle(at: size) }
        bytes = ByteBuffer(capacity: max(1, size))
        bytes.skip(size)
        let start = bytes.start
        Self.eachWord(words, documents) { postings[$0].write($1, $2, in: start) }
    }

    deinit { postings.deallocate() }

    func documents(of term: Int) -> Int { Int(postings[term].documents) }

    /// Valid as long as this value.
    subscript(term: Int) -> UnsafeRawBufferPointer { bytes.bytes.part(Int(postings[term].start), postings[term].size) }

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

/// The postings of one term on their way to `SegmentLayout`'s form: `measure` for each word, `settle`, and `write` for each
/// again.
private struct GrowingPostings {
    /// Where they begin, with the skips, and where the next bytes go.
    private(set) var start: UInt32 = 0
    private var place: UInt32 = 0
    private(set) var documents: UInt32 = 0
    private var written: UInt32 = 0
    private var document = UInt32.max
    /// The last occurrence in it.
    private var last: UInt32 = 0

    var size: Int { Int(place - start) }

    @inline(__always) mutating func measure(_ document: UInt32, _ occurrence: UInt32) {
        if document != self.document {
            place &+= UInt32(Varint.size(begin(document)))
            documents += 1
        }
        let step = step(to: occurrence)
        place &+= UInt32(Varint.size(step)) + (step & 2 == 0 ? 0 : 1)
        last = occurrence
    }

    /// Gives them their place. Returns how much they take.
    mutating func settle(at start: Int) -> Int {
        let skips = PostingsWriter.skipSize(documents: Int(documents))
        let size = skips + Int(place)
        self.start = UInt32(truncatingIfNeeded: start)
        place = self.start + UInt32(truncatingIfNeeded: skips)
        document = .max
        return size
    }

    @inline(__always) mutating func write(_ document: UInt32, _ occurrence: UInt32, in bytes: UnsafeMutableRawPointer) {
        if document != self.document {
            if written > 0, written % UInt32(SegmentLayout.documentsPerSkip) == 0 { writeSkip(in: bytes) }
            place &+= UInt32(Varint.write(begin(document), at: bytes + Int(place)))
            written += 1
        }
        let step = step(to: occurrence)
        place &+= UInt32(Varint.write(step, at: bytes + Int(place)))
        if step & 2 != 0 {
            (bytes + Int(place)).storeBytes(of: UInt8(truncatingIfNeeded: occurrence >> 28), as: UInt8.self)
            place += 1
        }
        last = occurrence
    }

    private func writeSkip(in bytes: UnsafeMutableRawPointer) {
        let first = start + UInt32(PostingsWriter.skipSize(documents: Int(documents)))
        let skip = bytes + Int(start) + (Int(written) / SegmentLayout.documentsPerSkip - 1) * 8
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
