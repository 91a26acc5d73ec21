internal import Glibc

/// The postings of all terms of a new segment, made of documents as rows of words' numbers (see `SegmentBuffer`).
///
/// The words are walked twice: first to count how often each term occurs; then, in the order of the new documents, to put
/// each occurrence where those of its term are. That takes less time than sorting the words.
struct TermPostings: ~Copyable {
    private let terms: Int
    /// Where the occurrences of each term end; those of the next begin there.
    private let ends: UnsafeMutablePointer<UInt32>
    /// For each occurrence the document (upper half), and the column in four bits and the position (lower half).
    private let occurrences: ByteBuffer
    private let positions = ByteBuffer()

    /// - Parameters:
    ///   - documents: each new document's place in `words`, in bytes.
    ///   - room: for the occurrences; what is in it is lost.
    init(_ terms: Int, _ words: ByteBuffer, _ documents: [Range<Int>], in room: ByteBuffer) {
        self.terms = terms
        ends = .allocate(capacity: terms)
        ends.initialize(repeating: 0, count: terms)
        occurrences = room
        let ends = self.ends
        Self.count(words, into: ends)
        var sum: UInt32 = 0
        for term in 0..<terms { (ends[term], sum) = (sum, sum + ends[term]) }
        room.removeAll()
        room.skip(Int(sum) * 8)
        let places = room.start.assumingMemoryBound(to: UInt64.self)
        for (document, range) in documents.enumerated() {
            let number = UInt64(document) << 32
            Self.eachWord(words, range) { term, occurrence in
                places[Int(ends[term])] = number | UInt64(occurrence)
                ends[term] &+= 1
            }
        }
    }

    deinit { ends.deallocate() }

    /// - Throws: `StorageError`.
    func write(_ term: Int, to writer: PostingsWriter) throws {
        let all = occurrences.start.assumingMemoryBound(to: UInt64.self)
        var place = term > 0 ? Int(ends[term - 1]) : 0
        let end = Int(ends[term])
        while place < end {
            let document = all[place] >> 32
            var frequency = TermFrequency()
            var words = PositionsWriter()
            positions.removeAll()
            repeat {
                let occurrence = UInt32(truncatingIfNeeded: all[place])
                frequency.add(Int(occurrence >> 28))
                words.add(occurrence, to: positions)
                place += 1
            } while place < end && all[place] >> 32 == document
            try writer.add(Int(document), frequency, positions: positions.bytes)
        }
    }

    private static func count(_ words: ByteBuffer, into counts: UnsafeMutablePointer<UInt32>) {
        eachWord(words, 0..<words.count) { term, _ in counts[term] &+= 1 }
    }

    /// Calls `body` with each word's number and its place in the document: the column in the upper four bits, and the
    /// position.
    @inline(__always) private static func eachWord(_ words: ByteBuffer, _ range: Range<Int>, _ body: (Int, UInt32) -> Void) {
        var place = UnsafeRawPointer(words.start + range.lowerBound)
        let end = UnsafeRawPointer(words.start + range.upperBound)
        while place < end {
            let head = place.load(as: UInt32.self)
            let numbers = (place + 4).assumingMemoryBound(to: UInt32.self)
            let (column, count) = (head & 0xF000_0000, Int(head & 0xFFF_FFFF))
            for index in 0..<count { body(Int(numbers[index]), column | UInt32(index)) }
            place += 4 + count * 4
        }
    }
}
