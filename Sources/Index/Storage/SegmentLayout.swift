internal import Domain

/// A segment is a file of the index that is never changed: documents, one for each episode, and the terms in them.
///
/// ```
/// header    magic, numbers, place and size of each section, hash of the header
/// postings  for each term, in the order of the dictionary: where it stands in each document, the table of its blocks,
///           and the blocks
/// terms     the dictionary: blocks of about 1 kB (see below)
/// blocks    for each of them: the first 16 bytes of its first term, and where it begins in `terms` (8 bytes)
/// tops      of each 64 of `blocks`, the 16 bytes of the first
/// lengths   for each document: code of the length of its text (1 byte) and of its title (1), see `LengthCode`
/// dates     for each document: publication (seconds since 1970, 4 bytes; 0: no date)
/// facts     for each document: everything else of fixed size (see `DocumentFacts`)
/// names     ids of episodes without their podcast's, and ids of podcasts
/// titles    hash of the title's words (upper 4 bytes) and document (lower 4), in order
/// podcasts  for each podcast that the segment knows of (see `PodcastRow`), in the order of ids
/// episodes  each podcast's documents, in the order of names
/// spoken    for each document with a transcript: document, first of `starts`, how many
/// starts    pairs of a position in the transcript's words, and its second
/// forms     which words are forms of one word (see `WordFormList`)
/// deletions pairs of an older segment's number and a document of it that is deleted
/// sums      of all between the header and here (see `BlockSums`)
/// ```
/// Documents are in the order of their dates, newest first.
///
/// A block of the dictionary is the number of its terms (2 bytes), where their facts begin (2), the place of the first
/// term's postings (8); for each term the number of bytes that it shares with the one before, of its other bytes, and
/// these; for each term the number of its documents, of bytes of its positions, and of bytes of its table and blocks.
///
/// Postings are in blocks of 128 documents, the last with fewer. A block has the distances of the documents, less one,
/// packed (see `BitPacking`), and the different frequencies in it (see `TermFrequency`), three bytes each, with the
/// number of each document's frequency among them, packed. Before it stand the bits of a distance, and how many
/// different frequencies there are, one byte each. The last block has for each document the distance, shifted left
/// by one, and where the lowest bit is set the frequency, unless that is `TermFrequency.once`. Positions (see
/// `PositionsWriter`) follow one another; where the frequency does not tell how many there are, their size in bytes stands
/// before them.
///
/// Where a term has several blocks, a table has the last document of each, the places of all blocks behind it, those of
/// their positions (4 bytes each), and the most that the term weighs in any document of each (2; see `PostingsTable`):
/// a search passes over blocks that cannot hold what is better than what it has.
///
/// Numbers are little-endian; those of no fixed size are written by `Varint`.
enum SegmentLayout {
    static let magic: UInt64 = 0x3358_444E_494D_494A  // "JIMINDX3"
    static let headerSize = 512
    static let lengthSize = 2
    static let dateSize = 4
    static let spokenSize = 12

    enum Section: Int, CaseIterable {
        case postings, terms, blocks, tops, lengths, dates, facts, names, titles, podcasts, episodes, spoken, starts
        case forms, deletions, sums
    }
}

/// The header, as numbers of eight bytes.
struct SegmentHeader {
    var documents = 0
    var terms = 0
    /// Bytes of all titles, and of all other text, by their codes: what is usual, for ranking.
    var titleLength = 0
    var textLength = 0
    var sections = [(offset: Int, size: Int)](repeating: (0, 0), count: SegmentLayout.Section.allCases.count)

    /// Of a document.
    var usualLengths: (title: Double, text: Double) {
        let count = Double(max(1, documents))
        return (Double(titleLength) / count, Double(textLength) / count)
    }

    var usualWeights: FrequencyWeights {
        FrequencyWeights(averageTitle: usualLengths.title, averageText: usualLengths.text)
    }

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
    /// The language that its documents' words have their forms in.
    var language = Language.undetermined
    /// Its documents in this segment: places in the section `episodes`.
    var documents = 0..<0
}
