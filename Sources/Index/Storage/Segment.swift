internal import Domain

/// A segment that is open for reading. See `SegmentLayout` for what is where.
///
/// Every number is checked before it is followed: a damaged file gives wrong answers at worst.
final class Segment: Sendable {
    let number: Int
    let documents: Int
    let header: SegmentHeader
    private let file: MappedFile
    private let sections: Sections

    /// The parts of the file. Unchecked, because pointers say nothing of threads: the bytes are constant, and live as
    /// long as `file`.
    private struct Sections: @unchecked Sendable {
        var parts: [UnsafeRawBufferPointer]
    }

    /// - Throws: `StorageError`; `StorageDamage` where it is not what the manifest says.
    init(_ path: String, _ entry: Manifest.Entry) throws {
        file = try MappedFile(path)
        guard file.bytes.count == entry.size, let header = SegmentHeader(file.bytes) else { throw StorageDamage() }
        if entry.size <= IndexFolder.smallSize {
            let body = file.bytes.part(SegmentLayout.headerSize, entry.size - SegmentLayout.headerSize)
            guard XXH64.hash(body) == header.bodyHash else { throw StorageDamage() }
        }
        let bytes = file.bytes
        sections = Sections(parts: header.sections.map { bytes.part($0.offset, $0.size) })
        self.header = header
        number = entry.number
        documents = header.documents
    }

    var size: Int { file.bytes.count }

    subscript(section: SegmentLayout.Section) -> UnsafeRawBufferPointer { sections.parts[section.rawValue] }

    // MARK: Documents

    /// Seconds since 1970 of the publication; 0 where there is no date. Never grows from one document to the next.
    func published(_ document: Int) -> UInt32 { self[.ranks].number(document * SegmentLayout.rankSize, as: UInt32.self) }

    /// In bytes, about.
    func titleLength(_ document: Int) -> Int { Int(self[.ranks].number(document * SegmentLayout.rankSize + 4, as: UInt16.self)) }
    func textLength(_ document: Int) -> Int { Int(self[.ranks].number(document * SegmentLayout.rankSize + 6, as: UInt16.self)) * 4 }

    func facts(_ document: Int) -> DocumentFacts {
        let (bytes, place) = (self[.facts], document * DocumentFacts.size)
        return DocumentFacts(
            publishedAt: bytes.number(place, as: Int64.self), firstSeenAt: bytes.number(place + 8, as: Int64.self),
            digest: bytes.number(place + 16, as: UInt64.self), titleHash: bytes.number(place + 24, as: UInt64.self),
            duration: Float(bitPattern: bytes.number(place + 32, as: UInt32.self)),
            podcast: bytes.number(place + 36, as: UInt32.self), name: bytes.number(place + 40, as: UInt32.self),
            nameLength: bytes.number(place + 44, as: UInt32.self))
    }

    func name(_ facts: DocumentFacts) -> UnsafeRawBufferPointer { self[.names].part(Int(facts.name), Int(facts.nameLength)) }

    func id(of document: Int) -> EpisodeID? {
        let facts = facts(document)
        return EpisodeID(text: "\(podcastID(Int(facts.podcast)))-\(String(decoding: name(facts), as: UTF8.self))")
    }

    /// The first document that is not newer than this time.
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
        let bytes = self[.titles]
        let wanted = titleHash >> 32
        var (low, high) = (0, bytes.count / 8)
        while low < high {
            let middle = (low + high) / 2
            if bytes.number(middle * 8, as: UInt64.self) >> 32 < wanted { low = middle + 1 } else { high = middle }
        }
        var found: [Int] = []
        while low < bytes.count / 8, case let entry = bytes.number(low * 8, as: UInt64.self), entry >> 32 == wanted {
            let document = Int(entry & 0xFFFF_FFFF)
            if facts(document).titleHash == titleHash { found.append(document) }
            low += 1
        }
        return found
    }

    // MARK: Podcasts

    var podcasts: Int { self[.podcasts].count / PodcastRow.size }

    func podcastID(_ row: Int) -> PodcastID { PodcastID(text: String(decoding: podcastName(row), as: UTF8.self)) }

    private func podcastName(_ row: Int) -> UnsafeRawBufferPointer {
        let (bytes, place) = (self[.podcasts], row * PodcastRow.size)
        return self[.names].part(Int(bytes.number(place, as: UInt32.self)), Int(bytes.number(place + 4, as: UInt32.self)))
    }

    func podcast(_ row: Int) -> PodcastRow {
        let (bytes, place) = (self[.podcasts], row * PodcastRow.size)
        let first = Int(bytes.number(place + 24, as: UInt32.self))
        return PodcastRow(
            revision: Int(bytes.number(place + 8, as: Int64.self)), digest: bytes.number(place + 16, as: UInt64.self),
            isRemoved: bytes.number(place + 32, as: UInt32.self) != 0,
            documents: first..<first + Int(bytes.number(place + 28, as: UInt32.self)))
    }

    func row(of podcast: PodcastID) -> Int? {
        var text = podcast.text
        return text.withUTF8 { wanted in
            let wanted = UnsafeRawBufferPointer(wanted)
            var (low, high) = (0, podcasts)
            while low < high {
                let middle = (low + high) / 2
                let order = UnsafeRawBufferPointer.order(podcastName(middle), wanted)
                if order == 0 { return middle }
                if order < 0 { low = middle + 1 } else { high = middle }
            }
            return nil
        }
    }

    /// A podcast's documents, in the order of names.
    func documents(of row: PodcastRow) -> [Int] {
        row.documents.clamped(to: 0..<self[.episodes].count / 4).map { Int(self[.episodes].number($0 * 4, as: UInt32.self)) }
    }

    /// The document of the podcast with this name.
    func document(_ name: UnsafeRawBufferPointer, of row: PodcastRow) -> Int? {
        var (low, high) = (row.documents.lowerBound, row.documents.upperBound)
        while low < high {
            let middle = (low + high) / 2
            let document = Int(self[.episodes].number(middle * 4, as: UInt32.self))
            let order = UnsafeRawBufferPointer.order(self.name(facts(document)), name)
            if order == 0 { return document }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    // MARK: Transcripts and kills

    /// The second at which the word at this position of the document's transcript is spoken.
    func start(of document: Int, at position: Int) -> Double? {
        guard let row = spoken(document) else { return nil }
        var start: Double?
        for index in row {
            guard Int(self[.starts].number(index * 8, as: UInt32.self)) <= position else { break }
            start = Double(Float(bitPattern: self[.starts].number(index * 8 + 4, as: UInt32.self)))
        }
        return start
    }

    /// Where the document's part of `starts` is.
    func spoken(_ document: Int) -> Range<Int>? {
        let bytes = self[.spoken]
        var (low, high) = (0, bytes.count / SegmentLayout.spokenSize)
        while low < high {
            let middle = (low + high) / 2
            let place = middle * SegmentLayout.spokenSize
            let found = Int(bytes.number(place, as: UInt32.self))
            if found == document {
                let first = Int(bytes.number(place + 4, as: UInt32.self))
                return (first..<first + Int(bytes.number(place + 8, as: UInt32.self))).clamped(to: 0..<self[.starts].count / 8)
            }
            if found < document { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Documents of older segments that hold no longer.
    var kills: [(segment: Int, document: Int)] {
        stride(from: 0, to: self[.kills].count, by: 8).map {
            (Int(self[.kills].number($0, as: UInt32.self)), Int(self[.kills].number($0 + 4, as: UInt32.self)))
        }
    }
}
