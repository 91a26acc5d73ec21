internal import Domain

/// The index as one manifest has it: its segments, oldest first, and which of their documents hold no longer.
struct IndexSnapshot {
    private(set) var manifest: Manifest
    private(set) var segments: [Segment]
    private(set) var dead: [DocumentSet]

    /// - Throws: `StorageError`, `StorageDamage`.
    init(_ folder: IndexFolder) throws {
        (manifest, segments) = try folder.open()
        dead = segments.map { _ in DocumentSet() }
        for segment in segments {
            for kill in segment.kills { self.kill(kill.document, of: kill.segment) }
        }
    }

    /// An empty index.
    init() {
        manifest = Manifest()
        segments = []
        dead = []
    }

    /// Something that was read is not what was written: whatever came of it counts for nothing.
    var isDamaged: Bool { segments.contains(where: \.file.isDamaged) }

    /// Episodes that can be found.
    var episodes: Int { segments.indices.reduce(0) { $0 + segments[$1].documents - dead[$1].count } }

    /// The usual length of a title, and of the other text, in bytes.
    var usualLengths: (title: Double, text: Double) {
        let documents = max(1, Double(segments.reduce(0) { $0 + $1.documents }))
        return (
            Double(segments.reduce(0) { $0 + $1.header.titleLength }) / documents,
            Double(segments.reduce(0) { $0 + $1.header.textLength }) / documents
        )
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

    /// Where the documents of a podcast are that hold.
    func documents(of id: PodcastID) -> [(segment: Int, document: Int)] {
        segments.indices.flatMap { index -> [(segment: Int, document: Int)] in
            guard let row = segments[index].row(of: id) else { return [] }
            return segments[index].documents(of: segments[index].podcast(row))
                .filter { !dead[index].contains($0) }.map { (index, $0) }
        }
    }

    /// Where the document of an episode is.
    func document(of podcast: PodcastID, _ id: EpisodeID) -> (segment: Int, document: Int)? {
        for index in segments.indices.reversed() {
            guard let row = segments[index].row(of: podcast),
                let document = segments[index].document(of: id, in: segments[index].podcast(row)), !dead[index].contains(document)
            else { continue }
            return (index, document)
        }
        return nil
    }

    // MARK: Changes

    /// - Parameter number: of the segment, as in its file's name.
    mutating func kill(_ document: Int, of number: Int) {
        guard let index = segments.firstIndex(where: { $0.number == number }), document < segments[index].documents else {
            return
        }
        dead[index].insert(document)
    }

    /// The library's revision that the index is in line with.
    mutating func set(revision: Int) { manifest.revision = revision }

    /// The next segment's number.
    mutating func takeNumber() -> Int {
        defer { manifest.next += 1 }
        return manifest.next
    }

    /// Puts a new segment in the place of those in the range, or behind all where that is empty.
    mutating func replace(_ range: Range<Int>, by segment: Segment) {
        segments.replaceSubrange(range, with: [segment])
        dead.replaceSubrange(range, with: [DocumentSet()])
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
