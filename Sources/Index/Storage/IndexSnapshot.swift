internal import Domain
internal import Memory

/// The index as one manifest has it: its segments, oldest first, and which of their documents are deleted.
struct IndexSnapshot {
    var manifest: Manifest
    private(set) var segments: [Segment]
    private(set) var deleted: [DocumentSet]

    /// - Throws: `StorageError`, `StorageDamage`.
    init(_ folder: IndexFolder) throws {
        (manifest, segments) = try folder.open()
        deleted = segments.map { _ in DocumentSet() }
        for segment in segments {
            for deletion in segment.deletions { delete(deletion.document, of: deletion.segment) }
        }
    }

    /// An empty index.
    init() {
        manifest = Manifest()
        segments = []
        deleted = []
    }

    /// Something that was read is not what was written: whatever came of it counts for nothing.
    var isDamaged: Bool { segments.contains(where: \.file.isDamaged) }

    /// Episodes that can be found.
    var episodes: Int { segments.indices.reduce(0) { $0 + segments[$1].documents - deleted[$1].count } }

    /// By the usual length of a title, and of a text.
    var weights: FrequencyWeights {
        var all = SegmentHeader()
        for segment in segments {
            all.documents += segment.documents
            all.titleLength += segment.header.titleLength
            all.textLength += segment.header.textLength
        }
        return all.usualWeights
    }

    // MARK: Podcasts

    /// What the newest segment that knows of it says; nil where none does, or it was removed.
    func podcast(_ id: PodcastID) -> PodcastRow? {
        for segment in segments.reversed() {
            guard let row = segment.row(of: id) else { continue }
            let podcast = segment.podcast(row)
            return podcast.isRemoved ? nil : podcast
        }
        return nil
    }

    /// The revision that the index has of each podcast.
    var revisions: [PodcastID: Int] {
        var revisions: [PodcastID: Int] = [:]
        for segment in segments {
            for row in 0..<segment.podcasts {
                let podcast = segment.podcast(row)
                revisions[segment.podcastID(row)] = podcast.isRemoved ? nil : podcast.revision
            }
            segment.file.forget()
        }
        return revisions
    }

    /// Where the documents of a podcast are.
    func documents(of id: PodcastID) -> [(segment: Int, document: Int)] {
        segments.indices.flatMap { index -> [(segment: Int, document: Int)] in
            guard let row = segments[index].row(of: id) else { return [] }
            return segments[index].documents(of: segments[index].podcast(row))
                .filter { !deleted[index].contains($0) }.map { (index, $0) }
        }
    }

    /// Where the document of an episode is.
    func document(of podcast: PodcastID, _ id: EpisodeID) -> (segment: Int, document: Int)? {
        for index in segments.indices.reversed() {
            guard let row = segments[index].row(of: podcast),
                let document = segments[index].document(of: id, in: segments[index].podcast(row)),
                !deleted[index].contains(document)
            else { continue }
            return (index, document)
        }
        return nil
    }

    /// Podcasts with a title of this hash that have episodes.
    func podcasts(titled hash: UInt64) -> [PodcastID] {
        var found: [PodcastID] = []
        for (segment, deleted) in zip(segments, deleted) {
            guard let postings = segment.postings(of: Facet.podcast(titled: hash)) else { continue }
            let cursor = TermCursor(postings, in: segment, column: nil)
            var rows: Set<UInt32> = []
            cursor.advance(to: 0)
            while cursor.document != .max {
                if !deleted.contains(cursor.document) { rows.insert(segment.facts(cursor.document).podcast) }
                cursor.advance(to: cursor.document + 1)
            }
            found += rows.map { segment.podcastID(Int($0)) }
        }
        return Set(found).sorted()
    }

    // MARK: Changes

    /// - Parameter number: of the segment, as in its file's name.
    mutating func delete(_ document: Int, of number: Int) {
        guard let index = segments.firstIndex(where: { $0.number == number }), document < segments[index].documents else {
            return
        }
        deleted[index].insert(document)
    }

    /// Puts a new segment in the place of those in the range, or behind all where that is empty.
    mutating func replace(_ range: Range<Int>, by segment: Segment) {
        segments.replaceSubrange(range, with: [segment])
        deleted.replaceSubrange(range, with: [DocumentSet()])
        manifest.segments.replaceSubrange(range, with: [Manifest.Entry(number: segment.number, size: segment.size)])
    }
}

/// A set of documents of one segment; most are empty.
struct DocumentSet {
    private var bits: [UInt64] = []
    private(set) var count = 0

    @inline(__always) func contains(_ document: Int) -> Bool {
        document >> 6 < bits.count && bits[document >> 6] & 1 << UInt64(document & 63) != 0
    }

    mutating func insert(_ document: Int) {
        guard !contains(document) else { return }
        if document >> 6 >= bits.count { bits += [UInt64](repeating: 0, count: document >> 6 + 1 - bits.count) }
        bits[document >> 6] |= 1 << UInt64(document & 63)
        count += 1
    }
}
