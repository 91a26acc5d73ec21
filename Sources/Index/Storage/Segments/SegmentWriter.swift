internal import Domain
internal import Memory

/// A document to be written to a segment.
struct NewDocument {
    var facts: DocumentFacts
    var name: ByteView
    /// Pairs of a position in the transcript's words and its time in seconds, as bytes.
    var starts: ByteView
}

/// A podcast to be written to a segment.
struct NewPodcast {
    var id: PodcastID
    var row: SegmentPodcast
    /// In the order of names.
    var documents: [UInt32]
}

/// Writes a segment from front to back: first the terms in order, then the documents in order.
struct SegmentWriter: ~Copyable {
    /// Writes the postings of the terms.
    var postings: PostingsWriter
    private let file: FileWriter
    private var header = SegmentHeader()
    private var dictionary: TermDictionaryWriter

    /// - Parameter lengths: codes of the lengths of each document's text (lower byte) and title.
    init(_ path: String, lengths: [UInt16]) throws {
        // No manifest lists the file yet, so nobody reads it.
        file = try FileWriter(path, headerSize: SegmentLayout.headerSize, replaces: false)
        dictionary = TermDictionaryWriter(path)
        header.documents = lengths.count
        for length in lengths {
            header.textLength += LengthCode(value: UInt8(length & 0xFF)).bytes
            header.titleLength += LengthCode(value: UInt8(length >> 8)).bytes
        }
        header.sections[SegmentLayout.Section.postings.rawValue].offset = SegmentLayout.headerSize
        postings = PostingsWriter(file, header.usualWeights, lengths)
    }

    /// Ends a term after its documents were passed to `postings`. Terms must come in the order of their bytes.
    mutating func end(_ term: ByteView) throws {
        try dictionary.add(term, postings.finish())
        if let language = Facet.language(of: term) { header.languages.append(language) }
    }

    /// Completes the file.
    /// - Parameters:
    ///   - documents: newest first. They are enumerated several times, so that writing them takes no memory, however
    ///     many there are. `facts.name` is set here.
    ///   - podcasts: in the order of their ids; enumerated twice.
    ///   - forms: the complete section.
    ///   - deletions: deleted documents of older segments.
    /// - Returns: the file's size.
    mutating func finish(
        _ documents: LazyMapSequence<Range<Int>, NewDocument>, podcasts: LazyMapSequence<Range<Int>, NewPodcast>,
        forms: borrowing GrowingBytes, deletions: Deletions
    ) throws -> Int {
        try dictionary.endBlock()
        header.terms = dictionary.count
        header.sections[SegmentLayout.Section.postings.rawValue].size = file.count - SegmentLayout.headerSize
        var titles: [UInt64] = []
        titles.reserveCapacity(documents.count)
        var spoken = GrowingBytes()
        var (names, rows, starts) = (0, 0, 0)
        for section in SegmentLayout.Section.allCases where section != .postings {
            let offset = file.count
            switch section {
            case .postings: break
            case .terms: try dictionary.write(to: file)
            case .blocks: try file.write(dictionary.blocks)
            case .tops: try file.write(dictionary.tops)
            case .lengths: try postings.lengths.withBytes { try file.write($0) }
            case .dates: for document in documents { try file.write(fixed: DocumentFacts.rank(document.facts.publishedAt)) }
            case .facts:
                for (number, document) in documents.enumerated() {
                    try write(document.facts, name: names, document.name.count)
                    names += document.name.count
                    let hash = document.facts.titleHash
                    if hash != 0 { titles.append(hash & 0xFFFF_FFFF_0000_0000 | UInt64(number)) }
                    if document.starts.count > 0 {
                        spoken.append(fixed: UInt32(number))
                        spoken.append(fixed: UInt32(starts))
                        spoken.append(fixed: UInt32(document.starts.count / 8))
                        starts += document.starts.count / 8
                    }
                }
            case .names:
                for document in documents { try file.write(document.name) }
                for podcast in podcasts { try podcast.id.text.withBytes { try file.write($0) } }
            case .titles:
                titles.sort()
                for title in titles { try file.write(fixed: title) }
            case .podcasts:
                for podcast in podcasts {
                    try write(podcast.row, name: names, podcast.id.text.utf8.count, documents: rows, podcast.documents.count)
                    names += podcast.id.text.utf8.count
                    rows += podcast.documents.count
                }
            case .episodes:
                for podcast in podcasts { for document in podcast.documents { try file.write(fixed: document) } }
            case .spoken: try file.write(spoken)
            case .starts: if starts > 0 { for document in documents { try file.write(document.starts) } }
            case .forms: try file.write(forms)
            case .deletions: try deletions.write(to: file)
            case .sums: try file.write(try file.blockSums())
            }
            header.sections[section.rawValue] = (offset, file.count - offset)
        }
        // Most segments are merged before a manifest lists them, so they need not be synced.
        try file.finish(header: header.bytes)
        return file.count
    }

    private func write(_ facts: DocumentFacts, name: Int, _ nameLength: Int) throws {
        try file.write(fixed: facts.publishedAt)
        try file.write(fixed: facts.firstSeenAt)
        try file.write(fixed: facts.digest)
        try file.write(fixed: facts.titleHash)
        try file.write(fixed: facts.duration.bitPattern)
        try file.write(fixed: facts.podcast)
        try file.write(fixed: UInt32(name))
        try file.write(fixed: UInt32(nameLength))
        try file.write(fixed: facts.season.bitPattern)
        try file.write(fixed: facts.number.bitPattern)
    }

    private func write(_ row: SegmentPodcast, name: Int, _ nameLength: Int, documents: Int, _ count: Int) throws {
        try file.write(fixed: UInt32(name))
        try file.write(fixed: UInt32(nameLength))
        try file.write(fixed: Int64(row.revision))
        try file.write(fixed: row.digest)
        try file.write(fixed: UInt32(documents))
        try file.write(fixed: UInt32(count))
        try file.write(fixed: UInt8(row.isRemoved ? 1 : 0))
        try file.write(fixed: row.language.bytes.0)
        try file.write(fixed: row.language.bytes.1)
        try file.write(fixed: UInt8(0))
        try file.write(fixed: UInt32(0))
    }
}
