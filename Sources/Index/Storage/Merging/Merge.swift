internal import Domain
internal import Memory

/// Merges adjacent segments into one, without their deleted documents.
struct Merge {
    private let sources: [Segment]
    /// For each source and document, its number in the new segment; -1 if it is deleted.
    private var numbers: [[Int32]]
    /// Codes of the lengths of the new segment's documents.
    private var lengths: [UInt16] = []

    /// A document of a source, in half the memory of two numbers: there are few sources.
    private struct Location {
        static let maxDocuments = 1 << 26

        private let number: UInt32

        init(source: Int, document: Int) { number = UInt32(source) << 26 | UInt32(document) }

        var source: Int { Int(number >> 26) }
        var document: Int { Int(number & 0x3FF_FFFF) }
    }

    /// Number of sources that `Location` can distinguish, each with up to 67 million documents.
    private static let maxSources = 64

    /// Approximate number of bytes of the sources that are read before their memory is released.
    private static let maxRead = 512 << 10
    /// The number of ties settled, each by reading two documents' facts, before the sources' memory is released.
    private static let maxTies = 4_096

    /// The range of segments to merge now, given their sizes; nil for none.
    ///
    /// A merge takes twelve segments of about the same size, or eight of 8 MB or more, and all newer and smaller ones. So each
    /// byte is rewritten once while an index grows eight-fold, a refresh of a large index does not rewrite its large
    /// segments, and a search opens few files, each of which costs it a quarter of a millisecond.
    static func range(of sizes: [Int]) -> Range<Int>? {
        // Levels are steps of factor eight; sizes below 1 MB are level 0. Segments of a first fetch, of 20 to 35 MB, are all
        // of level 2.
        let levels = sizes.map { max(0, (Int.bitWidth - $0.leadingZeroBitCount - 18) / 3) }
        for level in Set(levels).sorted() {
            let start = (levels.lastIndex { $0 > level } ?? -1) + 1
            let maxOfLevel = level < 2 ? 12 : 8
            if levels[start...].count(where: { $0 == level }) >= maxOfLevel {
                return start..<min(sizes.count, start + maxSources)
            }
        }
        return sizes.count > 40 ? 0..<min(sizes.count, maxSources) : nil
    }

    /// - Parameter deleted: the deleted documents of each source.
    init(_ sources: [Segment], deleted: [DocumentSet]) {
        self.sources = sources
        numbers = sources.map { [Int32](repeating: -1, count: $0.documents) }
        lengths.reserveCapacity(zip(sources, deleted).reduce(0) { $0 + $1.0.documents - $1.1.count })
        var next = [Int](repeating: 0, count: sources.count)
        var ties = 0
        while true {
            var newest: (source: Int, published: UInt32)?
            for (index, source) in sources.enumerated() {
                while next[index] < source.documents, deleted[index].contains(next[index]) { next[index] += 1 }
                guard next[index] < source.documents else { continue }
                let published = source.published(next[index])
                if let newest, published < newest.published { continue }
                if let newest, published == newest.published {
                    ties += 1
                    if ties % Self.maxTies == 0 { forget() }
                    if sources[newest.source].isNewer(next[newest.source], than: next[index], of: source) { continue }
                }
                newest = (index, published)
            }
            guard let newest else { break }
            numbers[newest.source][next[newest.source]] = Int32(lengths.count)
            lengths.append(sources[newest.source].lengths(next[newest.source]))
            next[newest.source] += 1
        }
    }

    /// - Parameter older: numbers of the segments before the sources; deletions of their documents are carried over.
    /// - Returns: the new segment's size.
    /// - Throws: `StorageError`; `StorageDamage` if a source is damaged, since the checksums of the new segment would
    ///   vouch for the damage.
    func write(to path: String, older: Set<Int>) throws -> Int {
        for source in sources { try source.checkAll() }
        var writer = try SegmentWriter(path, lengths: lengths)
        return try write(&writer, older: older)
    }

    private func write(_ writer: inout SegmentWriter, older: Set<Int>) throws -> Int {
        try writeTerms(&writer)
        forget()
        let order = order()
        let podcasts = newestRows(isOldest: older.isEmpty)
        var rowOfPodcast: [PodcastID: Int] = [:]
        for (index, podcast) in podcasts.enumerated() { rowOfPodcast[podcast.id] = index }
        let newRows = sources.map { source in (0..<source.podcasts).map { rowOfPodcast[source.podcastID($0)] ?? 0 } }
        let rows = sources.map { source in
            var rows = [Int](repeating: -1, count: podcasts.count)
            for row in 0..<source.podcasts {
                if let newRow = rowOfPodcast[source.podcastID(row)] { rows[newRow] = row }
            }
            return rows
        }
        var deletions = Deletions()
        for source in sources {
            deletions.formUnion(source.deletions { older.contains($0) ? Location.maxDocuments : 0 })
        }
        return try writer.finish(
            order.indices.lazy.map { document($0, order, newRows) },
            podcasts: podcasts.indices.lazy.map {
                NewPodcast(id: podcasts[$0].id, row: podcasts[$0].row, documents: documents(of: $0, order, rows))
            },
            forms: WordFormWriter.merging(sources, forget: forget).section,
            deletions: deletions)
    }

    /// The documents of the new segment, newest first. Made when the terms are written, which takes the most memory.
    private func order() -> [Location] {
        var order = [Location](repeating: Location(source: 0, document: 0), count: lengths.count)
        for (source, numbers) in numbers.enumerated() {
            for (document, number) in numbers.enumerated() where number >= 0 {
                order[Int(number)] = Location(source: source, document: document)
            }
        }
        return order
    }

    /// - Parameter newRows: for each source, the rows of its podcasts in the new segment.
    private func document(_ number: Int, _ order: [Location], _ newRows: [[Int]]) -> NewDocument {
        if number % (Self.maxRead / DocumentFacts.size) == 0 { forget() }
        let (source, document) = (sources[order[number].source], order[number].document)
        var facts = source.facts(document)
        let name = source.name(facts)
        let rows = newRows[order[number].source]
        facts.podcast = UInt32(Int(facts.podcast) < rows.count ? rows[Int(facts.podcast)] : 0)
        let starts = source.spoken(document) ?? 0..<0
        return NewDocument(
            facts: facts, name: name, starts: source.part(.starts, starts.lowerBound * 8, starts.count * 8))
    }

    /// A podcast's documents in the order of their names, which is also their order in each source.
    ///
    /// - Parameter rows: for each source, its row of each podcast; -1 if it does not have the podcast.
    private func documents(of podcast: Int, _ order: [Location], _ rows: [[Int]]) -> [UInt32] {
        if podcast % 64 == 0 { forget() }
        var documents: [UInt32] = []
        var parts = 0
        for (source, rows) in zip(sources.indices, rows) where rows[podcast] >= 0 {
            let before = documents.count
            for document in sources[source].documents(of: sources[source].podcast(rows[podcast]))
            where document < sources[source].documents && numbers[source][document] >= 0 {
                documents.append(UInt32(numbers[source][document]))
            }
            if documents.count > before { parts += 1 }
        }
        return parts > 1 ? sorted(documents) { name(order[Int($0)]) } : documents
    }

    private func name(_ location: Location) -> ByteView {
        let source = sources[location.source]
        return source.name(source.facts(location.document))
    }

    private func forget() {
        for source in sources { source.file.forget() }
    }

    /// The newest source's row of each podcast, in the order of ids. Removed podcasts are omitted if there are no older
    /// segments.
    private func newestRows(isOldest: Bool) -> [(id: PodcastID, row: SegmentPodcast)] {
        var rows: [PodcastID: SegmentPodcast] = [:]
        for source in sources {
            for row in 0..<source.podcasts { rows[source.podcastID(row)] = source.podcast(row) }
        }
        return rows.filter { !(isOldest && $0.value.isRemoved) }
            .sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }.map { ($0.key, $0.value) }
    }

    private func writeTerms(_ writer: inout SegmentWriter) throws {
        let walks = MergeWalks(sources)
        let cursors = zip(sources, numbers).map { MergeCursor($0, numbers: $1) }
        let window = MergeWindow()
        var term = GrowingBytes()
        var open: [MergeCursor] = []
        var bytesRead = 0
        while walks.findFirst(&term) {
            open.removeAll(keepingCapacity: true)
            for index in walks.first {
                cursors[index].open(walks.postings(index))
                if cursors[index].number != .max { open.append(cursors[index]) }
            }
            walks.advance()
            if open.isEmpty { continue }
            try merge(&open, by: window, into: &writer.postings, &bytesRead)
            try writer.end(term.view)
        }
    }

    /// - Parameter bytesRead: approximate number of bytes read since the sources' memory was released.
    private func merge(
        _ cursors: inout [MergeCursor], by window: MergeWindow, into writer: inout PostingsWriter, _ bytesRead: inout Int
    ) throws {
        var written = 0
        while !cursors.isEmpty {
            var first = Int32.max
            for cursor in cursors { first = min(first, cursor.number) }
            let start = Int(first) / MergeWindow.size * MergeWindow.size
            for cursor in cursors { cursor.put(into: window, from: start) }
            try window.write(from: start, to: &writer)
            bytesRead += writer.size - written
            written = writer.size
            if bytesRead > Self.maxRead {
                forget()
                bytesRead = 0
            }
            cursors.removeAll { $0.number == .max }
        }
    }
}
