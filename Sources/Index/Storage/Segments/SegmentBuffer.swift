internal import CTokenizer
internal import Domain
internal import Memory

/// Collects documents for a new segment: their words as numbers, document by document (see `WordRows`).
///
/// A segment stores them by term: `TermPostings` regroups them at the end.
///
/// Accesses to its buffers are not checked for exclusivity: each ends before another to the same one begins, and there are
/// several for each word.
final class SegmentBuffer {
    private var terms = TermTable()
    @exclusivity(unchecked) private var words: WordRows
    /// The numbers of the words of the current column (4 bytes each).
    @exclusivity(unchecked) private var row = GrowingBytes()
    @exclusivity(unchecked) private var names = GrowingBytes.paged()
    @exclusivity(unchecked) private var starts = GrowingBytes()
    private var documents: [Collected] = []
    private var podcasts: [PodcastID] = []
    private var rows: [PodcastID: SegmentPodcast] = [:]
    private var deletions = Deletions()
    private let tokenizer = Tokenizer()
    private let stemmer: Stemmer
    private var forms: WordFormBuffer
    /// The compounds of the current document: the number of each, and the offset of its last part in the text (4 bytes
    /// each).
    @exclusivity(unchecked) private var compounds = GrowingBytes()
    /// For each column, the number of compounds up to its end.
    private var compoundEnds = [Int](repeating: 0, count: Column.allCases.count)
    /// The joined parts of a compound.
    @exclusivity(unchecked) private var compound = GrowingBytes()
    private var lastPartStart: UInt32 = 0
    /// A part of a word.
    @exclusivity(unchecked) private var part = GrowingBytes()
    /// The last word of the tokens before.
    @exclusivity(unchecked) private var lastWord = GrowingBytes()
    /// The document before, and the ranges of its columns in `words`: much of the text is the same in all episodes of a
    /// podcast.
    private var last = IndexedText()
    private var lastWords = [Range<Int>](repeating: 0..<0, count: Column.allCases.count)
    private var ending = RepeatedEnding()
    /// The hash of the last title that was tokenized.
    private var titleHash = TitleHash()

    private struct Collected {
        /// The name they refer to is in `names`.
        var facts: DocumentFacts
        /// Codes of the lengths of the text (lower byte) and the title.
        var lengths: UInt16
        var words: Range<Int>
        var starts: Range<Int>
    }

    private let maxOccurrenceBytes: Int

    /// - Parameters:
    ///   - maxBytes: the size of the words at which a segment is full.
    ///   - maxOccurrenceBytes: see `TermPostings`.
    ///   - stemmer: knows the stems of earlier segments, most of which are needed again.
    init(maxBytes: Int, maxOccurrenceBytes: Int? = nil, _ stemmer: Stemmer = Stemmer()) {
        self.maxOccurrenceBytes = maxOccurrenceBytes ?? maxBytes * 2
        self.stemmer = stemmer
        forms = WordFormBuffer(stemmer)
        words = WordRows(capacity: maxBytes + maxBytes / 4)
        documents.reserveCapacity(PagedMemory.size / MemoryLayout<Collected>.stride + 1)
    }

    var isEmpty: Bool { documents.isEmpty && rows.isEmpty && deletions.isEmpty }
    /// The size of the words (see `WordRows`).
    var size: Int { words.count }

    // MARK: Adding

    func set(_ row: SegmentPodcast, of podcast: PodcastID) {
        if rows.updateValue(row, forKey: podcast) == nil { podcasts.append(podcast) }
    }

    func delete(_ documents: Deletions) { deletions.formUnion(documents) }

    /// Adds an episode of the podcast whose row was set last. Afterwards `text` may be filled again.
    func add(_ episode: Episode, _ text: inout IndexedText, digest: UInt64) {
        let (wordsStart, nameStart, startsStart) = (words.count, names.count, starts.count)
        EpisodeName.withBytes(of: episode.id) { names.append($0) }
        compounds.removeAll()
        forms.begin(text.language)
        for column in Column.allCases { lastWords[column.rawValue] = add(text, column) }
        documents.append(
            Collected(
                facts: DocumentFacts(
                    publishedAt: episode.orderedAt?.seconds ?? .min, firstSeenAt: episode.firstSeenAt.seconds,
                    digest: digest, titleHash: titleHash.value ?? 0, duration: episode.item.duration.map { Float($0) } ?? .nan,
                    podcast: UInt32(podcasts.count - 1), name: UInt32(nameStart), nameLength: UInt32(names.count - nameStart),
                    season: Self.rank(episode.item.season?.number), number: Self.rank(episode.item.episode?.number)),
                lengths: UInt16(LengthCode(bytes: text[.text].count).value) | UInt16(LengthCode(bytes: text.titleLength).value)
                    << 8,
                words: wordsStart..<words.count,
                starts: startsStart..<starts.count))
        swap(&text, &last)
    }

    /// Returns the range of the column's words that the next document may copy; empty if it must not.
    private func add(_ text: IndexedText, _ column: Column) -> Range<Int> {
        let start = words.count
        let bytes = text[column]
        let compoundsBefore = compounds.count
        if bytes.count > 0, column != .transcript, case let same = lastWords[column.rawValue], !same.isEmpty,
            text.language == last.language,
            column != .title || text.titleLength == last.titleLength, text.isSame(column, as: last)
        {
            words.append(again: same)
            compoundEnds[column.rawValue] = compounds.count / 8
            return start..<words.count
        }
        row.removeAll()
        var position = 0
        /// Ends a text of the column: its last word and the first one of the next are not adjacent.
        func endText() {
            words.append(row.view, column, at: position)
            position += row.count / 4 + 1
            row.removeAll()
        }
        switch column {
        case .facet:
            for facet in text.facets {
                facet.withBytes { row.append(fixed: terms.number(of: $0, hash: TermTable.hash($0))) }
            }
        case .transcript:
            for index in text.spoken.indices {
                if let second = text.spoken[index].start {
                    starts.append(fixed: UInt32(truncatingIfNeeded: row.count / 4))
                    starts.append(fixed: Float(second).bitPattern)
                }
                add(text.spoken(index))
            }
        case .compound:
            for origin in Column.allCases.dropLast() {
                for compound in (origin.rawValue > 0 ? compoundEnds[origin.rawValue - 1] : 0)..<compoundEnds[origin.rawValue] {
                    row.append(fixed: compounds.view.number(compound * 8, as: UInt32.self))
                    words.append(row.view, column, at: compound * Column.compoundSpacing + origin.rawValue)
                    row.removeAll()
                }
            }
        case .title:
            titleHash = TitleHash()
            text.eachText(of: column) { range in
                let bytes = bytes.part(range.lowerBound, range.count)
                add(bytes) { tokens in
                    for token in tokens {
                        if range.lowerBound + Int(token.start) < text.titleLength { titleHash.add(token) }
                        addParts(of: bytes.part(Int(token.start), Int(token.end - token.start)), at: token.start)
                    }
                }
                endText()
            }
        case .text:
            let common = text.language == last.language ? ending.common(bytes, last[.text]) : 0
            add(bytes.part(0, bytes.count - common)) { ending.add($0) }
            ending.finish(&row, &compounds, length: bytes.count, lastLength: last[.text].count, common: common)
            var first = 0
            text.eachText(of: column) { range in
                let end = range.upperBound == bytes.count ? row.count / 4 : ending.words(before: range.upperBound)
                words.append(row.view.part(first * 4, (end - first) * 4), column, at: position)
                position += end - first + 1
                first = end
            }
            row.removeAll()
        default:
            text.eachText(of: column) { range in
                add(bytes.part(range.lowerBound, range.count))
                endText()
            }
        }
        endText()
        compoundEnds[column.rawValue] = compounds.count / 8
        // Copied words would bring no compounds.
        return compounds.count == compoundsBefore ? start..<words.count : 0..<0
    }

    /// - Parameter body: called with the tokens.
    @inline(__always) private func add(
        _ text: ByteView, _ body: (UnsafeBufferPointer<CToken>) -> Void = { _ in }
    ) {
        lastWord.removeAll()
        tokenizer.withTokens(of: text) { tokens in
            let numbers = row.skip(tokens.count * 4).assumingMemoryBound(to: UInt32.self)
            terms.number(tokens, into: numbers)
            forms.add(tokens, text, numbers, of: terms.count)
            addCompounds(in: tokens)
            body(tokens)
        }
        endCompound()
    }

    private func addCompounds(in tokens: UnsafeBufferPointer<CToken>) {
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

    private func endCompound() {
        guard compound.count > 0 else { return }
        defer { compound.removeAll() }
        // Longer ones are file names and the like.
        guard compound.count <= 40 else { return }
        let number = terms.number(of: compound.view, hash: TermTable.hash(compound.view))
        compounds.append(fixed: number)
        compounds.append(fixed: lastPartStart)
        forms.add(compound: compound.view, number)
    }

    /// The parts of a word such as `camelCase`, which is found by each of them.
    private func addParts(of word: ByteView, at start: Int32) {
        func isCapital(_ byte: UInt8) -> Bool { (65...90).contains(byte) }
        func isSmall(_ byte: UInt8) -> Bool { (97...122).contains(byte) }
        let humps = word.indices.dropFirst().filter { isCapital(word[$0]) && isSmall(word[$0 - 1]) }
        guard !humps.isEmpty, word.allSatisfy({ $0 < 0x80 }) else { return }
        for (first, end) in zip([0] + humps, humps + [word.count]) where end - first > 1 {
            part.removeAll()
            for byte in word[first..<end] { part.append(isCapital(byte) ? byte | 0x20 : byte) }
            let number = terms.number(of: part.view, hash: TermTable.hash(part.view))
            compounds.append(fixed: number)
            compounds.append(fixed: UInt32(truncatingIfNeeded: start))
            forms.add(compound: part.view, number)
        }
    }

    // MARK: Writing

    /// Writes the segment, and returns its size. May be called once: memory is released as soon as its content is written.
    ///
    /// - Throws: `StorageError`.
    func write(to path: String) throws -> Int {
        let order = newestFirst()
        let lengths = order.map { documents[$0].lengths }
        let forms = takeForms()
        var writer = try SegmentWriter(path, lengths: lengths)
        try writePostings(order, &writer)
        return try finish(order, forms, &writer)
    }

    /// Returns the section `forms`, which is smaller than what it is made from.
    private func takeForms() -> GrowingBytes {
        defer { forms = WordFormBuffer(stemmer) }
        return forms.sorted().section
    }

    private func writePostings(_ order: [Int], _ writer: inout SegmentWriter) throws {
        terms.endNumbering()
        let sortedTerms = terms.sorted()
        let words = exchange(&self.words, with: WordRows(capacity: 0))
        var postings = TermPostings(terms.count, words, order.map { documents[$0].words }, maxBytes: maxOccurrenceBytes)
        try postings.write(sortedTerms, to: &writer) { terms[$0] }
        terms = TermTable()
    }

    private func finish(_ order: [Int], _ forms: borrowing GrowingBytes, _ writer: inout SegmentWriter) throws -> Int {
        let sortedPodcasts = podcasts.indices.sorted { podcasts[$0].text.utf8.lexicographicallyPrecedes(podcasts[$1].text.utf8) }
        var podcastRows = [Int](repeating: 0, count: podcasts.count)
        for (row, podcast) in sortedPodcasts.enumerated() { podcastRows[podcast] = row }
        var episodes = [[UInt32]](repeating: [], count: podcasts.count)
        for (number, index) in order.enumerated() {
            episodes[podcastRows[Int(documents[index].facts.podcast)]].append(UInt32(number))
        }
        let newPodcasts = sortedPodcasts.enumerated().map { row, index in
            NewPodcast(
                id: podcasts[index], row: rows[podcasts[index]] ?? SegmentPodcast(),
                documents: sorted(episodes[row]) { name(order[Int($0)]) })
        }
        return try writer.finish(
            order.indices.lazy.map { self.document(order[$0], podcastRows) },
            podcasts: newPodcasts.indices.lazy.map { newPodcasts[$0] },
            forms: forms, deletions: deletions)
    }

    /// - Parameter podcastRows: the row in the segment of each podcast.
    private func document(_ index: Int, _ podcastRows: [Int]) -> NewDocument {
        let document = documents[index]
        var facts = document.facts
        facts.podcast = UInt32(podcastRows[Int(facts.podcast)])
        return NewDocument(
            facts: facts, name: name(index),
            starts: starts.view.part(document.starts.lowerBound, document.starts.count))
    }

    private func name(_ document: Int) -> ByteView {
        names.view.part(Int(documents[document].facts.name), Int(documents[document].facts.nameLength))
    }

    /// The numbers of the documents in the order of the segment.
    private func newestFirst() -> [Int] {
        var order = documents.indices
            .map { UInt64(~DocumentFacts.rank(documents[$0].facts.publishedAt)) << 32 | UInt64($0) }
            .sorted().map { Int($0 & 0xFFFF_FFFF) }
        // Few documents share a date.
        var start = 0
        while start < order.count {
            let date = DocumentFacts.rank(documents[order[start]].facts.publishedAt)
            let end = order[start...].firstIndex { DocumentFacts.rank(documents[$0].facts.publishedAt) != date } ?? order.count
            if end - start > 1 { order[start..<end].sort { isNewer($0, $1) } }
            start = end
        }
        return order
    }

    /// For two documents of one date, as `EpisodeOrder` has it.
    private func isNewer(_ a: Int, _ b: Int) -> Bool {
        if documents[a].facts.publishedAt != documents[b].facts.publishedAt {
            return documents[a].facts.publishedAt > documents[b].facts.publishedAt
        }
        if documents[a].facts.podcast != documents[b].facts.podcast {
            return podcasts[Int(documents[a].facts.podcast)] > podcasts[Int(documents[b].facts.podcast)]
        }
        return documents[a].facts.isNewer(than: documents[b].facts) ?? (a > b)
    }

    private static func rank(_ number: Double?) -> Float { number.flatMap { $0.isNaN ? nil : Float($0) } ?? -.infinity }
}

/// The part of an episode's id after the podcast's, which is all that the index stores of it.
enum EpisodeName {
    static func withBytes<T>(of id: EpisodeID, _ body: (ByteView) -> T) -> T {
        id.text.withBytes { text in
            let start = text.firstIndex(of: UInt8(ascii: "-")).map { $0 + 1 } ?? 0
            return body(text.part(start, text.count - start))
        }
    }
}
