internal import Domain
internal import Memory

/// The index as described by one manifest: its segments, oldest first, and their deleted documents.
struct IndexSnapshot {
    var manifest: Manifest
    private(set) var segments: [Segment]
    private(set) var deleted: [DocumentSet]

    /// - Throws: `StorageError`, `StorageDamage`.
    init(_ folder: IndexFolder) throws {
        (manifest, segments) = try folder.open()
        let segments = segments
        deleted = segments.map { _ in DocumentSet() }
        for segment in segments {
            let deletions = segment.deletions { number in segments.first { $0.number == number }?.documents ?? 0 }
            for (number, documents) in deletions.sets {
                if let index = segments.firstIndex(where: { $0.number == number }) { deleted[index].formUnion(documents) }
            }
        }
    }

    /// An empty index.
    init() {
        manifest = Manifest()
        segments = []
        deleted = []
    }

    /// True if anything read so far failed its checksum; results based on it are invalid.
    var isDamaged: Bool { segments.contains(where: \.file.isDamaged) }

    /// Number of episodes that can be found.
    var episodes: Int { segments.indices.reduce(0) { $0 + segments[$1].documents - deleted[$1].count } }

    /// Weights based on the average lengths of titles and texts.
    var weights: FrequencyWeights {
        var all = SegmentHeader()
        for segment in segments {
            all.documents += segment.documents
            all.titleLength += segment.header.titleLength
            all.textLength += segment.header.textLength
        }
        return all.usualWeights
    }

    /// Whether a document comes before another that was published in the same second, newest first.
    ///
    /// Every index of a library answers the same, although which podcasts share a segment depends on the threads that wrote it.
    func isNewer(_ a: (segment: Int, document: Int), than b: (segment: Int, document: Int)) -> Bool {
        if a.segment == b.segment { return a.document < b.document }
        return a.segment < b.segment
            ? segments[a.segment].isNewer(a.document, than: b.document, of: segments[b.segment])
            : !segments[b.segment].isNewer(b.document, than: a.document, of: segments[a.segment])
    }

    // MARK: Podcasts

    /// The row of the newest segment that has the podcast; nil if there is none, or the podcast was removed.
    func podcast(_ id: PodcastID) -> SegmentPodcast? {
        for segment in segments.reversed() {
            guard let row = segment.row(of: id) else { continue }
            let podcast = segment.podcast(row)
            return podcast.isRemoved ? nil : podcast
        }
        return nil
    }

    /// The indexed revision of each podcast.
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

    /// The locations of a podcast's documents.
    func documents(of id: PodcastID) -> [(segment: Int, document: Int)] {
        segments.indices.flatMap { index -> [(segment: Int, document: Int)] in
            guard let row = segments[index].row(of: id) else { return [] }
            return segments[index].documents(of: segments[index].podcast(row))
                .filter { !deleted[index].contains($0) }.map { (index, $0) }
        }
    }

    /// The location of an episode's document.
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
        var podcasts: [PodcastID] = []
        for (segment, deleted) in zip(segments, deleted) {
            guard let postings = segment.postings(of: Facet.podcast(titled: hash)) else { continue }
            let cursor = TermCursor(postings, in: segment, column: nil)
            // A podcast with thousands of episodes is recognized by one of them, since the facts of each are on another page.
            var known = DocumentSet()
            cursor.advance(to: 0)
            while cursor.document != .max {
                if !deleted.contains(cursor.document), !known.contains(cursor.document) {
                    let row = Int(segment.facts(cursor.document).podcast)
                    podcasts.append(segment.podcastID(row))
                    for document in segment.documents(of: segment.podcast(row)) where document < segment.documents {
                        known.insert(document)
                    }
                }
                cursor.advance(to: cursor.document + 1)
            }
        }
        return Set(podcasts).sorted()
    }

    // MARK: Changes

    /// - Parameter number: the segment's number, as in its file's name.
    mutating func delete(_ document: Int, of number: Int) {
        guard let index = segments.firstIndex(where: { $0.number == number }), document < segments[index].documents else {
            return
        }
        deleted[index].insert(document)
    }

    /// Replaces the segments in the range by a new one, or inserts it if the range is empty.
    mutating func replace(_ range: Range<Int>, by segment: Segment) {
        segments.replaceSubrange(range, with: [segment])
        deleted.replaceSubrange(range, with: [DocumentSet()])
        manifest.segments.replaceSubrange(range, with: [Manifest.Entry(number: segment.number, size: segment.size)])
    }
}
