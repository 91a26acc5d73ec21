internal import Domain
internal import Memory

/// A segment that is open for reading. `SegmentLayout` describes its format.
///
/// Every number is checked before it is used as an offset, so a damaged file gives wrong answers at worst.
final class Segment {
    let number: Int
    let documents: Int
    let size: Int
    let header: SegmentHeader
    let file: CheckedFile
    /// Parts of `file`.
    private let sections: InlineArray<15, ByteView>

    /// - Throws: `StorageError`; `StorageDamage` if the file does not match the manifest.
    init(_ path: String, _ entry: Manifest.Entry) throws {
        let mapped = try MappedFile(indexFile: path)
        let bytes = ByteView(mapped.bytes)
        guard bytes.count == entry.size, let header = SegmentHeader(bytes) else { throw StorageDamage() }
        sections = InlineArray { bytes.part(header.sections[$0].offset, header.sections[$0].size) }
        let sums = header.sections[SegmentLayout.Section.sums.rawValue]
        let body = bytes.part(SegmentLayout.headerSize, sums.offset - SegmentLayout.headerSize)
        guard let file = CheckedFile(mapped, body.raw, sums: bytes.part(sums.offset, sums.size).raw) else {
            throw StorageDamage()
        }
        self.file = file
        self.header = header
        number = entry.number
        size = entry.size
        documents = header.documents
        if size <= IndexFolder.smallSize { try checkAll() }
    }

    /// Reads and checks the whole segment.
    ///
    /// - Throws: `StorageDamage`.
    func checkAll() throws {
        file.checkAll()
        if file.isDamaged { throw StorageDamage() }
    }

    // MARK: Sections

    /// The bytes of a section, unchecked: code that follows pointers through it must call `file.check`.
    subscript(section: SegmentLayout.Section) -> ByteView { sections[section.rawValue] }

    func part(_ section: SegmentLayout.Section, _ offset: Int, _ size: Int) -> ByteView {
        let part = self[section].part(offset, size)
        if let start = part.baseAddress { file.check(start, part.count) }
        return part
    }

    @inline(__always) func number<T: FixedWidthInteger & BitwiseCopyable>(
        _ section: SegmentLayout.Section, _ offset: Int, as type: T.Type
    ) -> T {
        let bytes = self[section]
        guard let start = bytes.baseAddress, offset >= 0, offset <= bytes.count - MemoryLayout<T>.size else { return 0 }
        file.check(start + offset, MemoryLayout<T>.size)
        return bytes.number(offset, as: type)
    }

    /// The languages of the segment's podcasts.
    private(set) lazy var languages: [Language] = {
        if !header.languages.isEmpty { return header.languages }
        var languages: [Language] = []
        eachTerm(prefix: TermKey(facet: Facet.languages)) { walk in
            if let language = Facet.language(of: walk.term) { languages.append(language) }
            return true
        }
        return languages
    }()

    // MARK: Documents

    /// The publication date in seconds since 1970; 0 if there is none. It never increases from one document to the
    /// next.
    @inline(__always) func published(_ document: Int) -> UInt32 {
        number(.dates, document * SegmentLayout.dateSize, as: UInt32.self)
    }

    /// Codes of the lengths of a document's text (lower byte) and title.
    @inline(__always) func lengths(_ document: Int) -> UInt16 {
        number(.lengths, document * SegmentLayout.lengthSize, as: UInt16.self)
    }

    func facts(_ document: Int) -> DocumentFacts {
        let bytes = part(.facts, document * DocumentFacts.size, DocumentFacts.size)
        return DocumentFacts(
            publishedAt: bytes.number(0, as: Int64.self), firstSeenAt: bytes.number(8, as: Int64.self),
            digest: bytes.number(16, as: UInt64.self), titleHash: bytes.number(24, as: UInt64.self),
            duration: Float(bitPattern: bytes.number(32, as: UInt32.self)),
            podcast: bytes.number(36, as: UInt32.self), name: bytes.number(40, as: UInt32.self),
            nameLength: bytes.number(44, as: UInt32.self), season: Float(bitPattern: bytes.number(48, as: UInt32.self)),
            number: Float(bitPattern: bytes.number(52, as: UInt32.self)))
    }

    func name(_ facts: DocumentFacts) -> ByteView { part(.names, Int(facts.name), Int(facts.nameLength)) }

    func id(of document: Int) -> EpisodeID? {
        let facts = facts(document)
        return EpisodeID(text: podcastID(Int(facts.podcast)).text + "-" + String(decoding: name(facts), as: UTF8.self))
    }

    /// Whether a document comes before one of a newer segment that was published in the same second. As `EpisodeOrder` has it,
    /// the podcast decides, then the numbers; and an episode that was added later comes first.
    func isNewer(_ document: Int, than other: Int, of newer: Segment) -> Bool {
        let (facts, others) = (facts(document), newer.facts(other))
        if facts.publishedAt != others.publishedAt { return facts.publishedAt > others.publishedAt }
        let order = ByteView.order(podcastName(Int(facts.podcast)), newer.podcastName(Int(others.podcast)))
        return order == 0 ? facts.isNewer(than: others) ?? false : order > 0
    }

    /// The first document that is not newer than the given time.
    func firstDocument(notNewerThan time: UInt32) -> Int {
        var (low, high) = (0, documents)
        while low < high {
            let middle = (low + high) / 2
            if published(middle) > time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Documents whose title has this hash.
    func documents(titleHash: UInt64) -> [Int] {
        let wanted = titleHash >> 32
        let titles = self[.titles].count / 8
        func isBefore(_ index: Int) -> Bool { number(.titles, index * 8, as: UInt64.self) >> 32 < wanted }
        // Hashes are uniformly distributed, so the first one is near its share of all.
        var (low, high) = (0, Int((wanted * UInt64(titles)) >> 32))
        var step = 64
        if isBefore(high) {
            low = high + 1
            while low + step < titles, isBefore(low + step) { (low, step) = (low + step + 1, step * 2) }
            high = min(titles, low + step)
        } else {
            while high >= step, !isBefore(high - step) { (high, step) = (high - step, step * 2) }
            low = max(0, high - step + 1)
        }
        while low < high {
            let middle = (low + high) / 2
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        var matches: [Int] = []
        while low < titles, case let entry = number(.titles, low * 8, as: UInt64.self), entry >> 32 == wanted {
            let document = Int(entry & 0xFFFF_FFFF)
            if facts(document).titleHash == titleHash { matches.append(document) }
            low += 1
        }
        return matches
    }

    // MARK: Podcasts

    var podcasts: Int { self[.podcasts].count / SegmentPodcast.size }

    func podcastID(_ row: Int) -> PodcastID { PodcastID(text: String(decoding: podcastName(row), as: UTF8.self)) }

    private func podcastName(_ row: Int) -> ByteView {
        let bytes = part(.podcasts, row * SegmentPodcast.size, SegmentPodcast.size)
        return part(.names, Int(bytes.number(0, as: UInt32.self)), Int(bytes.number(4, as: UInt32.self)))
    }

    func podcast(_ row: Int) -> SegmentPodcast {
        let bytes = part(.podcasts, row * SegmentPodcast.size, SegmentPodcast.size)
        let first = Int(bytes.number(24, as: UInt32.self))
        return SegmentPodcast(
            revision: Int(bytes.number(8, as: Int64.self)), digest: bytes.number(16, as: UInt64.self),
            isRemoved: bytes.number(32, as: UInt8.self) != 0,
            language: Language(code: bytes.part(33, 2)) ?? .undetermined,
            documents: first..<first + Int(bytes.number(28, as: UInt32.self)))
    }

    func row(of podcast: PodcastID) -> Int? {
        podcast.text.withBytes { wanted in
            var (low, high) = (0, podcasts)
            while low < high {
                let middle = (low + high) / 2
                let order = ByteView.order(podcastName(middle), wanted)
                if order == 0 { return middle }
                if order < 0 { low = middle + 1 } else { high = middle }
            }
            return nil
        }
    }

    /// A podcast's documents, in the order of their names.
    func documents(of row: SegmentPodcast) -> [Int] {
        row.documents.clamped(to: 0..<self[.episodes].count / 4).map { Int(number(.episodes, $0 * 4, as: UInt32.self)) }
    }

    /// The document of an episode of the podcast.
    func document(of id: EpisodeID, in row: SegmentPodcast) -> Int? {
        EpisodeName.withBytes(of: id) { document($0, in: row) }
    }

    /// The documents of those episodes that the segment has. Faster if episodes of the same podcast are adjacent.
    func documents(of ids: [EpisodeID]) -> [Int] {
        var (last, row) = (PodcastID?.none, SegmentPodcast?.none)
        return ids.compactMap { id in
            let podcast = id.podcastID
            if podcast != last { (last, row) = (podcast, self.row(of: podcast).map(self.podcast)) }
            return row.flatMap { document(of: id, in: $0) }
        }
    }

    private func document(_ name: ByteView, in row: SegmentPodcast) -> Int? {
        var (low, high) = (row.documents.lowerBound, row.documents.upperBound)
        while low < high {
            let middle = (low + high) / 2
            let document = Int(number(.episodes, middle * 4, as: UInt32.self))
            let order = ByteView.order(self.name(facts(document)), name)
            if order == 0 { return document }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    // MARK: Transcripts and deletions

    /// The time in seconds at which the word at this position of the document's transcript is spoken.
    func start(of document: Int, at position: Int) -> Double? {
        guard let row = spoken(document) else { return nil }
        var start: Double?
        for index in row {
            guard Int(number(.starts, index * 8, as: UInt32.self)) <= position else { break }
            start = Double(Float(bitPattern: number(.starts, index * 8 + 4, as: UInt32.self)))
        }
        return start
    }

    /// The document's range in `starts`.
    func spoken(_ document: Int) -> Range<Int>? {
        var (low, high) = (0, self[.spoken].count / SegmentLayout.spokenSize)
        while low < high {
            let middle = (low + high) / 2
            let bytes = part(.spoken, middle * SegmentLayout.spokenSize, SegmentLayout.spokenSize)
            let spokenDocument = Int(bytes.number(0, as: UInt32.self))
            if spokenDocument == document {
                let first = Int(bytes.number(4, as: UInt32.self))
                return (first..<first + Int(bytes.number(8, as: UInt32.self))).clamped(to: 0..<self[.starts].count / 8)
            }
            if spokenDocument < document { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Deleted documents of older segments.
    ///
    /// - Parameter documents: the number of documents of a segment; 0 for one whose deletions are not wanted.
    func deletions(documents: (_ segment: Int) -> Int) -> Deletions {
        Deletions(part(.deletions, 0, self[.deletions].count), documents: documents)
    }
}
