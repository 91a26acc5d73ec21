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

    init(_ path: String) throws {
        file = try FileWriter(path, headerSize: SegmentLayout.headerSize)
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

    /// Ends the file.
    /// - Parameters:
    ///   - documents: newest first. They are walked several times: what is written of them takes no memory then, however
    ///     many they are. `facts.name` is set here.
    ///   - podcasts: in the order of their ids, each with its documents in the order of names.
    ///   - kills: documents of older segments that hold no longer.
    /// - Returns: the file's size.
    func finish(
        _ documents: some Collection<NewDocument>, podcasts: [(id: PodcastID, row: PodcastRow, documents: [Int])],
        kills: [(segment: Int, document: Int)]
    ) throws -> Int {
        header.documents = documents.count
        header.sections[SegmentLayout.Section.postings.rawValue].size = file.count - SegmentLayout.headerSize
        var titles: [UInt64] = []
        let spoken = ByteBuffer()
        var (names, rows, starts) = (0, 0, 0)
        for section in SegmentLayout.Section.allCases where section != .postings {
            let offset = file.count
            switch section {
            case .postings: break
            case .terms: try file.write(terms)
            case .blocks: try file.write(blocks)
            case .ranks:
                for document in documents {
                    try file.write(fixed: DocumentFacts.rank(document.facts.publishedAt))
                    try file.write(fixed: UInt16(clamping: document.titleLength))
                    try file.write(fixed: UInt16(clamping: document.textLength / 4))
                    header.titleLength += document.titleLength
                    header.textLength += document.textLength
                }
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
            case .titles: for title in titles.sorted() { try file.write(fixed: title) }
            case .podcasts:
                for podcast in podcasts {
                    try write(podcast.row, name: names, podcast.id.text.utf8.count, documents: rows, podcast.documents.count)
                    names += podcast.id.text.utf8.count
                    rows += podcast.documents.count
                }
            case .episodes:
                for podcast in podcasts { for document in podcast.documents { try file.write(fixed: UInt32(document)) } }
            case .spoken: try file.write(spoken)
            case .starts: if starts > 0 { for document in documents { try file.write(document.starts) } }
            case .kills:
                for kill in kills {
                    try file.write(fixed: UInt32(kill.segment))
                    try file.write(fixed: UInt32(kill.document))
                }
            case .sums: try file.write(try file.blockSums())
            }
            header.sections[section.rawValue] = (offset, file.count - offset)
        }
        try file.publish(header: header.bytes)
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
    }

    private func write(_ row: PodcastRow, name: Int, _ nameLength: Int, documents: Int, _ count: Int) throws {
        try file.write(fixed: UInt32(name))
        try file.write(fixed: UInt32(nameLength))
        try file.write(fixed: Int64(row.revision))
        try file.write(fixed: row.digest)
        try file.write(fixed: UInt32(documents))
        try file.write(fixed: UInt32(count))
        try file.write(fixed: UInt64(row.isRemoved ? 1 : 0))
    }
}
