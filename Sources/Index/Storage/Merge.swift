internal import Domain

/// Makes one segment of several neighbouring ones, without the documents that hold no longer.
struct Merge {
    private let sources: [Segment]
    /// For each source and document, its number in the new segment; -1 where it holds no longer.
    private var numbers: [[Int32]]
    /// All that hold, newest first.
    private var order: [Place] = []

    private struct Place {
        var source: Int32
        var document: Int32
    }

    /// Bytes of the sources, about, that are read before their memory is given back.
    private static let mostRead = 1 << 20

    /// Which segments to merge now, as a range of their sizes; nil: none.
    ///
    /// Twelve of about the same size, and what is newer and smaller: so each byte is written again once while an index
    /// grows eight-fold, what a run adds to a large index moves none of the large segments, and a search opens few files.
    static func range(of sizes: [Int]) -> Range<Int>? {
        // Steps of eight; what is less than 256 kB counts as one step.
        let levels = sizes.map { max(0, (Int.bitWidth - $0.leadingZeroBitCount - 16) / 3) }
        for level in Set(levels).sorted() {
            let start = (levels.lastIndex { $0 > level } ?? -1) + 1
            if levels[start...].count(where: { $0 == level }) >= 12 { return start..<sizes.count }
        }
        return sizes.count > 40 ? 0..<sizes.count : nil
    }

    /// - Parameter dead: of each source, the documents that hold no longer.
    init(_ sources: [Segment], dead: [DocumentSet]) {
        self.sources = sources
        numbers = sources.map { [Int32](repeating: -1, count: $0.documents) }
        order.reserveCapacity(zip(sources, dead).reduce(0) { $0 + $1.0.documents - $1.1.count })
        var next = [Int](repeating: 0, count: sources.count)
        while true {
            var newest: (source: Int, published: UInt32)?
            for (index, source) in sources.enumerated() {
                while next[index] < source.documents, dead[index].contains(next[index]) { next[index] += 1 }
                guard next[index] < source.documents else { continue }
                let published = source.published(next[index])
                if newest.map({ published > $0.published }) ?? true { newest = (index, published) }
            }
            guard let newest else { break }
            numbers[newest.source][next[newest.source]] = Int32(order.count)
            order.append(Place(source: Int32(newest.source), document: Int32(next[newest.source])))
            next[newest.source] += 1
        }
    }

    /// - Parameter older: numbers of the segments before the sources: kills of their documents are carried over.
    /// - Returns: the new segment's size.
    /// - Throws: `StorageError`; `StorageDamage` where a source is not what was written: the sums of the new segment
    ///   would vouch for it.
    func write(to path: String, older: Set<Int>) throws -> Int {
        for source in sources { try source.checkAll() }
        let writer = try SegmentWriter(path)
        try writeTerms(writer)
        let podcasts = newestRows(isOldest: older.isEmpty)
        var place: [PodcastID: Int] = [:]
        for (index, podcast) in podcasts.enumerated() { place[podcast.id] = index }
        let places = sources.map { source in (0..<source.podcasts).map { place[source.podcastID($0)] ?? 0 } }
        let episodes = documents(of: podcasts.count, places)
        return try writer.finish(
            order.indices.lazy.map { document($0, places) },
            podcasts: zip(podcasts, episodes).map { ($0.id, $0.row, $1) },
            kills: sources.flatMap { $0.kills.filter { older.contains($0.segment) } })
    }

    /// - Parameter places: for each source and its podcasts, their places among all podcasts.
    private func document(_ number: Int, _ places: [[Int]]) -> NewDocument {
        if number % (Self.mostRead / DocumentFacts.size) == 0 { forget() }
        let (source, document) = (sources[Int(order[number].source)], Int(order[number].document))
        var facts = source.facts(document)
        let name = source.name(facts)
        let rows = places[Int(order[number].source)]
        facts.podcast = UInt32(Int(facts.podcast) < rows.count ? rows[Int(facts.podcast)] : 0)
        let starts = source.spoken(document) ?? 0..<0
        return NewDocument(
            facts: facts, titleLength: source.titleLength(document), textLength: source.textLength(document),
            name: name, starts: source.part(.starts, starts.lowerBound * 8, starts.count * 8))
    }

    /// The documents of each podcast, in the order of names: each source has its own in that order.
    ///
    /// - Parameter places: for each source and its podcasts, their places among all podcasts.
    private func documents(of podcasts: Int, _ places: [[Int]]) -> [[Int]] {
        var documents = [[Int]](repeating: [], count: podcasts)
        var mixed: Set<Int> = []
        for (index, source) in sources.enumerated() {
            for (row, place) in places[index].enumerated() where place < podcasts {
                let some = source.documents(of: source.podcast(row)).lazy
                    .filter { $0 < source.documents }.map { Int(numbers[index][$0]) }.filter { $0 >= 0 }
                let before = documents[place].count
                documents[place] += some
                if before > 0, documents[place].count > before { mixed.insert(place) }
            }
            source.file.forget()
        }
        for (count, place) in mixed.enumerated() {
            if count % 64 == 0 { forget() }
            documents[place] = sorted(documents[place]) { name($0) }
        }
        return documents
    }

    private func name(_ document: Int) -> UnsafeRawBufferPointer {
        let source = sources[Int(order[document].source)]
        return source.name(source.facts(Int(order[document].document)))
    }

    private func forget() {
        for source in sources { source.file.forget() }
    }

    /// What the newest source says of each podcast, in the order of ids. That a podcast was removed need not be said
    /// where nothing older is left.
    private func newestRows(isOldest: Bool) -> [(id: PodcastID, row: PodcastRow)] {
        var rows: [PodcastID: PodcastRow] = [:]
        for source in sources {
            for row in 0..<source.podcasts { rows[source.podcastID(row)] = source.podcast(row) }
        }
        return rows.filter { !(isOldest && $0.value.isRemoved) }
            .sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }.map { ($0.key, $0.value) }
    }

    private func writeTerms(_ writer: SegmentWriter) throws {
        let walks = sources.map { TermWalk($0) }
        let out = ByteBuffer(capacity: 1 << 16)
        let term = ByteBuffer()
        var bytesWritten = 0
        while true {
            if bytesWritten > Self.mostRead {
                forget()
                bytesWritten = 0
            }
            var first: Int?
            for index in walks.indices where !walks[index].isAtEnd {
                if first.map({ UnsafeRawBufferPointer.precedes(walks[index].term, walks[$0].term) }) ?? true { first = index }
            }
            guard let first else { return }
            term.removeAll()
            term.append(walks[first].term)
            var readers: [(source: Int, reader: PostingsReader)] = []
            for index in walks.indices where !walks[index].isAtEnd {
                guard UnsafeRawBufferPointer.order(walks[index].term, term.bytes) == 0 else { continue }
                readers.append((index, PostingsReader(walks[index].postings, documents: sources[index].documents)))
                walks[index].advance()
            }
            let count = readers.reduce(0) { $0 + living($1.reader, of: $1.source) }
            guard count > 0 else { continue }
            out.removeAll()
            write(&readers, count, to: out)
            bytesWritten += out.count
            try withExtendedLifetime((term, out)) { try writer.add(term.bytes, documents: count, postings: out.bytes) }
        }
    }

    private func living(_ reader: PostingsReader, of source: Int) -> Int {
        var reader = reader
        var count = 0
        while reader.document != .max {
            if numbers[source][reader.document] >= 0 { count += 1 }
            reader.advance()
        }
        return count
    }

    private func write(_ readers: inout [(source: Int, reader: PostingsReader)], _ count: Int, to out: ByteBuffer) {
        var postings = PostingsWriter(out, documents: count)
        var next = readers.indices.map { number(readers[$0].source, &readers[$0].reader) }
        while true {
            var first = 0
            for index in next.indices where next[index] < next[first] { first = index }
            guard next[first] != .max else { return }
            postings.begin(Int(next[first]))
            postings.add(readers[first].reader.occurrences())
            readers[first].reader.advance()
            next[first] = number(readers[first].source, &readers[first].reader)
        }
    }

    /// The new number of the document the reader stands at, or of the next one that holds.
    private func number(_ source: Int, _ reader: inout PostingsReader) -> Int32 {
        while reader.document != .max {
            let number = numbers[source][reader.document]
            if number >= 0 { return number }
            reader.advance()
        }
        return .max
    }
}
