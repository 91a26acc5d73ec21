internal import Domain

/// A segment is a file of the index that is never changed: documents, one for each episode, and the terms in them.
///
/// ```
/// header    magic, numbers, place and size of each section, hash of the header
/// postings  for each term, in the order of the dictionary: where it stands
/// terms     the dictionary: blocks of 32 terms, each as the bytes that differ from the one before
/// blocks    for each block: where it begins in `terms`, and its first term's postings in `postings`
/// ranks     for each document: publication (seconds since 1970, 4 bytes), length of title (2), of text (2, in fours)
/// facts     for each document: everything else of fixed size (see `DocumentFacts`)
/// names     ids of episodes without their podcast's, and ids of podcasts
/// titles    hash of the title's words (upper 4 bytes) and document (lower 4), in order
/// podcasts  for each podcast that the segment knows of (see `PodcastRow`), in the order of ids
/// episodes  each podcast's documents, in the order of names
/// spoken    for each document with a transcript: document, first of `starts`, how many
/// starts    pairs of a position in the transcript's words, and its second
/// kills     pairs of an older segment's number and a document of it that holds no longer
/// sums      of all between the header and here (see `BlockSums`)
/// ```
/// Documents are in the order of their dates, newest first: the first matches of a term are its newest.
///
/// A posting is a document and what stands there. Documents are told by their distance to the one before, shifted left
/// with the lowest bit set; occurrences by the position, or its distance to the one before in the same column, shifted
/// left by two. Their second bit says that a byte with another column follows; the first column is `Column.text`. A
/// term in more than 128 documents begins with a table of skips: for each 128 documents the last document before them
/// and the place of the next (4 bytes each).
///
/// Numbers are little-endian.
enum SegmentLayout {
    static let magic: UInt64 = 0x3158_444E_494D_494A  // "JIMINDX1"
    static let headerSize = 512
    static let termsPerBlock = 32
    static let documentsPerSkip = 128
    static let rankSize = 8
    static let blockSize = 16
    static let spokenSize = 12

    enum Section: Int, CaseIterable {
        case postings, terms, blocks, ranks, facts, names, titles, podcasts, episodes, spoken, starts, kills, sums
    }
}

/// The header, as numbers of eight bytes.
struct SegmentHeader {
    var documents = 0
    var terms = 0
    /// Bytes of all titles, and of all other text: what is usual, for ranking.
    var titleLength = 0
    var textLength = 0
    var sections = [(offset: Int, size: Int)](repeating: (0, 0), count: SegmentLayout.Section.allCases.count)

    private var numbers: [UInt64] {
        [SegmentLayout.magic] + [documents, terms, titleLength, textLength].map { UInt64($0) }
            + sections.flatMap { [UInt64($0.offset), UInt64($0.size)] }
    }

    init() {}

    /// The header as it is written: zeros up to its size, the last eight bytes a hash of those before.
    var bytes: ByteBuffer {
        let buffer = ByteBuffer(capacity: SegmentLayout.headerSize)
        for number in numbers { buffer.append(fixed: number) }
        while buffer.count < SegmentLayout.headerSize - 8 { buffer.append(fixed: UInt8(0)) }
        buffer.append(fixed: XXH64.hash(buffer.bytes))
        return buffer
    }

    /// nil where the numbers are not those of a segment of this size.
    init?(_ file: UnsafeRawBufferPointer) {
        let hashPlace = SegmentLayout.headerSize - 8
        guard file.count >= SegmentLayout.headerSize,
            XXH64.hash(file.part(0, hashPlace)) == file.number(hashPlace, as: UInt64.self)
        else { return nil }
        let numbers = SegmentHeader().numbers.indices.map { file.number($0 * 8, as: UInt64.self) }
        guard numbers[0] == SegmentLayout.magic else { return nil }
        documents = Int(truncatingIfNeeded: numbers[1])
        terms = Int(truncatingIfNeeded: numbers[2])
        titleLength = Int(truncatingIfNeeded: numbers[3])
        textLength = Int(truncatingIfNeeded: numbers[4])
        for index in sections.indices {
            sections[index] = (Int(truncatingIfNeeded: numbers[5 + index * 2]), Int(truncatingIfNeeded: numbers[6 + index * 2]))
            guard file.part(sections[index].offset, sections[index].size).count == sections[index].size else { return nil }
        }
    }
}

/// What is known of a document besides its words: 48 bytes.
struct DocumentFacts {
    static let size = 48

    /// Seconds since 1970; `Int64.min` where there is no date.
    var publishedAt: Int64
    var firstSeenAt: Int64
    /// Of everything that is indexed: whether a change is one for the index.
    var digest: UInt64
    var titleHash: UInt64
    /// Seconds; NaN where unknown.
    var duration: Float
    /// Its number in the section `podcasts`.
    var podcast: UInt32
    var name: UInt32
    var nameLength: UInt32

    /// `publishedAt` as ranking and order see it: 0 where there is no date.
    static func rank(_ publishedAt: Int64) -> UInt32 {
        publishedAt == .min ? 0 : UInt32(clamping: max(1, publishedAt))
    }
}

/// What a segment says of a podcast; that of the newest segment holds.
struct PodcastRow {
    static let size = 40

    var revision = 0
    /// Of what every episode of the podcast is indexed with.
    var digest: UInt64 = 0
    var isRemoved = false
    /// Its documents in this segment: places in the section `episodes`.
    var documents = 0..<0
}
