internal import Domain
internal import Memory

/// A segment is an immutable file of the index: documents, one per episode, and their terms.
///
/// ```
/// header    magic, numbers, offset and size of each section, languages, hash of the header
/// postings  for each term, in the order of the dictionary: its positions in each document, the table of its blocks,
///           and the blocks
/// terms     the dictionary: blocks of about 1 kB (see below)
/// blocks    for each of them: the first 16 bytes of its first term, and its offset in `terms` (8 bytes)
/// tops      the first 16 bytes of every 64th entry of `blocks`
/// lengths   for each document: code of the length of its text (1 byte) and of its title (1), see `LengthCode`
/// dates     for each document: publication (seconds since 1970, 4 bytes; 0: no date)
/// facts     for each document: everything else of fixed size (see `DocumentFacts`)
/// names     ids of episodes without their podcasts' ids, and ids of podcasts
/// titles    hash of the title's words (upper 4 bytes) and document (lower 4), sorted
/// podcasts  for each podcast in the segment (see `SegmentPodcast`), in the order of ids
/// episodes  each podcast's documents, in the order of names
/// spoken    for each document with a transcript: the document, its first index in `starts`, and their number
/// starts    pairs of a position in the transcript's words and its time in seconds
/// forms     words that are forms of one word (see `WordFormList`)
/// deletions deleted documents of older segments (see `Deletions`)
/// sums      checksums of everything between the header and this section (see `BlockSums`)
/// ```
/// Documents are in the order of their dates, newest first.
///
/// A block of the dictionary contains the number of its terms (2 bytes), the offset of their facts (2), the offset of
/// the first term's postings (8); for each term the number of bytes that it shares with the previous one, the number of
/// its other bytes, and these bytes; for each term the number of its documents, the size of its positions, and the size
/// of its table and blocks.
///
/// Postings are divided into blocks of 128 documents, the last with fewer. A block contains the distances between the
/// documents, minus one, packed (see `BitPacking`), and the distinct frequencies in it (see `TermFrequency`), three
/// bytes each, with the index of each document's frequency among them, packed. It is preceded by the number of bits of
/// a distance and the number of distinct frequencies, one byte each. The last block contains for each document the
/// distance, shifted left by one, and if the lowest bit is set the frequency; otherwise that is `TermFrequency.once`.
/// Positions (see `PositionsWriter`) follow one another; if the frequency does not determine their number, they are
/// preceded by their size in bytes. A position is left out between two texts of a column, so that no phrase goes from one
/// to the next; for those of compounds see `Column`.
///
/// If a term has several blocks, a table contains the last document of each, the offsets of all blocks after it, the
/// offsets of their positions (4 bytes each), and the greatest weight of the term in any document of each (2; see
/// `PostingsTable`): a search skips blocks that cannot contain better hits than it already has.
///
/// Numbers are little-endian; those without a fixed size are written by `Varint`.
enum SegmentLayout {
    static let magic: UInt64 = 0x3558_444E_494D_494A  // "JIMINDX5"
    static let headerSize = 512
    static let lengthSize = 2
    static let dateSize = 4
    static let spokenSize = 12

    enum Section: Int, CaseIterable {
        case postings, terms, blocks, tops, lengths, dates, facts, names, titles, podcasts, episodes, spoken, starts
        case forms, deletions, sums
    }
}

/// The header: numbers of eight bytes, then the number of languages and their codes, two bytes each.
struct SegmentHeader {
    var documents = 0
    var terms = 0
    /// Total length in bytes of all titles, and of all other text, by their codes; their averages are used for ranking.
    var titleLength = 0
    var textLength = 0
    var sections = [(offset: Int, size: Int)](repeating: (0, 0), count: SegmentLayout.Section.allCases.count)
    /// The languages of the podcasts; none if they are too many for the header.
    var languages: [Language] = []

    private static let maxLanguages = 96

    /// Average lengths per document.
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

    /// The header as written: padded with zeros, with a hash of everything before in the last eight bytes.
    var bytes: GrowingBytes {
        var buffer = GrowingBytes(capacity: SegmentLayout.headerSize)
        for number in numbers { buffer.append(fixed: number) }
        let languages = languages.count <= Self.maxLanguages ? languages : []
        buffer.append(fixed: UInt16(languages.count))
        for language in languages {
            buffer.append(fixed: language.bytes.0)
            buffer.append(fixed: language.bytes.1)
        }
        while buffer.count < SegmentLayout.headerSize - 8 { buffer.append(0) }
        buffer.append(fixed: XXH64.hash(buffer.view))
        return buffer
    }

    /// nil if this is not the header of a segment of this size.
    init?(_ file: ByteView) {
        let hashOffset = SegmentLayout.headerSize - 8
        guard file.count >= SegmentLayout.headerSize,
            XXH64.hash(file.part(0, hashOffset)) == file.number(hashOffset, as: UInt64.self)
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
        let start = numbers.count * 8
        let count = min(Int(file.number(start, as: UInt16.self)), Self.maxLanguages)
        languages = (0..<count).compactMap { Language(code: file.part(start + 2 + $0 * 2, 2)) }
    }
}

/// The facts about a document besides its words: 56 bytes.
struct DocumentFacts {
    static let size = 56

    /// Seconds since 1970; `Int64.min` if there is no date.
    var publishedAt: Int64
    var firstSeenAt: Int64
    /// Digest of everything that is indexed; shows if a changed episode must be indexed again.
    var digest: UInt64
    var titleHash: UInt64
    /// Seconds; NaN if unknown.
    var duration: Float
    /// Its row in the section `podcasts`.
    var podcast: UInt32
    var name: UInt32
    var nameLength: UInt32
    /// They order a podcast's documents of one date; -infinity if the feed has none.
    var season: Float
    var number: Float

    /// Whether it is of a newer episode than another one of the podcast with the same date, as `EpisodeOrder` has it. nil if
    /// only their places in the feed tell.
    func isNewer(than other: DocumentFacts) -> Bool? {
        let (own, others) = ((season, number, firstSeenAt), (other.season, other.number, other.firstSeenAt))
        return own == others ? nil : own > others
    }

    /// `publishedAt` in the form used for ranking and sorting: 0 if there is no date.
    static func rank(_ publishedAt: Int64) -> UInt32 {
        publishedAt == .min ? 0 : UInt32(clamping: max(1, publishedAt))
    }
}

/// A segment's row of a podcast; that of the newest segment is valid.
struct SegmentPodcast {
    static let size = 40

    var revision = 0
    /// Digest of everything that all episodes of the podcast are indexed with.
    var digest: UInt64 = 0
    var isRemoved = false
    /// The language by whose rules its words have forms.
    var language = Language.undetermined
    /// Its documents in this segment, as a range in the section `episodes`.
    var documents = 0..<0
}
