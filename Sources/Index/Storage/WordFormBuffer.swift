internal import CStemmer
internal import CTokenizer

/// Collects the word forms (see `WordFormList`) of a new segment. Each word is stemmed once for each language it is
/// used in, however often it occurs.
struct WordFormBuffer: ~Copyable {
    private let stemmer = Stemmer()
    private var language = Language.undetermined
    /// The bit of each language of the documents so far; 0 for those after the first 32.
    private var bits: [Language: UInt32] = [:]
    private var bit: UInt32 = 0
    /// A `Seen` for each term. Frequent terms have small numbers, so the entries read most often are close together.
    private let seen = ByteBuffer()
    /// Numbers the words that contain other characters than ASCII, and all words of a language without a bit, by spelling
    /// and language.
    private var numbers = HashTable()
    private var spellings: [Spelling] = []
    /// The number of occurrences of each spelling (4 bytes each).
    private let counts = ByteBuffer()
    private let texts = ByteBuffer()
    /// The range in `texts` of each entry of the list.
    private var ranges: [Range<Int>] = []

    /// The spellings of a term.
    private struct Seen: BitwiseCopyable {
        /// The languages in which it is written in ASCII, and the number of those occurrences.
        var languages: UInt32 = 0
        var count: UInt32 = 0
        /// The last spelling that is not ASCII: its hash in `numbers`, and its number.
        var hash: UInt64 = 0
        var number = 0
    }

    private struct Spelling {
        var term: UInt32
        /// The ranges in `texts` of the folded word and of this spelling.
        var word: Range<Int>
        var written: Range<Int>
    }

    /// Sets the language of the documents that follow.
    mutating func begin(_ language: Language) {
        guard language != self.language || bit == 0 else { return }
        self.language = language
        if let existingBit = bits[language] {
            bit = existingBit
        } else {
            bit = bits.count < 32 ? 1 << UInt32(bits.count) : 0
            bits[language] = bit
        }
    }

    /// - Parameters:
    ///   - text: the text from which the tokens were taken.
    ///   - ids: the number of each token's term.
    ///   - count: the number of terms so far.
    mutating func add(
        _ tokens: UnsafeBufferPointer<CToken>, _ text: UnsafeRawBufferPointer, _ ids: UnsafePointer<UInt32>, of count: Int
    ) {
        makeRoom(count)
        for (index, token) in tokens.enumerated() where token.isWord {
            if token.isASCII {
                add(ascii: token.key, ids[index])
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

    /// Adds a compound word, whose parts the text writes with hyphens.
    mutating func add(compound word: UnsafeRawBufferPointer, _ number: UInt32) {
        makeRoom(Int(number) + 1)
        if word.allSatisfy({ $0 < 0x80 }) { add(ascii: word, number) }
    }

    private mutating func add(ascii word: UnsafeRawBufferPointer, _ term: UInt32) {
        if bit == 0 {
            if word.count <= CStemmerMostBytes { add(word, term, writtenAs: word) }
        } else if isNew(term) {
            add(word, writtenAs: word, isASCII: true)
        }
    }

    private var terms: UnsafeMutablePointer<Seen> { seen.start.assumingMemoryBound(to: Seen.self) }

    private func makeRoom(_ count: Int) {
        while seen.count < count * MemoryLayout<Seen>.stride { seen.append(fixed: Seen()) }
    }

    /// Counts an occurrence of a term in ASCII, and returns true if it is the first in this language.
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
        ranges.append(start..<texts.count)
    }

    /// Adds the usual spelling of each word that is mostly not written in ASCII.
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
            if lower != word { ranges.append((WordFormList.spellings(of: word) + lower).withUnsafeBytes(texts.appended)) }
        }
    }

    /// The collected forms, in order.
    mutating func sorted() -> WordFormWriter {
        addUsualSpellings()
        let writer = WordFormWriter()
        for number in Index.sorted(ranges.indices, by: { texts.bytes.part(ranges[$0].lowerBound, ranges[$0].count) }) {
            writer.add(texts.bytes.part(ranges[number].lowerBound, ranges[number].count))
        }
        return writer
    }

    /// Forgets everything but the stems, which the next segment needs again.
    mutating func removeAll() {
        bits.removeAll(keepingCapacity: true)
        (bit, language) = (0, .undetermined)
        seen.removeAll()
        numbers.removeAll()
        spellings.removeAll(keepingCapacity: true)
        counts.removeAll()
        texts.removeAll()
        ranges.removeAll(keepingCapacity: true)
    }
}

extension ByteBuffer {
    /// Appends the bytes, and returns their range.
    fileprivate func appended(_ bytes: UnsafeRawBufferPointer) -> Range<Int> {
        append(bytes)
        return count - bytes.count..<count
    }
}
