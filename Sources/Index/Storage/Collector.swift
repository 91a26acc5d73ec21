internal import CTokenizer
internal import Domain

/// Documents that are being gathered for a new segment: their words as numbers, one after another.
///
/// A segment wants them by term. Turning them round is one counting sort at the end (`write`).
final class Collector {
    private let terms = TermTable()
    /// For each document and column with words: the column plus one, the number of its words (4 bytes), and the words'
    /// numbers.
    private let words = ByteBuffer(capacity: 1 << 20)
    private let names = ByteBuffer()
    private let starts = ByteBuffer()
    private var documents: [Collected] = []
    private var wordCount = 0
    private var podcasts: [PodcastID] = []
    private var rows: [PodcastID: PodcastRow] = [:]
    private(set) var kills: [(segment: Int, document: Int)] = []
    /// Room for a token and the mark it is stored behind.
    private let scratch = ByteBuffer(capacity: 256)

    private struct Collected {
        var facts: DocumentFacts
        var titleLength: Int
        var textLength: Int
        var words: Range<Int>
        var name: Range<Int>
        var starts: Range<Int>
    }

    /// Words of one segment: turning them round takes eight bytes each.
    private static let mostWords = 2_000_000

    var isEmpty: Bool { documents.isEmpty && rows.isEmpty && kills.isEmpty }
    var isFull: Bool { wordCount >= Self.mostWords }

    // MARK: Adding

    func row(of podcast: PodcastID) -> PodcastRow? { rows[podcast] }

    func set(_ row: PodcastRow, of podcast: PodcastID) {
        if rows.updateValue(row, forKey: podcast) == nil { podcasts.append(podcast) }
    }

    func kill(_ document: Int, of segment: Int) { kills.append((segment, document)) }

    /// The podcast's row must have been set.
    func add(_ episode: Episode, _ text: IndexedText, digest: UInt64, transcript: [TranscriptSegment]) {
        let item = episode.item
        let title = item.title ?? ""
        var name = EpisodeName.of(episode.id)
        let (wordsStart, nameStart, startsStart) = (words.count, names.count, starts.count)
        name.withUTF8 { names.append(UnsafeRawBufferPointer($0)) }
        for column in Column.allCases { add(text[column], column) }
        add(text.facets)
        addStarts(of: transcript)
        documents.append(
            Collected(
                facts: DocumentFacts(
                    publishedAt: item.publishedAt?.seconds ?? .min, firstSeenAt: episode.firstSeenAt.seconds, digest: digest,
                    titleHash: titleHash(title) ?? 0, duration: item.duration.map { Float($0) } ?? .nan,
                    podcast: UInt32(podcasts.lastIndex(of: episode.podcastID) ?? 0), name: 0,
                    nameLength: UInt32(names.count - nameStart)),
                titleLength: title.utf8.count, textLength: text[.text].utf8.count, words: wordsStart..<words.count,
                name: nameStart..<names.count, starts: startsStart..<starts.count))
    }

    private func add(_ text: String, _ column: Column) {
        guard !text.isEmpty else { return }
        var text = text
        let before = wordCount
        let beginning = words.count
        words.append(varint: UInt64(column.rawValue + 1))
        words.append(fixed: UInt32(0))
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                _ = CTokenizerSplit(
                    characters.baseAddress, Int32(clamping: characters.count), Unmanaged.passUnretained(self).toOpaque()
                ) { context, kind, token, length, _, _ in
                    guard let context else { return 1 }
                    Unmanaged<Collector>.fromOpaque(context)._withUnsafeGuaranteedRef {
                        $0.add(UnsafeRawBufferPointer(start: token, count: Int(length)), mark: TermKey.mark(isWord: kind == CTokenizerWord))
                    }
                    return 0
                }
            }
        }
        if wordCount == before {
            words.cut(to: beginning)
        } else {
            words.start.storeBytes(of: UInt32(wordCount - before), toByteOffset: beginning + 1, as: UInt32.self)
        }
    }

    @inline(__always) private func add(_ token: UnsafeRawBufferPointer, mark: UInt8?) {
        if let mark {
            scratch.removeAll()
            scratch.append(fixed: mark)
            scratch.append(token)
            words.append(varint: UInt64(terms.number(of: scratch.bytes)))
        } else {
            words.append(varint: UInt64(terms.number(of: token)))
        }
        wordCount += 1
    }

    private func add(_ facets: [TermKey]) {
        guard !facets.isEmpty else { return }
        words.append(varint: UInt64(Column.facet.rawValue + 1))
        words.append(fixed: UInt32(facets.count))
        for facet in facets {
            facet.withBytes { words.append(varint: UInt64(terms.number(of: $0))) }
            wordCount += 1
        }
    }

    /// For each segment of the transcript the position of its first word, and its second.
    private func addStarts(of transcript: [TranscriptSegment]) {
        var position: UInt32 = 0
        for segment in transcript {
            if let start = segment.start {
                starts.append(fixed: position)
                starts.append(fixed: Float(start).bitPattern)
            }
            withEachToken(of: segment.text) { _, _, _ in position += 1 }
        }
    }

    // MARK: Writing

    /// Writes the segment.
    ///
    /// - Returns: its size.
    /// - Throws: `StorageError`.
    func write(to path: String) throws -> Int {
        let writer = try SegmentWriter(path)
        let order = documents.indices.sorted { a, b in
            let (first, second) = (DocumentFacts.rank(documents[a].facts.publishedAt), DocumentFacts.rank(documents[b].facts.publishedAt))
            return first != second ? first > second : a < b
        }
        try writeTerms(order, writer)
        let sortedPodcasts = podcasts.indices.sorted { podcasts[$0].text.utf8.lexicographicallyPrecedes(podcasts[$1].text.utf8) }
        var place = [Int](repeating: 0, count: podcasts.count)
        for (row, podcast) in sortedPodcasts.enumerated() { place[podcast] = row }
        var episodes = [[Int]](repeating: [], count: podcasts.count)
        for (number, index) in order.enumerated() {
            var document = documents[index]
            let row = place[Int(document.facts.podcast)]
            document.facts.podcast = UInt32(row)
            episodes[row].append(number)
            writer.add(
                NewDocument(
                    facts: document.facts, titleLength: document.titleLength, textLength: document.textLength,
                    name: names.bytes.part(document.name.lowerBound, document.name.count),
                    starts: starts.bytes.part(document.starts.lowerBound, document.starts.count)))
        }
        return try writer.finish(
            podcasts: sortedPodcasts.enumerated().map { row, index in
                let sorted = episodes[row].sorted { UnsafeRawBufferPointer.precedes(name(order[$0]), name(order[$1])) }
                return (podcasts[index], rows[podcasts[index]] ?? PodcastRow(), sorted)
            }, kills: kills)
    }

    private func name(_ document: Int) -> UnsafeRawBufferPointer {
        names.bytes.part(documents[document].name.lowerBound, documents[document].name.count)
    }

    /// A word's place: the document, and in it the column (upper 4 bits) and the position.
    private struct Place {
        var document: UInt32
        var place: UInt32
    }

    private func writeTerms(_ order: [Int], _ writer: SegmentWriter) throws {
        var next = [Int](repeating: 0, count: terms.count + 1)
        eachWord(in: 0..<words.count) { term, _ in next[term + 1] += 1 }
        for term in 0..<terms.count { next[term + 1] += next[term] }
        let places = UnsafeMutableBufferPointer<Place>.allocate(capacity: wordCount)
        defer { places.deallocate() }
        next.withUnsafeMutableBufferPointer { next in
            for (number, index) in order.enumerated() {
                eachWord(in: documents[index].words) { term, place in
                    places[next[term]] = Place(document: UInt32(number), place: place)
                    next[term] += 1
                }
            }
        }
        let out = ByteBuffer(capacity: 1 << 16)
        for term in terms.sorted() {
            let mine = UnsafeBufferPointer(rebasing: places[(term == 0 ? 0 : next[term - 1])..<next[term]])
            var count = 0
            var last = UInt32.max
            for place in mine where place.document != last {
                count += 1
                last = place.document
            }
            out.removeAll()
            var postings = PostingsWriter(out, documents: count)
            last = .max
            for place in mine {
                if place.document != last {
                    postings.begin(Int(place.document))
                    last = place.document
                }
                postings.add(Occurrence(column: UInt8(place.place >> 28), position: place.place & 0xFFF_FFFF))
            }
            try writer.add(terms[term], documents: count, postings: out)
        }
    }

    /// Calls `body` with each word's number and place.
    @inline(__always) private func eachWord(in range: Range<Int>, _ body: (Int, UInt32) -> Void) {
        var place = UnsafeRawPointer(words.start + range.lowerBound)
        let end = UnsafeRawPointer(words.start + range.upperBound)
        while place < end {
            let column = UInt32(truncatingIfNeeded: Varint.read(&place, end) - 1) << 28
            let count = place.loadUnaligned(as: UInt32.self)
            place += 4
            for position in 0..<count {
                body(Int(truncatingIfNeeded: Varint.read(&place, end)), column | min(position, 0xFFF_FFFF))
            }
        }
    }
}

/// The id of an episode without its podcast's: what the index keeps of it.
enum EpisodeName {
    static func of(_ id: EpisodeID) -> String {
        let text = id.text.utf8
        return String(Substring(text[(text.firstIndex(of: UInt8(ascii: "-")).map(text.index(after:)) ?? text.startIndex)...]))
    }
}
