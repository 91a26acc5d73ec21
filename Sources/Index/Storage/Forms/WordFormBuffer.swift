internal import CStemmer
internal import CTokenizer
internal import Memory

/// Collects the word forms (see `WordFormList`) of a new segment. Each word is stemmed once for each language it is
/// used in, however often it occurs.
struct WordFormBuffer: ~Copyable {
    private let stemmer: Stemmer
    private var language = Language.undetermined
    /// The bit of each language of the documents so far; 0 for those after the first 32.
    private var bits: [Language: UInt32] = [:]
    private var bit: UInt32 = 0
    /// A `Seen` for each term. Frequent terms have small numbers, so the entries read most often are close together.
    private var seen = GrowingBytes.paged()
    /// Numbers the words that contain other characters than ASCII, and all words of a language without a bit, by spelling
    /// and language.
    private var numbers = HashTable()
    /// A `Spelling` for each number.
    private var spellings = GrowingBytes.paged()
    private var texts = GrowingBytes.paged()
    /// A `Form` for each entry of the list.
    private var forms = GrowingBytes.paged()

    /// The spellings of a term.
    private struct Seen: BitwiseCopyable {
        /// The languages in which it is written in ASCII, and the number of those occurrences.
        var languages: UInt32 = 0
        var count: UInt32 = 0
        /// The number of the last spelling that is not ASCII, plus one.
        var spelling: UInt32 = 0
    }

    private struct Spelling: BitwiseCopyable {
        var term: UInt32
        var count: UInt32 = 1
        /// The range in `texts` of the folded word, which this spelling follows.
        var start: UInt32
        var wordSize: UInt16
        var size: UInt16
    }

    /// The range in `texts` of an entry of the list.
    private struct Form: BitwiseCopyable {
        var start: UInt32
        var size: UInt32
    }

    init(_ stemmer: Stemmer) { self.stemmer = stemmer }

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
        _ tokens: UnsafeBufferPointer<CToken>, _ text: ByteView, _ ids: UnsafePointer<UInt32>, of count: Int
    ) {
        makeRoom(count)
        // As in `TermTable`, most of the work is waiting for memory.
        let terms = terms
        for index in tokens.indices { CTokenizerPrefetch(terms.baseAddress.map { $0 + Int(ids[index]) }) }
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
        _ word: ByteView, _ term: UInt32, writtenAs written: ByteView
    ) {
        let (first, second) = language.bytes
        let hash = TermTable.hash(written) &* 31 ^ (UInt64(first) << 8 | UInt64(second))
        let last = Int(terms[Int(term)].spelling)
        let number = last > 0 && numbers.hash(of: last - 1) == hash ? last - 1 : numbers.number(of: hash)
        terms[Int(term)].spelling = UInt32(truncatingIfNeeded: number + 1)
        let existing = spellings.values(as: Spelling.self)
        if number < existing.count {
            existing[number].count &+= 1
        } else {
            spellings.append(
                fixed: Spelling(
                    term: term, start: UInt32(truncatingIfNeeded: texts.count),
                    wordSize: UInt16(truncatingIfNeeded: word.count), size: UInt16(truncatingIfNeeded: written.count)))
            texts.append(word)
            texts.append(written)
            add(word, writtenAs: written, isASCII: false)
        }
    }

    /// Adds a compound word, whose parts the text writes with hyphens.
    mutating func add(compound word: ByteView, _ number: UInt32) {
        makeRoom(Int(number) + 1)
        if word.allSatisfy({ $0 < 0x80 }) { add(ascii: word, number) }
    }

    private mutating func add(ascii word: ByteView, _ term: UInt32) {
        if bit == 0 {
            if word.count <= CStemmerMostBytes { add(word, term, writtenAs: word) }
        } else if isNew(term) {
            add(word, writtenAs: word, isASCII: true)
        }
    }

    private var terms: UnsafeMutableBufferPointer<Seen> { seen.values(as: Seen.self) }

    private mutating func makeRoom(_ count: Int) {
        while seen.count < count * MemoryLayout<Seen>.stride { seen.append(fixed: Seen()) }
    }

    /// Counts an occurrence of a term in ASCII, and returns true if it is the first in this language.
    @inline(__always) private func isNew(_ term: UInt32) -> Bool {
        let (all, term) = (terms, Int(term))
        all[term].count &+= 1
        if all[term].languages & bit != 0 { return false }
        all[term].languages |= bit
        return true
    }

    @inline(never) private mutating func add(
        _ word: ByteView, writtenAs written: ByteView, isASCII: Bool
    ) {
        guard word.count > 2, let stem = stemmer.stem(written, isASCII: isASCII, in: language) else { return }
        if ByteView.order(stem, word) != 0 { append("f", stem, word) }
        if isASCII { return }
        var exact = GrowingBytes(capacity: CStemmerMostBytes)
        exact.append(stem)
        let plain = stemmer.stem(word, isASCII: word.allSatisfy { $0 < 0x80 }, in: language)
        if let plain, ByteView.order(plain, exact.view) == 0 { return }
        append("v", word, exact.view)
        if let plain { append("p", plain, word) }
    }

    private mutating func append(_ kind: Unicode.Scalar, _ first: ByteView, _ second: ByteView) {
        let start = texts.count
        texts.append(UInt8(ascii: kind))
        texts.append(fixed: language.bytes.0)
        texts.append(fixed: language.bytes.1)
        texts.append(first)
        texts.append(fixed: UInt8(0))
        texts.append(second)
        endForm(from: start)
    }

    private mutating func endForm(from start: Int) {
        forms.append(
            fixed: Form(start: UInt32(truncatingIfNeeded: start), size: UInt32(truncatingIfNeeded: texts.count - start)))
    }

    /// Adds the usual spelling of each word that is mostly not written in ASCII.
    private mutating func addUsualSpellings() {
        let all = spellings.values(as: Spelling.self)
        // Of equally frequent spellings, the first is the usual one.
        for (number, spelling) in all.enumerated() {
            let usual = Int(terms[Int(spelling.term)].spelling) - 1
            if all[usual].count < spelling.count || all[usual].count == spelling.count && number < usual {
                terms[Int(spelling.term)].spelling = UInt32(truncatingIfNeeded: number + 1)
            }
        }
        for (number, spelling) in all.enumerated() where terms[Int(spelling.term)].spelling == number + 1 {
            guard spelling.count > terms[Int(spelling.term)].count else { continue }
            let size = Int(spelling.wordSize)
            let lower = stemmer.lowercased(texts.view.part(Int(spelling.start) + size, Int(spelling.size)))
            // The word remains where it is.
            texts.reserve(size + lower.count + 2)
            let word = texts.view.part(Int(spelling.start), size)
            if ByteView.order(lower, word) == 0 { continue }
            let start = texts.count
            WordFormList.appendSpelling(lower, of: word, to: &texts)
            endForm(from: start)
        }
    }

    /// The collected forms, in order. No words can be added afterwards.
    mutating func sorted() -> WordFormWriter {
        numbers = HashTable()
        addUsualSpellings()
        var writer = WordFormWriter()
        let all = forms.values(as: Form.self)
        let texts = texts.view
        let text = { (number: UInt32) in texts.part(Int(all[Int(number)].start), Int(all[Int(number)].size)) }
        for number in Index.sorted(0..<UInt32(all.count), by: text) { writer.add(text(number)) }
        return writer
    }
}
