internal import Domain

/// A document on its way into a segment.
struct NewDocument {
    var facts: DocumentFacts
    var titleLength: Int
    var textLength: Int
    var name: UnsafeRawBufferPointer
    /// Pairs of a position in the transcript's words, and its second, as bytes.
    var starts: UnsafeRawBufferPointer
}

/// Writes a segment from front to back: first the terms in their order, then the documents in theirs.
final class SegmentWriter {
    private let file: FileWriter
    private var header = SegmentHeader()
    private let terms = ByteBuffer(capacity: 1 << 16)
    private let blocks = ByteBuffer()
    private let lastTerm = ByteBuffer()
    private let ranks: Spool
    private let facts: Spool
    private let names: Spool
    private let spoken = ByteBuffer()
    private let starts: Spool
    private var titles: [UInt64] = []

    init(_ path: String) throws {
        file = try FileWriter(path, headerSize: SegmentLayout.headerSize)
        ranks = Spool(path + ".ranks")
        facts = Spool(path + ".facts")
        names = Spool(path + ".names")
        starts = Spool(path + ".starts")
        header.sections[SegmentLayout.Section.postings.rawValue].offset = SegmentLayout.headerSize
    }

    /// A term and its postings; terms come in the order of their bytes.
    func add(_ term: UnsafeRawBufferPointer, documents: Int, postings: UnsafeRawBufferPointer) throws {
        if header.terms % SegmentLayout.termsPerBlock == 0 {
            blocks.append(fixed: UInt64(terms.count))
            blocks.append(fixed: UInt64(file.count - SegmentLayout.headerSize))
            terms.append(varint: UInt64(term.count))
            terms.append(term)
        } else {
            let last = lastTerm.bytes
            var shared = 0
            while shared < min(term.count, last.count), term[shared] == last[shared] { shared += 1 }
            terms.append(varint: UInt64(shared))
            terms.append(varint: UInt64(term.count - shared))
            terms.append(term.part(shared, term.count - shared))
        }
        terms.append(varint: UInt64(documents))
        terms.append(varint: UInt64(postings.count))
        lastTerm.removeAll()
        lastTerm.append(term)
        header.terms += 1
        try file.write(postings)
    }

    /// The next document: they come newest first. `facts.name` is set here.
    func add(_ document: NewDocument) {
        let number = header.documents
        ranks.append(fixed: DocumentFacts.rank(document.facts.publishedAt))
        ranks.append(fixed: UInt16(clamping: document.titleLength))
        ranks.append(fixed: UInt16(clamping: document.textLength / 4))
        facts.append(fixed: document.facts.publishedAt)
        facts.append(fixed: document.facts.firstSeenAt)
        facts.append(fixed: document.facts.digest)
        facts.append(fixed: document.facts.titleHash)
        facts.append(fixed: document.facts.duration.bitPattern)
        facts.append(fixed: document.facts.podcast)
        facts.append(fixed: UInt32(names.count))
        facts.append(fixed: UInt32(document.name.count))
        names.append(document.name)
        if document.facts.titleHash != 0 { titles.append(document.facts.titleHash & 0xFFFF_FFFF_0000_0000 | UInt64(number)) }
        if document.starts.count > 0 {
            spoken.append(fixed: UInt32(number))
            spoken.append(fixed: UInt32(starts.count / 8))
            spoken.append(fixed: UInt32(document.starts.count / 8))
            starts.append(document.starts)
        }
        header.documents += 1
        header.titleLength += document.titleLength
        header.textLength += document.textLength
    }

    /// Ends the file.
    /// - Parameters:
    ///   - podcasts: in the order of their ids, each with its documents in the order of names.
    ///   - kills: documents of older segments that hold no longer.
    /// - Returns: the file's size.
    func finish(
        podcasts: [(id: PodcastID, row: PodcastRow, documents: [Int])], kills: [(segment: Int, document: Int)]
    ) throws -> Int {
        let rows = ByteBuffer()
        let episodes = ByteBuffer()
        for podcast in podcasts {
            var id = podcast.id.text
            rows.append(fixed: UInt32(names.count))
            rows.append(fixed: UInt32(id.utf8.count))
            id.withUTF8 { names.append(UnsafeRawBufferPointer($0)) }
            rows.append(fixed: Int64(podcast.row.revision))
            rows.append(fixed: podcast.row.digest)
            rows.append(fixed: UInt32(episodes.count / 4))
            rows.append(fixed: UInt32(podcast.documents.count))
            rows.append(fixed: UInt64(podcast.row.isRemoved ? 1 : 0))
            for document in podcast.documents { episodes.append(fixed: UInt32(document)) }
        }
        let killed = ByteBuffer()
        for kill in kills {
            killed.append(fixed: UInt32(kill.segment))
            killed.append(fixed: UInt32(kill.document))
        }
        let titleBytes = ByteBuffer(capacity: titles.count * 8 + 8)
        for title in titles.sorted() { titleBytes.append(fixed: title) }

        header.sections[SegmentLayout.Section.postings.rawValue].size = file.count - SegmentLayout.headerSize
        for section in SegmentLayout.Section.allCases {
            let offset = file.count
            switch section {
            case .postings: continue
            case .terms: try file.write(terms)
            case .blocks: try file.write(blocks)
            case .ranks: try ranks.copy(to: file)
            case .facts: try facts.copy(to: file)
            case .names: try names.copy(to: file)
            case .titles: try file.write(titleBytes)
            case .podcasts: try file.write(rows)
            case .episodes: try file.write(episodes)
            case .spoken: try file.write(spoken)
            case .starts: try starts.copy(to: file)
            case .kills: try file.write(killed)
            case .sums: try file.write(try file.blockSums())
            }
            header.sections[section.rawValue] = (offset, file.count - offset)
        }
        try file.publish(header: header.bytes)
        return file.count
    }
}
