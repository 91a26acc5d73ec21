/// The postings of all terms of a new segment, made of documents as rows of words' numbers (see `WordRows`).
///
/// The words are walked once to count how often each term occurs. Then, for so many terms at a time as there is room for
/// their occurrences, they are walked in the order of the new documents, and each occurrence is put where those of its term
/// are. That takes less time than sorting the words.
///
/// An occurrence is one number: from its highest bits on the document, the column in four bits and the position. Four bytes
/// are enough in most segments, which is room for twice as many as with eight.
struct TermPostings: ~Copyable {
    private let words: WordRows
    private let documents: [Range<Int>]
    private let counts: UnsafeMutablePointer<UInt32>
    /// Where the next occurrence of each term goes; `.max` for terms whose turn it is not.
    private let places: UnsafeMutablePointer<UInt32>
    private let occurrences: ByteBuffer
    private let positions = ByteBuffer()
    private let mostBytes: Int
    private let positionBits: Int
    /// Bytes of an occurrence.
    private let size: Int

    /// - Parameters:
    ///   - documents: each new document's rows in `words`.
    ///   - room: for the occurrences; what is in it is lost.
    ///   - mostBytes: of the occurrences that are turned round at a time; of one term there may be more.
    init(_ terms: Int, _ words: WordRows, _ documents: [Range<Int>], in room: ByteBuffer, mostBytes: Int) {
        (self.words, self.documents, occurrences, self.mostBytes) = (words, documents, room, mostBytes)
        positionBits = bits(words.longest)
        size = positionBits + 4 + bits(documents.count) <= 32 ? 4 : 8
        counts = .allocate(capacity: terms)
        counts.initialize(repeating: 0, count: terms)
        places = .allocate(capacity: terms)
        places.initialize(repeating: .max, count: terms)
        let counts = self.counts
        words.eachWord(0..<words.count) { term, _, _ in counts[term] &+= 1 }
    }

    deinit {
        counts.deallocate()
        places.deallocate()
    }

    /// Writes the postings of the terms in this order.
    ///
    /// - Parameter end: called after each.
    /// - Throws: `StorageError`, or what `end` throws.
    func write(_ terms: [Int], to writer: PostingsWriter, end: (Int) throws -> Void) throws {
        var first = 0
        while first < terms.count {
            var (last, sum) = (first, 0)
            repeat {
                sum += Int(counts[terms[last]])
                last += 1
            } while last < terms.count && (sum + Int(counts[terms[last]])) * size <= mostBytes
            size == 4 ? turn(terms[first..<last], sum, as: UInt32.self) : turn(terms[first..<last], sum, as: UInt64.self)
            var start = 0
            for term in terms[first..<last] {
                try write(start..<start + Int(counts[term]), to: writer)
                start += Int(counts[term])
                places[term] = .max
                try end(term)
            }
            first = last
        }
    }

    /// Puts the occurrences of some terms, `sum` in all, one term after another.
    @inline(__always) private func turn<Entry: FixedWidthInteger & BitwiseCopyable>(
        _ terms: ArraySlice<Int>, _ sum: Int, as entry: Entry.Type
    ) {
        var next: UInt32 = 0
        for term in terms { (places[term], next) = (next, next + counts[term]) }
        occurrences.removeAll()
        let all = occurrences.skip(sum * size).assumingMemoryBound(to: Entry.self)
        let (places, positionBits) = (self.places, self.positionBits)
        for (document, rows) in documents.enumerated() {
            words.eachWord(rows) { term, column, position in
                let place = places[term]
                if place == .max { return }
                all[Int(place)] = Entry(truncatingIfNeeded: document << 4 | column) &<< Entry(positionBits) | Entry(position)
                places[term] = place &+ 1
            }
        }
    }

    private func write(_ range: Range<Int>, to writer: PostingsWriter) throws {
        let (shift, mask) = (positionBits, 1 << positionBits - 1)
        var place = range.lowerBound
        while place < range.upperBound {
            var next = occurrence(place)
            let document = next &>> (shift + 4)
            var frequency = TermFrequency()
            var words = PositionsWriter()
            positions.removeAll()
            repeat {
                let column = next &>> shift & 15
                frequency.add(column)
                words.add(column, UInt32(truncatingIfNeeded: next & mask), to: positions)
                place += 1
                guard place < range.upperBound else { break }
                next = occurrence(place)
            } while next &>> (shift + 4) == document
            try writer.add(document, frequency, positions: positions.bytes)
        }
    }

    @inline(__always) private func occurrence(_ place: Int) -> Int {
        let place = occurrences.start + place * size
        return size == 4 ? Int(place.load(as: UInt32.self)) : Int(truncatingIfNeeded: place.load(as: UInt64.self))
    }
}

/// How many bits numbers below this one have.
private func bits(_ number: Int) -> Int { Int.bitWidth - number.leadingZeroBitCount }
