import Domain
import JSON
import Memory

/// The contents of the log of subscriptions, laid out so that a single record or a short question need not read all of
/// it.
///
/// It is derived, lives in the cache, and is trusted only as far as its checksums and the log itself: its header names
/// the last line of the log that it was made from, and it is valid only while that is still the last line. A record is
/// read from its lines in the log, each checked by its own sum.
///
/// ```
/// header (one checksummed line of JSON) · entries, sorted by id · offsets of lines in the log · titles
/// · sums of the blocks of these three (see `CheckedFile`)
/// ```
struct Catalogue {
    static let version = 3

    /// The catalogue does not match the log or its own checksums. It is ignored and written again.
    struct Unusable: Error {}

    let header: Header
    /// The status of the log file that it matches.
    let status: Disk.Status
    private let disk: Disk
    /// Entries, offsets and titles.
    private let body: UnsafeRawBufferPointer
    private let file: CheckedFile
    private let log: MappedFile

    /// - Throws: `Unusable`.
    init(_ path: String, _ disk: Disk, _ status: Disk.Status) throws {
        guard let file = try? MappedFile(path), let log = try? MappedFile(disk.path(PodcastTable.logName)),
            let end = file.index(of: 0x0A, in: 0..<file.bytes.count)
        else { throw Unusable() }
        let line = Array(file.bytes[...end])
        guard ChecksummedLine.verified(line, line.indices) != nil else { throw Unusable() }
        var header = Header()
        var version = 0
        try? ChecksummedLine.read(line, line.indices) { try header.read($1, from: &$0, version: &version) }
        let bodyEnd = end + 1 + header.size
        guard version == Self.version, header.size >= (header.count * CatalogueEntry.words + header.lines) * 8,
            bodyEnd <= file.bytes.count
        else { throw Unusable() }
        body = UnsafeRawBufferPointer(rebasing: file.bytes[(end + 1)..<bodyEnd])
        let sums = UnsafeRawBufferPointer(rebasing: file.bytes[bodyEnd...])
        guard XXH64.hash(sums) == header.sums, let checked = CheckedFile(file, body, sums: sums),
            status.size == header.anchor.length, log.bytes.count >= header.anchor.length,
            header.lastLine + 24 <= header.anchor.length
        else { throw Unusable() }
        let last = Array(log.bytes[header.lastLine..<header.anchor.length])
        guard ChecksummedLine.stored(last, last.indices) == header.anchor.sum else { throw Unusable() }
        (self.header, self.file, self.log, self.disk, self.status) = (header, checked, log, disk, status)
    }

    /// True if any byte read so far failed its checksum. All answers given until then are invalid.
    var isDamaged: Bool { file.isDamaged }

    /// A part of the body; nil if it is damaged.
    private func part(_ offset: Int, _ size: Int) -> UnsafeRawBufferPointer? {
        guard offset >= 0, size >= 0, offset <= body.count - size, let base = body.baseAddress else { return nil }
        file.check(base + offset, size)
        return isDamaged ? nil : UnsafeRawBufferPointer(start: base + offset, count: size)
    }

    // MARK: Entries

    var entries: some RandomAccessCollection<CatalogueEntry> {
        (0..<header.count).lazy.map { entry($0) }
    }

    /// Bytes read before their memory is given back. A large catalogue takes more memory than everything else that a
    /// short question needs.
    private static let releaseInterval = 1 << 20

    private func eachEntry(_ body: (CatalogueEntry) -> Void) {
        let entriesPerRelease = Self.releaseInterval / (CatalogueEntry.words * 8)
        for index in 0..<header.count {
            body(entry(index))
            if index % entriesPerRelease == entriesPerRelease - 1 { file.forget() }
        }
    }

    private func entry(_ index: Int) -> CatalogueEntry {
        let address = part(index * CatalogueEntry.words * 8, CatalogueEntry.words * 8)?.baseAddress
        return address.map { CatalogueEntry(at: $0) } ?? .unreadable
    }

    private func entry(_ id: PodcastID) -> CatalogueEntry? {
        guard let key = CatalogueEntry.Key(id) else { return nil }
        let index = (0..<header.count).partitioningIndex { entry($0).key >= key }
        guard index < header.count, entry(index).key == key else { return nil }
        return entry(index)
    }

    private func title(_ entry: CatalogueEntry) -> String { String(decoding: titleBytes(entry), as: UTF8.self) }

    private func titleBytes(_ entry: CatalogueEntry) -> UnsafeRawBufferPointer {
        let titlesStart = (header.count * CatalogueEntry.words + header.lines) * 8
        return part(titlesStart + entry.titleRange.lowerBound, entry.titleRange.count)
            ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    // MARK: Records

    /// The record of an entry, read from its lines in the log.
    private func podcast(_ entry: CatalogueEntry, _ secrets: inout [PodcastID: Credentials]?) throws -> Podcast {
        var lines = LogLines()
        for lineIndex in entry.lines {
            guard let offset = part((header.count * CatalogueEntry.words + lineIndex) * 8, 8)?.loadUnaligned(as: UInt64.self)
            else { throw Unusable() }
            do {
                let line = try line(at: Int(truncatingIfNeeded: offset))
                try lines.read(line, line.indices)
            } catch is JSONError {
                throw Unusable()
            }
        }
        guard var podcast = lines.podcasts().first, podcast.id == entry.id else { throw Unusable() }
        guard lines.hasSecret.contains(podcast.id) else { return podcast }
        if secrets == nil {
            var read: [PodcastID: Credentials] = [:]
            _ = try PodcastTable.secrets.read(disk) { try read.read($1, from: &$0) }
            secrets = read
        }
        podcast.credentials = secrets?[podcast.id]
        if podcast.credentials == nil { throw Unusable() }
        return podcast
    }

    /// One line of the log, verified by its checksum, which covers the checksum of the line before it.
    private func line(at offset: Int) throws -> [UInt8] {
        let end = header.anchor.length
        guard offset > 0, offset < end, log.bytes[offset - 1] == 0x0A,
            let newline = log.index(of: 0x0A, in: offset..<end)
        else { throw Unusable() }
        let line = Array(log.bytes[offset...newline])
        var before = offset - 1
        while before > 0, log.bytes[before - 1] != 0x0A { before -= 1 }
        // The checksum of the first line after the header covers the generation instead.
        var previous = UInt64(header.anchor.generation)
        if before > 0 {
            let bytes = Array(log.bytes[before..<offset])
            guard let sum = ChecksummedLine.stored(bytes, bytes.indices) else { throw Unusable() }
            previous = sum
        }
        guard ChecksummedLine.verified(line, line.indices, after: previous) != nil else { throw Unusable() }
        return line
    }

    private func podcasts(_ entries: some Sequence<CatalogueEntry>) throws -> [Podcast] {
        var secrets: [PodcastID: Credentials]?
        return try entries.map { try podcast($0, &secrets) }
    }
}

extension Catalogue: RecordSource {
    var count: Int { header.count }
    var contentRevision: Int { header.contentRevision }
    var lastAddedAt: Timestamp? {
        var last: Timestamp?
        eachEntry { last = [last, $0.lastAddedAt].compactMap(\.self).max() }
        return last
    }
    var lastRemoved: [PodcastID] { header.lastRemoved.filter { !contains($0) } }
    var unsubscribed: Set<PodcastID> { header.unsubscribed }

    func contains(_ id: PodcastID) -> Bool { entry(id) != nil }
    func podcasts(_ ids: [PodcastID]) throws -> [Podcast] { try podcasts(ids.compactMap { entry($0) }) }

    func podcasts(at feedURLs: [String]) throws -> [Podcast] {
        let wanted = Set(feedURLs.map(CatalogueEntry.hash))
        guard !wanted.isEmpty else { return [] }
        var byURL: [String: Podcast] = [:]
        for podcast in try podcasts(entries.filter { wanted.contains($0.feedURL) }) { byURL[podcast.feedURL] = podcast }
        return feedURLs.compactMap { byURL[$0] }
    }

    func podcasts(withIDPrefix prefix: String, limit: Int) throws -> [Podcast] {
        try podcasts(entries(withIDPrefix: prefix).prefix(limit))
    }

    func ids(withPrefix prefix: String) -> [PodcastID] { entries(withIDPrefix: prefix).map(\.id) }

    private func entries(withIDPrefix prefix: String) -> some Sequence<CatalogueEntry> {
        let key = CatalogueEntry.Key(PodcastID(text: prefix))
        let first = key.map { key in (0..<header.count).partitioningIndex { entry($0).key >= key } } ?? header.count
        return (first..<header.count).lazy.map { entry($0) }.prefix { $0.id.text.hasPrefix(prefix) }
    }

    func podcasts(titled name: TitleName, limit: Int) throws -> [Podcast] {
        // A channel title that the owner replaced is only in the record.
        var hidden: [Int] = []
        let fitting = TitleName.best(among: 0..<header.count) { index in
            let entry = entry(index)
            let titles = entry.titles
            if titles.channel != 0 && titles.channel != titles.own { hidden.append(index) }
            return name.mayFit(titleBytes(entry).bindMemory(to: UInt8.self).span) ? name.fit(title(entry)) : nil
        }
        let candidates = try podcasts(Set(fitting + hidden).sorted().map { entry($0) })
        return Array(TitleName.best(among: candidates, fit: name.fit).prefix(limit))
    }

    func page(of listing: PodcastListing, after last: Podcast?, limit: Int) throws -> [Podcast] {
        if listing == .all {
            let key = last.flatMap { CatalogueEntry.Key($0.id) }
            let first = key.map { key in (0..<header.count).partitioningIndex { entry($0).key > key } } ?? 0
            return try podcasts((first..<header.count).prefix(limit).map { entry($0) })
        }
        let remaining = entries.filter { entry in
            listing.includes(entry) && (last.map { listing.isBefore($0, entry) } ?? true)
        }
        return try podcasts(Array(remaining).sorted { listing.isBefore($0, $1) }.prefix(limit))
    }

    func overview(now: Timestamp) -> LibraryOverview {
        var overview = LibraryOverview()
        var troubled: [(title: String, id: PodcastID)] = []
        eachEntry { entry in
            let facts = entry.health
            let health = Health(of: facts, now: now)
            overview.count(
                health, episodes: entry.episodeCount, isFailing: facts.failingSince != nil || facts.isGone, dueAt: entry.dueAt)
            if health.needsAttention { troubled.append((title(entry), entry.id)) }
        }
        overview.setNeedingAttention(troubled)
        return overview
    }

    func changes(since revision: Int) -> LibraryChanges? {
        guard revision >= header.forgottenRevision, revision <= header.contentRevision else { return nil }
        var changes = LibraryChanges(revision: header.contentRevision)
        for entry in entries where entry.contentRevision > revision { changes.changed[entry.id] = entry.contentRevision }
        changes.removed = Set(header.removedAt.filter { $0.revision > revision && !contains($0.id) }.map(\.id))
        return changes
    }

    func fileRecord(_ id: PodcastID) -> PodcastTable.FileRecord {
        let revision = entry(id)?.episodesRevision ?? 0
        return PodcastTable.FileRecord(
            folder: revision > 0 ? EpisodeFiles.folder : header.unsubscribed.contains(id) ? EpisodeFiles.keptFolder : nil,
            revision: revision,
            removals: PodcastTable.Removals(generation: header.anchor.generation, count: header.removals))
    }

    func forEachDue(_ body: (PodcastID, Schedule.DueFacts, _ host: UInt64) -> Void) {
        eachEntry { body($0.id, $0.due, $0.host) }
    }
}
