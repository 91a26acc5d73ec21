internal import CStemmer
internal import CTokenizer

/// Collects the forms of words (see `WordFormList`) of a new segment: each word is looked at once for each language that it
/// is used in, however often it stands there.
struct WordFormBuffer: ~Copyable {
    private let stemmer = Stemmer()
    private var language = Language.undetermined
    /// Languages of the documents so far: the first 31 have a bit each.
    private var bits: [Language: UInt32] = [:]
    private var bit: UInt32 = 0
    /// A `Seen` for each term. Frequent terms have small numbers, so what is looked at often lies together.
    private let seen = ByteBuffer()
    /// Numbers of words with other characters than ASCII, as they are written, in each language.
    private var numbers = HashTable()
    private var spellings: [Spelling] = []
    /// How often each stands there (4 bytes).
    private let counts = ByteBuffer()
    private let texts = ByteBuffer()
    private var places: [Range<Int>] = []

    /// How a term was written.
    private struct Seen: BitwiseCopyable {
        /// In ASCII: in which languages, and how often.
        var languages: UInt32 = 0
        var count: UInt32 = 0
        /// Otherwise, the last time: its hash in `numbers`, and its number.
        var hash: UInt64 = 0
        var number = 0
    }

    private struct Spelling {
        var term: UInt32
        /// Of the folded word and of this one, in `texts`.
        var word: Range<Int>
        var written: Range<Int>
    }

    /// The language of the documents that come now.
    mutating func begin(_ language: Language) {
        guard language != self.language || bit == 0 else { return }
        self.language = language
        if let known = bits[language] {
            bit = known
        } else {
            bit = bits.count < 31 ? 1 << UInt32(bits.count) : 1 << 31
            bits[language] = bit
        }
    }

    /// - Parameters:
    ///   - text: that the tokens were taken from.
    ///   - ids: numbers of the terms that the tokens are; there are `count` of them.
    mutating func add(
        _ tokens: UnsafeBufferPointer<CToken>, _ text: UnsafeRawBufferPointer, _ ids: UnsafePointer<UInt32>, of count: Int
    ) {
        makeRoom(count)
        for (index, token) in tokens.enumerated() where token.isWord {
            if token.isASCII {
                if isNew(ids[index]) { add(token.key, writtenAs: token.key, isASCII: true) }
            } else {
                let written = text.part(Int(token.start), Int(token.end - token.start))
                if written.count <= CStemmerMostBytes { add(token.key, ids[index], writtenAs: written) }
            }
        }
    }

    @inline(__always) private mutating func add(
        _ word: UnsafeRawBufferPointer, _ term: UInt32, writtenAs written: UnsafeRawBufferPointer
    ) {
        let (first, second) = language.bytes
        let hash = max(1, TermTable.hash(written) &* 31 ^ (UInt64(first) << 8 | UInt64(second)))
        let all = counts.start.assumingMemoryBound(to: UInt32.self)
        let last = terms + Int(term)
        if last.pointee.hash == hash { return all[last.pointee.number] &+= 1 }
        let number = numbers.number(of: hash)
        (last.pointee.hash, last.pointee.number) = (hash, number)
        if number < spellings.count { return all[number] &+= 1 }
        counts.append(fixed: UInt32(1))
        spellings.append(Spelling(term: term, word: texts.appended(word), written: texts.appended(written)))
        add(word, writtenAs: written, isASCII: false)
    }

    /// A word of several that are written with hyphens.
    mutating func add(compound word: UnsafeRawBufferPointer, _ number: UInt32) {
        makeRoom(Int(number) + 1)
        if word.allSatisfy({ $0 < 0x80 }), isNew(number) { add(word, writtenAs: word, isASCII: true) }
    }

    private var terms: UnsafeMutablePointer<Seen> { seen.start.assumingMemoryBound(to: Seen.self) }

    private func makeRoom(_ count: Int) {
        while seen.count < count * MemoryLayout<Seen>.stride { seen.append(fixed: Seen()) }
    }

    /// Notes that the language has the term.
    @inline(__always) private func isNew(_ term: UInt32) -> Bool {
        let term = terms + Int(term)
        term.pointee.count &+= 1
        if term.pointee.languages & bit != 0 { return false }
        term.pointee.languages |= bit
        return true
    }

    @inline(never) private mutating func add(
        _ word: UnsafeRawBufferPointer, writtenAs written: UnsafeRawBufferPointer, isASCII: Bool
    ) {
        guard word.count > 2, let stem = stemmer.stem(written, isASCII: isASCII, in: language) else { return }
        if UnsafeRawBufferPointer.order(stem, word) != 0 { append("f", stem, word) }
        if isASCII { return }
        let exact = ByteBuffer(capacity: CStemmerMostBytes)
        exact.append(stem)
        let plain = stemmer.stem(word, isASCII: word.allSatisfy { $0 < 0x80 }, in: language)
        if let plain, UnsafeRawBufferPointer.order(plain, exact.bytes) == 0 { return }
        append("v", word, exact.bytes)
        if let plain { append("p", plain, word) }
    }

    private mutating func append(_ kind: Unicode.Scalar, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) {
        let start = texts.count
        texts.append(fixed: UInt8(ascii: kind))
        texts.append(fixed: language.bytes.0)
        texts.append(fixed: language.bytes.1)
        texts.append(first)
        texts.append(fixed: UInt8(0))
        texts.append(second)
        places.append(start..<texts.count)
    }

    /// Tells of each word how it is written, if that is not mostly in ASCII.
    private mutating func addUsualSpellings() {
        let count = { [counts] number in counts.bytes.number(number * 4, as: UInt32.self) }
        let order = spellings.indices.sorted { a, b in
            let (first, second) = (spellings[a].term, spellings[b].term)
            if first != second { return first < second }
            return count(a) != count(b) ? count(a) > count(b) : a < b
        }
        var last: UInt32?
        for number in order where spellings[number].term != last {
            let spelling = spellings[number]
            last = spelling.term
            guard count(number) > terms[Int(spelling.term)].count else { continue }
            let written = texts.bytes.part(spelling.written.lowerBound, spelling.written.count)
            let word = Array(texts.bytes[spelling.word])
            let lower =
                written.mayHaveCapitals ? Array(String(decoding: written, as: UTF8.self).lowercased().utf8) : Array(written)
            if lower != word { places.append((WordFormList.spellings(of: word) + lower).withUnsafeBytes(texts.appended)) }
        }
    }

    /// What was collected, in order.
    mutating func sorted() -> WordFormWriter {
        addUsualSpellings()
        let writer = WordFormWriter()
        for number in Index.sorted(places.indices, by: { texts.bytes.part(places[$0].lowerBound, places[$0].count) }) {
            writer.add(texts.bytes.part(places[number].lowerBound, places[number].count))
        }
        return writer
    }

    /// Forgets all but stems, which the next segment needs again.
    mutating func removeAll() {
        bits.removeAll(keepingCapacity: true)
        (bit, language) = (0, .undetermined)
        seen.removeAll()
        numbers.removeAll()
        spellings.removeAll(keepingCapacity: true)
        counts.removeAll()
        texts.removeAll()
        places.removeAll(keepingCapacity: true)
    }
}

extension ByteBuffer {
    /// Returns where they are.
    fileprivate func appended(_ bytes: UnsafeRawBufferPointer) -> Range<Int> {
        append(bytes)
        return count - bytes.count..<count
    }
}
