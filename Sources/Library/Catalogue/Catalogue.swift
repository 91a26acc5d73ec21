import Addresses
import Domain
import JSON
import Memory
import Records

/// The contents of the log of subscriptions, laid out so that a single record or a short question need not read all of
/// it.
///
/// It is derived, lives in the cache, and is trusted only as far as its checksums and the log itself: its header names
/// the last line of the log that it was made from, and it is valid only while that is still the last line. A record is
/// read from its lines in the log, each checked by its own sum.
///
/// A writer that changes records appends them to the log through the catalogue, which remains valid in its memory, and
/// writes the file again when it has finished.
///
/// ```
/// header (one checksummed line of JSON) · entries, sorted by id · offsets of lines in the log · titles
/// · sums of the blocks of these three (see `CheckedFile`)
/// ```
struct Catalogue {
    static let version = 4

    /// The catalogue does not match the log or its own checksums. It is ignored and written again.
    struct Unusable: Error {}

    private(set) var header: Header
    /// The status of the log file that it matches.
    private(set) var status: Disk.Status
    private(set) var log: RecordLog
    /// nil until it is needed.
    private(set) var mirror: RecordLog?
    private var changed: ChangedEntries?
    private let disk: Disk
    /// Entries, offsets and titles.
    private let body: UnsafeRawBufferPointer
    private let file: CheckedFile
    private var logFile: MappedFile

    /// - Throws: `Unusable`.
    init(_ path: String, _ disk: Disk, _ status: Disk.Status) throws {
        guard let file = try? MappedFile(path), let logFile = try? MappedFile(disk.path(PodcastTable.logName)),
            let end = file.index(of: 0x0A, in: 0..<file.bytes.count)
        else { throw Unusable() }
        let line = Array(file.bytes[...end])
        guard ChecksummedLine.verified(line, line.indices) != nil else { throw Unusable() }
        var header = Header()
        try? ChecksummedLine.read(line, line.indices) { try header.read($1, from: &$0) }
        let bodyEnd = end + 1 + header.size
        guard header.version == Self.version, header.titleBytes >= 0, bodyEnd <= file.bytes.count else { throw Unusable() }
        body = UnsafeRawBufferPointer(rebasing: file.bytes[(end + 1)..<bodyEnd])
        let sums = UnsafeRawBufferPointer(rebasing: file.bytes[bodyEnd...])
        guard XXH64.hash(sums) == header.sums, let checked = CheckedFile(file, body, sums: sums),
            status.size == header.anchor.length, logFile.bytes.count >= header.anchor.length,
            header.lastLine + 24 <= header.anchor.length
        else { throw Unusable() }
        let last = Array(logFile.bytes[header.lastLine..<header.anchor.length])
        guard ChecksummedLine.stored(last, last.indices) == header.anchor.sum else { throw Unusable() }
        log = RecordLog(
            name: PodcastTable.logName, anchor: header.anchor, headerRevision: header.forgottenRevision,
            firstLength: header.firstLength)
        (self.header, self.file, self.logFile, self.disk, self.status) = (header, checked, logFile, disk, status)
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

    func eachEntry(_ body: (CatalogueEntry) -> Void) {
        let entriesPerRelease = Self.releaseInterval / (CatalogueEntry.words * 8)
        for index in 0..<header.count {
            body(entry(index))
            if index % entriesPerRelease == entriesPerRelease - 1 { file.forget() }
        }
    }

    func entry(_ index: Int) -> CatalogueEntry {
        if let entry = changed?[index] { return entry }
        let address = part(index * CatalogueEntry.words * 8, CatalogueEntry.words * 8)?.baseAddress
        return address.map { CatalogueEntry(at: $0) } ?? .unreadable
    }

    func entry(_ id: PodcastID) -> CatalogueEntry? { index(of: id).map { entry($0) } }

    private func index(of id: PodcastID) -> Int? {
        guard let key = CatalogueEntry.Key(id) else { return nil }
        let index = (0..<header.count).partitioningIndex { entry($0).key >= key }
        return index < header.count && entry(index).key == key ? index : nil
    }

    func title(_ entry: CatalogueEntry) -> String { String(decoding: titleBytes(entry), as: UTF8.self) }

    func titleBytes(_ entry: CatalogueEntry) -> UnsafeRawBufferPointer {
        if let title = changed?.title(entry.titleRange) { return title }
        return part(header.titlesStart + entry.titleRange.lowerBound, entry.titleRange.count)
            ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    // MARK: Records

    /// The record of an entry, read from its lines in the log.
    private func podcast(_ entry: CatalogueEntry, _ secrets: inout [PodcastID: Credentials]?) throws -> Podcast {
        var members = LatestMembers(of: entry.id)
        var isEmpty = true
        for offset in try offsets(of: entry).reversed() {
            do {
                let line = try line(at: offset)
                guard try members.read(line, line.indices) else { break }
            } catch is JSONError {
                throw Unusable()
            }
            isEmpty = false
        }
        guard !isEmpty else { throw Unusable() }
        var (podcast, hasPassword) = members.record()
        guard hasPassword else { return podcast }
        if secrets == nil {
            var read: [PodcastID: Credentials] = [:]
            _ = try PodcastTable.secrets.read(disk) { try read.read($1, from: &$0) }
            secrets = read
        }
        podcast.credentials = secrets?[podcast.id]
        if podcast.credentials == nil { throw Unusable() }
        return podcast
    }

    /// Offsets of the podcast's lines in the log.
    private func offsets(of entry: CatalogueEntry) throws -> [Int] {
        try entry.lines.map {
            if let offset = changed?.offset(ofLine: $0) { return offset }
            guard let offset = part((header.count * CatalogueEntry.words + $0) * 8, 8)?.loadUnaligned(as: UInt64.self) else {
                throw Unusable()
            }
            return Int(truncatingIfNeeded: offset)
        }
    }

    /// One line of the log, verified by its checksum, which covers the checksum of the line before it.
    private func line(at offset: Int) throws -> [UInt8] {
        let end = log.anchor.length
        guard offset > 0, offset < end, logFile.bytes[offset - 1] == 0x0A,
            let newline = logFile.index(of: 0x0A, in: offset..<end)
        else { throw Unusable() }
        let line = Array(logFile.bytes[offset...newline])
        let before = logFile.lastIndex(of: 0x0A, before: offset - 1).map { $0 + 1 } ?? 0
        // The checksum of the first line after the header covers the generation instead.
        var previous = UInt64(log.anchor.generation)
        if before > 0 {
            let opening = Array(logFile.bytes[before..<offset].prefix(ChecksummedLine.minLength))
            guard let sum = ChecksummedLine.stored(opening, opening.indices) else { throw Unusable() }
            previous = sum
        }
        guard ChecksummedLine.verified(line, line.indices, after: previous) != nil else { throw Unusable() }
        return line
    }

    func podcasts(_ entries: some Sequence<CatalogueEntry>) throws -> [Podcast] {
        var secrets: [PodcastID: Credentials]?
        return try entries.map { try podcast($0, &secrets) }
    }
}

// MARK: - Changes

extension Catalogue {
    /// A change of a record, and the stored one that it replaces.
    struct Change {
        let podcast: Podcast
        let earlier: Podcast
    }

    /// True if there are changes that the catalogue's file does not have.
    var isChanged: Bool { changed != nil }

    /// Appends changed records to the log and its mirror, as `PodcastTable.save` does with all records in memory.
    ///
    /// - Parameters:
    ///   - mirrorAnchor: the anchor that the mirror must have reached.
    ///   - mayGrow: true if the log may be appended to although it is due to be rewritten.
    /// - Returns: false, and nothing is written, if a file must be rewritten: then all records are needed.
    mutating func append(_ changes: [Change], mirrorAnchor: LogAnchor?, mayGrow: Bool) throws -> Bool {
        let changes = changes.filter { $0.podcast != $0.earlier }
        let mirrored = changes.filter { PodcastRecord.subscriptionDiffers($0.podcast, since: $0.earlier) }
        guard mayGrow || !log.mustBeRewritten, changes.allSatisfy({ $0.podcast.credentials == $0.earlier.credentials }) else {
            return false
        }
        // The mirror is written first: it may be ahead of the log, never behind.
        if !mirrored.isEmpty {
            var mirror = try self.mirror ?? loadedMirror(mirrorAnchor)
            guard !mirror.mustBeRewritten else { return false }
            try mirror.append(disk) { lines in
                for change in mirrored { lines.addSubscription(change.podcast, since: change.earlier) }
            }
            self.mirror = mirror
        }
        let start = log.anchor.length
        var offsets: [Int] = []
        try log.append(disk) { lines in
            for change in changes {
                offsets.append(start + lines.count)
                lines.add(change.podcast, since: change.earlier)
            }
        }
        take(changes, offsets)
        return true
    }

    private func loadedMirror(_ anchor: LogAnchor?) throws -> RecordLog {
        var mirror = RecordLog(name: PodcastTable.mirrorName)
        try mirror.load(disk, from: anchor, line: { _, _ in }, damaged: { _ in })
        return mirror
    }

    /// Takes over what was appended to the log. If it cannot, the catalogue no longer matches the log.
    private mutating func take(_ changes: [Change], _ offsets: [Int]) {
        guard let lastLine = offsets.last else { return }
        let changed = self.changed ?? ChangedEntries(header)
        self.changed = changed
        for (change, offset) in zip(changes, offsets) {
            guard let index = index(of: change.podcast.id) else { return }
            let entry = entry(index)
            guard let earlier = try? self.offsets(of: entry) else { return }
            changed.set(index, change, offsets: earlier + [offset], over: entry)
            header.contentRevision = max(header.contentRevision, change.podcast.contentRevision)
        }
        (header.anchor, header.lastLine, header.lastRemoved) = (log.anchor, lastLine, [])
        guard let status = try? disk.status(log.name), let logFile = try? MappedFile(disk.path(log.name)) else { return }
        (self.status, self.logFile) = (status, logFile)
    }

    /// The whole catalogue with all changes, as bytes of its file; nil if a part of it is damaged.
    func bytes() -> [UInt8]? {
        var rows = CatalogueRows(capacity: header.count)
        for index in 0..<header.count {
            let entry = entry(index)
            guard let offsets = try? offsets(of: entry) else { return nil }
            rows.add(entry.words, offsets: offsets, title: titleBytes(entry))
        }
        return isDamaged ? nil : rows.bytes(header)
    }
}
