internal import Glibc
internal import Memory

/// The postings of all terms of a new segment, made from documents stored as rows of word numbers (see `WordRows`).
///
/// A first pass over the words counts the occurrences of each term. The terms are then taken in batches whose
/// occurrences fit into the buffer. For each batch, a pass over the words in the order of the new documents puts each
/// occurrence next to those of its term. That takes less time than sorting the words.
///
/// An occurrence is one number: from its highest bits on the document, the column in four bits and the position. Four
/// bytes are enough in most segments, and let the buffer hold twice as many occurrences as eight would.
struct TermPostings: ~Copyable {
    private var words: WordRows
    private let documents: [Range<Int>]
    private let counts: UnsafeMutablePointer<UInt32>
    /// For each term, the index of its next occurrence in `occurrences`; `.max` for terms outside the batch.
    private let nextIndexes: UnsafeMutablePointer<UInt32>
    private var occurrences: GrowingBytes
    private var positions = GrowingBytes()
    private let maxBytes: Int
    private let positionBits: Int
    /// Bytes of an occurrence.
    private let size: Int

    /// - Parameters:
    ///   - documents: the rows in `words` of each new document.
    ///   - maxBytes: the size of a batch of occurrences. A single term may have more.
    init(_ terms: Int, _ words: consuming WordRows, _ documents: [Range<Int>], maxBytes: Int) {
        positionBits = bits(words.end)
        self.words = words
        (self.documents, self.maxBytes) = (documents, maxBytes)
        occurrences = .paged(maxBytes)
        size = positionBits + 4 + bits(documents.count) <= 32 ? 4 : 8
        counts = PagedMemory.zeros(terms * 4).assumingMemoryBound(to: UInt32.self)
        nextIndexes = PagedMemory.zeros(terms * 4).assumingMemoryBound(to: UInt32.self)
        nextIndexes.update(repeating: .max, count: terms)
        let counts = self.counts
        self.words.eachWord(0..<self.words.count) { term, _, _ in counts[term] &+= 1 }
    }

    deinit {
        free(counts)
        free(nextIndexes)
    }

    /// Writes the postings of the terms in this order. The words are released as soon as all are regrouped.
    ///
    /// - Parameter bytes: gives those of a term.
    /// - Throws: `StorageError`.
    mutating func write(_ terms: [UInt32], to writer: inout SegmentWriter, bytes: (Int) -> ByteView) throws {
        var first = 0
        while first < terms.count {
            var (last, sum) = (first, 0)
            repeat {
                sum += Int(counts[Int(terms[last])])
                last += 1
            } while last < terms.count && (sum + Int(counts[Int(terms[last])])) * size <= maxBytes
            size == 4 ? collect(terms[first..<last], sum, as: UInt32.self) : collect(terms[first..<last], sum, as: UInt64.self)
            if last == terms.count { words.release() }
            var start = 0
            for term in terms[first..<last].lazy.map({ Int($0) }) {
                try write(start..<start + Int(counts[term]), to: &writer.postings)
                start += Int(counts[term])
                nextIndexes[term] = .max
                try writer.end(bytes(term))
            }
            first = last
        }
    }

    /// Collects the occurrences of a batch of terms, `sum` in all, grouped by term.
    @inline(__always) private mutating func collect<Entry: FixedWidthInteger & BitwiseCopyable>(
        _ terms: ArraySlice<UInt32>, _ sum: Int, as entry: Entry.Type
    ) {
        var next: UInt32 = 0
        for term in terms { (nextIndexes[Int(term)], next) = (next, next + counts[Int(term)]) }
        occurrences.removeAll()
        let all = occurrences.skip(sum * size).assumingMemoryBound(to: Entry.self)
        let (nextIndexes, positionBits) = (self.nextIndexes, self.positionBits)
        for (document, rows) in documents.enumerated() {
            words.eachWord(rows) { term, column, position in
                let index = nextIndexes[term]
                if index == .max { return }
                all[Int(index)] = Entry(truncatingIfNeeded: document << 4 | column) &<< Entry(positionBits) | Entry(position)
                nextIndexes[term] = index &+ 1
            }
        }
    }

    private mutating func write(_ range: Range<Int>, to writer: inout PostingsWriter) throws {
        let (shift, mask) = (positionBits, 1 << positionBits - 1)
        var index = range.lowerBound
        while index < range.upperBound {
            var next = occurrence(index)
            let document = next &>> (shift + 4)
            var frequency = TermFrequency()
            var words = PositionsWriter()
            positions.removeAll()
            repeat {
                let column = next &>> shift & 15
                frequency.add(column)
                words.add(column, UInt32(truncatingIfNeeded: next & mask), to: &positions)
                index += 1
                guard index < range.upperBound else { break }
                next = occurrence(index)
            } while next &>> (shift + 4) == document
            try writer.add(document, frequency, positions: positions.view)
        }
    }

    @inline(__always) private func occurrence(_ index: Int) -> Int {
        let entry = occurrences.start + index * size
        return size == 4 ? Int(entry.load(as: UInt32.self)) : Int(truncatingIfNeeded: entry.load(as: UInt64.self))
    }
}

/// The number of bits needed for numbers below this one.
private func bits(_ number: Int) -> Int { Int.bitWidth - number.leadingZeroBitCount }
