internal import Domain
internal import Memory

/// Collects documents for a new segment, and writes it.
///
/// A segment stores words by term: `TermPostings` regroups them at the end.
final class SegmentBuffer {
    private var words: DocumentWords
    private var names = GrowingBytes.paged()
    private var documents: [Collected] = []
    private var podcasts: [PodcastID] = []
    private var rows: [PodcastID: SegmentPodcast] = [:]
    private var deletions = Deletions()

    private struct Collected {
        /// The name they refer to is in `names`.
        var facts: DocumentFacts
        /// Codes of the lengths of the text (lower byte) and the title.
        var lengths: UInt16
        var words: DocumentWords.Document
    }

    private let maxOccurrenceBytes: Int

    /// - Parameters:
    ///   - maxBytes: the size of the words at which a segment is full.
    ///   - maxOccurrenceBytes: see `TermPostings`.
    ///   - terms: the number of different ones that are expected.
    ///   - stemmer: knows the stems of earlier segments, most of which are needed again.
    init(maxBytes: Int, maxOccurrenceBytes: Int? = nil, expecting terms: Int = 0, _ stemmer: Stemmer = Stemmer()) {
        self.maxOccurrenceBytes = maxOccurrenceBytes ?? maxBytes * 2
        words = DocumentWords(maxBytes: maxBytes, expecting: terms, stemmer)
        documents.reserveCapacity(PagedMemory.size / MemoryLayout<Collected>.stride + 1)
    }

    var isEmpty: Bool { documents.isEmpty && rows.isEmpty && deletions.isEmpty }
    /// The size of the words (see `WordRows`).
    var size: Int { words.size }
    /// Number of different terms.
    var termCount: Int { words.termCount }

    // MARK: Adding

    func set(_ row: SegmentPodcast, of podcast: PodcastID) {
        if rows.updateValue(row, forKey: podcast) == nil { podcasts.append(podcast) }
    }

    func delete(_ documents: Deletions) { deletions.formUnion(documents) }

    /// Adds an episode of the podcast whose row was set last. Afterwards `text` may be filled again.
    func add(_ episode: Episode, _ text: inout IndexedText, digest: UInt64) {
        let nameStart = names.count
        EpisodeName.withBytes(of: episode.id) { names.append($0) }
        let lengths = (text: text[.text].count, title: text.titleLength)
        let words = words.add(&text)
        documents.append(
            Collected(
                facts: DocumentFacts(
                    publishedAt: episode.orderedAt?.seconds ?? .min, firstSeenAt: episode.firstSeenAt.seconds,
                    digest: digest, titleHash: words.titleHash, duration: episode.item.duration.map { Float($0) } ?? .nan,
                    podcast: UInt32(podcasts.count - 1), name: UInt32(nameStart), nameLength: UInt32(names.count - nameStart),
                    season: Self.rank(episode.item.season?.number), number: Self.rank(episode.item.episode?.number)),
                lengths: UInt16(LengthCode(bytes: lengths.text).value) | UInt16(LengthCode(bytes: lengths.title).value) << 8,
                words: words))
    }

    // MARK: Writing

    /// Writes the segment, and returns its size. May be called once: memory is released as soon as its content is written.
    ///
    /// - Throws: `StorageError`.
    func write(to path: String) throws -> Int {
        let order = newestFirst()
        let lengths = order.map { documents[$0].lengths }
        let forms = words.takeForms()
        var writer = try SegmentWriter(path, lengths: lengths)
        try words.writePostings(order.map { documents[$0].words.words }, maxBytes: maxOccurrenceBytes, &writer)
        return try finish(order, forms, &writer)
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
        return NewDocument(facts: facts, name: name(index), starts: words.starts(of: document.words))
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
