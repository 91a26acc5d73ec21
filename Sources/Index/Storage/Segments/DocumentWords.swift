internal import CTokenizer
internal import Memory

/// The words of a new segment's documents as the numbers of their terms, document by document (see `WordRows`), with the
/// forms of words.
struct DocumentWords: ~Copyable {
    private var terms: TermTable
    private var words: WordRows
    /// The numbers of the words of the current column (4 bytes each), and the position of the first.
    private var row = GrowingBytes()
    private var position = 0
    private var starts = GrowingBytes()
    private let tokenizer = Tokenizer()
    private let stemmer: Stemmer
    private var forms: WordFormBuffer
    /// The compounds of the current document: the number of each, and the offset of its last part in the text (4 bytes
    /// each).
    private var compounds = GrowingBytes()
    /// For each column, the number of compounds up to its end.
    private var compoundEnds = [Int](repeating: 0, count: Column.allCases.count)
    /// The joined parts of a compound.
    private var compound = GrowingBytes()
    private var lastPartStart: UInt32 = 0
    /// A part of a word.
    private var part = GrowingBytes()
    /// The last word of the tokens before.
    private var lastWord = GrowingBytes()
    /// The document before, and the ranges of its columns in `words`: much of the text is the same in all episodes of a
    /// podcast.
    private var last = IndexedText()
    private var lastWords = [Range<Int>](repeating: 0..<0, count: Column.allCases.count)
    private var ending = RepeatedEnding()
    /// The hash of the last title that was tokenized.
    private var titleHash = TitleHash()

    /// What is stored of one document.
    struct Document {
        var words: Range<Int>
        /// The times at which the passages of its transcript start.
        var starts: Range<Int>
        var titleHash: UInt64
    }

    /// - Parameters:
    ///   - maxBytes: the size of the words at which a segment is full.
    ///   - terms: the number of different ones that are expected.
    ///   - stemmer: knows the stems of earlier segments, most of which are needed again.
    init(maxBytes: Int, expecting terms: Int, _ stemmer: Stemmer) {
        self.terms = TermTable(expecting: terms)
        self.stemmer = stemmer
        forms = WordFormBuffer(stemmer)
        words = WordRows(capacity: maxBytes + maxBytes / 4)
    }

    /// The size of the words.
    var size: Int { words.count }
    /// Number of different terms.
    var termCount: Int { terms.count }

    // MARK: Adding

    /// Adds a document. Afterwards `text` may be filled again.
    mutating func add(_ text: inout IndexedText) -> Document {
        let (wordsStart, startsStart) = (words.count, starts.count)
        compounds.removeAll()
        forms.begin(text.language)
        for column in Column.allCases { lastWords[column.rawValue] = add(text, column) }
        swap(&text, &last)
        return Document(
            words: wordsStart..<words.count, starts: startsStart..<starts.count, titleHash: titleHash.value ?? 0)
    }

    /// Returns the range of the column's words that the next document may copy; empty if it must not.
    private mutating func add(_ text: borrowing IndexedText, _ column: Column) -> Range<Int> {
        let start = words.count
        let compoundsBefore = compounds.count
        if repeats(column, of: text) {
            words.append(again: lastWords[column.rawValue])
            compoundEnds[column.rawValue] = compounds.count / 8
            return start..<words.count
        }
        row.removeAll()
        position = 0
        switch column {
        case .facet:
            for facet in text.facets {
                facet.withBytes { row.append(fixed: terms.number(of: $0, hash: TermTable.hash($0))) }
            }
        case .transcript: addTranscript(text)
        case .compound: addCompounds()
        case .title: addTitle(text)
        case .text: addText(text)
        default:
            let bytes = text[column]
            text.eachText(of: column) { range in
                add(bytes.part(range.lowerBound, range.count))
                endText(column)
            }
        }
        endText(column)
        compoundEnds[column.rawValue] = compounds.count / 8
        // Copied words would bring no compounds.
        return compounds.count == compoundsBefore ? start..<words.count : 0..<0
    }

    /// True if the column has the words that it had in the document before.
    private func repeats(_ column: Column, of text: borrowing IndexedText) -> Bool {
        text[column].count > 0 && column != .transcript && !lastWords[column.rawValue].isEmpty && text.language == last.language
            && (column != .title || text.titleLength == last.titleLength) && text.isSame(column, as: last)
    }

    /// Ends a text of the column: its last word and the first one of the next are not adjacent.
    private mutating func endText(_ column: Column) {
        words.append(row.view, column, at: position)
        position += row.count / 4 + 1
        row.removeAll()
    }

    private mutating func addTranscript(_ text: borrowing IndexedText) {
        for index in text.spoken.indices {
            if let second = text.spoken[index].start {
                starts.append(fixed: UInt32(truncatingIfNeeded: row.count / 4))
                starts.append(fixed: Float(second).bitPattern)
            }
            add(text.spoken(index))
        }
    }

    private mutating func addTitle(_ text: borrowing IndexedText) {
        let (bytes, titleLength) = (text[.title], text.titleLength)
        titleHash = TitleHash()
        text.eachText(of: .title) { range in
            let bytes = bytes.part(range.lowerBound, range.count)
            add(bytes) { words, tokens in
                for token in tokens {
                    if range.lowerBound + Int(token.start) < titleLength { words.titleHash.add(token) }
                    words.addParts(of: bytes.part(Int(token.start), Int(token.end - token.start)), at: token.start)
                }
            }
            endText(.title)
        }
    }

    private mutating func addText(_ text: borrowing IndexedText) {
        let bytes = text[.text]
        let common = text.language == last.language ? ending.common(bytes, last[.text]) : 0
        add(bytes.part(0, bytes.count - common)) { words, tokens in words.ending.add(tokens) }
        ending.finish(&row, &compounds, length: bytes.count, lastLength: last[.text].count, common: common)
        var first = 0
        text.eachText(of: .text) { range in
            let end = range.upperBound == bytes.count ? row.count / 4 : ending.words(before: range.upperBound)
            words.append(row.view.part(first * 4, (end - first) * 4), .text, at: position)
            position += end - first + 1
            first = end
        }
        row.removeAll()
    }

    /// Adds the compounds of all other columns, far enough apart that no two are adjacent.
    private mutating func addCompounds() {
        for origin in Column.allCases.dropLast() {
            for compound in (origin.rawValue > 0 ? compoundEnds[origin.rawValue - 1] : 0)..<compoundEnds[origin.rawValue] {
                row.append(fixed: compounds.view.number(compound * 8, as: UInt32.self))
                words.append(row.view, .compound, at: compound * Column.compoundSpacing + origin.rawValue)
                row.removeAll()
            }
        }
    }

    /// - Parameter body: called with the tokens.
    @inline(__always) private mutating func add(
        _ text: ByteView, _ body: (inout DocumentWords, UnsafeBufferPointer<CToken>) -> Void = { _, _ in }
    ) {
        lastWord.removeAll()
        tokenizer.withTokens(of: text) { tokens in
            let numbers = row.skip(tokens.count * 4).assumingMemoryBound(to: UInt32.self)
            terms.number(tokens, into: numbers)
            forms.add(tokens, text, numbers, of: terms.count)
            addCompounds(in: tokens)
            body(&self, tokens)
        }
        endCompound()
    }

    private mutating func addCompounds(in tokens: UnsafeBufferPointer<CToken>) {
        var last = lastWord.view
        for token in tokens {
            if token.joint != CTokenizerApart, isOneWord(last, token.key, token.joint) {
                if compound.count == 0 { compound.append(last) }
                compound.append(token.key)
                lastPartStart = UInt32(truncatingIfNeeded: token.start)
            } else if compound.count > 0 {
                endCompound()
            }
            last = token.key
        }
        lastWord.removeAll()
        lastWord.append(last)
    }

    private mutating func endCompound() {
        // Longer ones are file names and the like.
        if (1...40).contains(compound.count) { add(compound: compound.view, at: lastPartStart) }
        compound.removeAll()
    }

    private mutating func add(compound word: ByteView, at start: UInt32) {
        let number = terms.number(of: word, hash: TermTable.hash(word))
        compounds.append(fixed: number)
        compounds.append(fixed: start)
        forms.add(compound: word, number)
    }

    /// The parts of a word such as `camelCase`, which is found by each of them.
    private mutating func addParts(of word: ByteView, at start: Int32) {
        func isCapital(_ byte: UInt8) -> Bool { (65...90).contains(byte) }
        func isSmall(_ byte: UInt8) -> Bool { (97...122).contains(byte) }
        let humps = word.indices.dropFirst().filter { isCapital(word[$0]) && isSmall(word[$0 - 1]) }
        guard !humps.isEmpty, word.allSatisfy({ $0 < 0x80 }) else { return }
        for (first, end) in zip([0] + humps, humps + [word.count]) where end - first > 1 {
            part.removeAll()
            for byte in word[first..<end] { part.append(isCapital(byte) ? byte | 0x20 : byte) }
            add(compound: part.view, at: UInt32(truncatingIfNeeded: start))
        }
    }

    // MARK: Writing

    /// The times of a document's passages.
    func starts(of document: Document) -> ByteView { starts.view.part(document.starts.lowerBound, document.starts.count) }

    /// Returns the section `forms`, which is smaller than what it is made from, and releases that.
    mutating func takeForms() -> GrowingBytes {
        defer { forms = WordFormBuffer(stemmer) }
        return forms.sorted().section
    }

    /// Writes the words, and releases them.
    ///
    /// - Parameters:
    ///   - documents: in the order of the segment.
    ///   - maxBytes: see `TermPostings`.
    mutating func writePostings(_ documents: [Range<Int>], maxBytes: Int, _ writer: inout SegmentWriter) throws {
        terms.endNumbering()
        let sortedTerms = terms.sorted()
        let words = exchange(&self.words, with: WordRows(capacity: 0))
        var postings = TermPostings(terms.count, words, documents, maxBytes: maxBytes)
        try postings.write(sortedTerms, to: &writer) { terms[$0] }
        terms = TermTable()
    }
}
