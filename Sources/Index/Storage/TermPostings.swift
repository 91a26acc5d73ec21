/// The postings of all terms of a new segment, made of documents as rows of words' numbers (see `WordRows`).
///
/// The words are walked once to count how often each term occurs. Then, for so many terms at a time as there is room for
/// their occurrences, they are walked in the order of the new documents, and each occurrence is put where those of its term
/// are. That takes less time than sorting the words.
struct TermPostings: ~Copyable {
    private let words: WordRows
    private let documents: [Range<Int>]
    private let counts: UnsafeMutablePointer<UInt32>
    /// Where the next occurrence of each term goes; `.max` for terms whose turn it is not.
    private let places: UnsafeMutablePointer<UInt32>
    /// For each occurrence the document (upper half), and the column in four bits and the position (lower half).
    private let occurrences: ByteBuffer
    private let positions = ByteBuffer()
    private let mostOccurrences: Int

    /// - Parameters:
    ///   - documents: each new document's rows in `words`.
    ///   - room: for the occurrences; what is in it is lost.
    ///   - mostOccurrences: that are turned round at a time, of eight bytes each; of one term there may be more.
    init(_ terms: Int, _ words: WordRows, _ documents: [Range<Int>], in room: ByteBuffer, mostOccurrences: Int) {
        (self.words, self.documents, occurrences, self.mostOccurrences) = (words, documents, room, mostOccurrences)
        counts = .allocate(capacity: terms)
        counts.initialize(repeating: 0, count: terms)
        places = .allocate(capacity: terms)
        places.initialize(repeating: .max, count: terms)
        let counts = self.counts
        words.eachWord(0..<words.count) { term, _ in counts[term] &+= 1 }
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
            } while last < terms.count && sum + Int(counts[terms[last]]) <= mostOccurrences
            turn(terms[first..<last], sum)
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
    private func turn(_ terms: ArraySlice<Int>, _ sum: Int) {
        var next: UInt32 = 0
        for term in terms { (places[term], next) = (next, next + counts[term]) }
        occurrences.removeAll()
        occurrences.reserve(max(sum, min(words.count, mostOccurrences)) * 8)
        let all = occurrences.skip(sum * 8).assumingMemoryBound(to: UInt64.self)
        let places = self.places
        for (document, rows) in documents.enumerated() {
            let number = UInt64(document) << 32
            words.eachWord(rows) { term, occurrence in
                let place = places[term]
                if place == .max { return }
                all[Int(place)] = number | UInt64(occurrence)
                places[term] = place &+ 1
            }
        }
    }

    private func write(_ range: Range<Int>, to writer: PostingsWriter) throws {
        let all = occurrences.start.assumingMemoryBound(to: UInt64.self)
        var place = range.lowerBound
        while place < range.upperBound {
            let document = all[place] >> 32
            var frequency = TermFrequency()
            var words = PositionsWriter()
            positions.removeAll()
            repeat {
                let occurrence = UInt32(truncatingIfNeeded: all[place])
                frequency.add(Int(occurrence >> 28))
                words.add(occurrence, to: positions)
                place += 1
            } while place < range.upperBound && all[place] >> 32 == document
            try writer.add(Int(document), frequency, positions: positions.bytes)
        }
    }
}
