internal import CStemmer
internal import CTokenizer

/// Collects the forms of words (see `WordFormList`) of a new segment: each word is looked at once for each language that it
/// is used in, however often it stands there.
final class WordFormBuffer {
    private let stemmer = Stemmer()
    private var language = Language.undetermined
    /// Languages of the documents so far: the first 31 have a bit each.
    private var bits: [Language: UInt32] = [:]
    private var bit: UInt32 = 0
    /// For each term the languages that it was seen in written in ASCII, and how often (4 bytes each).
    private let seen = ByteBuffer()
    /// Numbers of other words, as they are written, in each language.
    private var spellings = HashTable()
    private var spelled: [Spelling] = []
    private let texts = ByteBuffer()
    private var places: [Range<Int>] = []

    /// A word as it is written, with other characters than ASCII.
    private struct Spelling {
        var term: UInt32
        var count = 1
        /// Of the folded word and of this one, in `texts`.
        var word: Range<Int>
        var written: Range<Int>
    }

    /// The language of the documents that come now.
    func begin(_ language: Language) {
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
    ///   - numbers: of the terms that the tokens are.
    func add(_ tokens: UnsafeBufferPointer<CToken>, _ text: UnsafeRawBufferPointer, _ numbers: UnsafePointer<UInt32>) {
        for (index, token) in tokens.enumerated() where token.isWord {
            if token.isASCII {
                if isNew(numbers[index]) { add(token.key, writtenAs: token.key, isASCII: true) }
            } else {
                let written = text.part(Int(token.start), Int(token.end - token.start))
                guard written.count <= CStemmerMostBytes else { continue }
                let (first, second) = language.bytes
                let hash = TermTable.hash(written) &* 31 ^ (UInt64(first) << 8 | UInt64(second))
                let number = spellings.number(of: hash)
                if number < spelled.count {
                    spelled[number].count += 1
                } else {
                    spelled.append(
                        Spelling(term: numbers[index], word: texts.appended(token.key), written: texts.appended(written)))
                    add(token.key, writtenAs: written, isASCII: false)
                }
            }
        }
    }

    /// A word of several that are written with hyphens.
    func add(compound word: UnsafeRawBufferPointer, _ number: UInt32) {
        if word.allSatisfy({ $0 < 0x80 }), isNew(number) { add(word, writtenAs: word, isASCII: true) }
    }

    /// Notes that the language has the term.
    @inline(__always) private func isNew(_ term: UInt32) -> Bool {
        let offset = Int(term) * 8
        while seen.count <= offset { seen.append(fixed: UInt64(0)) }
        let languages = seen.start.load(fromByteOffset: offset, as: UInt32.self)
        let count = seen.start.load(fromByteOffset: offset + 4, as: UInt32.self)
        seen.start.storeBytes(of: count &+ 1, toByteOffset: offset + 4, as: UInt32.self)
        if languages & bit != 0 { return false }
        seen.start.storeBytes(of: languages | bit, toByteOffset: offset, as: UInt32.self)
        return true
    }

    @inline(never) private func add(_ word: UnsafeRawBufferPointer, writtenAs written: UnsafeRawBufferPointer, isASCII: Bool) {
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

    private func append(_ kind: Unicode.Scalar, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) {
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
    private func addUsualSpellings() {
        spelled.sort { a, b in
            if a.term != b.term { return a.term < b.term }
            return a.count != b.count ? a.count > b.count : a.written.lowerBound < b.written.lowerBound
        }
        var last: UInt32?
        for spelling in spelled where spelling.term != last {
            let term = spelling.term
            last = term
            let isSeen = Int(term) * 8 < seen.count
            let plain = isSeen ? Int(seen.start.load(fromByteOffset: Int(term) * 8 + 4, as: UInt32.self)) : 0
            let written = String(decoding: texts.bytes[spelling.written], as: UTF8.self).lowercased()
            let word = Array(texts.bytes[spelling.word])
            if spelling.count > plain, !written.utf8.elementsEqual(word) {
                places.append([UInt8](WordFormList.spellings(of: word) + written.utf8).withUnsafeBytes(texts.appended))
            }
        }
    }

    /// What was collected, in order.
    func sorted() -> WordFormWriter {
        addUsualSpellings()
        let writer = WordFormWriter()
        for number in Index.sorted(places.indices, by: { texts.bytes.part(places[$0].lowerBound, places[$0].count) }) {
            writer.add(texts.bytes.part(places[number].lowerBound, places[number].count))
        }
        return writer
    }

    /// Forgets all but stems, which the next segment needs again.
    func removeAll() {
        bits.removeAll(keepingCapacity: true)
        (bit, language) = (0, .undetermined)
        seen.removeAll()
        spellings.removeAll()
        spelled.removeAll(keepingCapacity: true)
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
