import Domain
import Glibc
import JSON
import Memory
import Records

extension Catalogue {
    /// Number of podcasts below which reading the log is as fast as reading its catalogue.
    static let minPodcasts = 500

    /// Writes the catalogue of a table that matches the current log file. The catalogue is derived: an error here is
    /// ignored, nothing is synced, and a file that a crash cut short fails its checksum.
    ///
    /// - Parameters:
    ///   - table: nil if it is not in memory; nothing is written then.
    ///   - path: nil for a library without a catalogue.
    static func write(_ table: PodcastTable?, to path: String?, _ disk: Disk, minPodcasts: Int) {
        guard let path, let table, table.all.count >= minPodcasts, table.status != nil,
            let log = try? MappedFile(disk.path(PodcastTable.logName)), log.bytes.count == table.log.anchor.length,
            let bytes = bytes(table, log)
        else { return }
        CacheFile.write(bytes, to: path)
    }

    /// Writes the catalogue with all changes.
    func write(to path: String) {
        if let bytes = bytes() { CacheFile.write(bytes, to: path) }
    }

    private static func bytes(_ table: PodcastTable, _ log: MappedFile) -> [UInt8]? {
        guard let offsets = lineOffsets(log) else { return nil }
        let podcasts = table.sorted()
        var rows = CatalogueRows(capacity: podcasts.count)
        for podcast in podcasts {
            let title = Array(podcast.displayTitle.lowercased().utf8)
            guard let own = offsets.byPodcast[podcast.id],
                let words = CatalogueEntry.words(of: podcast, CatalogueEntry.Hashes(podcast, title: title))
            else { return nil }
            rows.add(words, offsets: own, title: title)
        }
        var header = Header()
        header.anchor = table.log.anchor
        header.firstLength = table.log.firstLength
        header.lastLine = offsets.last
        header.contentRevision = table.contentRevision
        header.forgottenRevision = table.forgottenRevision
        header.removals = table.fileRecord(PodcastID(text: "")).removals.count
        header.unsubscribed = table.unsubscribed
        header.lastRemoved = table.lastRemoved
        header.removedAt = table.removedAt
        return rows.bytes(header)
    }

    private static let mark = Array(#","podcast":""#.utf8)
    private static let removedMark = Array(#"","removed":true"#.utf8)

    /// Offsets of the lines of each podcast. A removal drops the podcast's earlier lines. nil if the log is malformed.
    private static func lineOffsets(_ log: MappedFile) -> (byPodcast: [PodcastID: [Int]], last: Int)? {
        var byPodcast: [PodcastID: [Int]] = [:]
        var start = 0
        var last = 0
        let bytes = log.bytes
        while start < bytes.count {
            guard let end = log.index(of: 0x0A, in: start..<bytes.count) else { return nil }
            let id = start + ChecksummedLine.membersStart + mark.count
            if start > 0 {
                guard id < end, bytes[start + ChecksummedLine.membersStart..<id].elementsEqual(mark),
                    let quote = bytes[id..<end].firstIndex(of: UInt8(ascii: "\""))
                else { return nil }
                let podcast = PodcastID(text: String(decoding: bytes[id..<quote], as: UTF8.self))
                if bytes[quote..<end].starts(with: removedMark) {
                    byPodcast[podcast] = nil
                } else {
                    byPodcast[podcast, default: []].append(start)
                }
            }
            (last, start) = (start, end + 1)
        }
        return (byPodcast, last)
    }
}

/// The parts of a catalogue while it is written.
struct CatalogueRows {
    private var entries: [UInt64] = []
    private var lines: [UInt64] = []
    private var titles: [UInt8] = []

    init(capacity: Int) { entries.reserveCapacity(capacity * CatalogueEntry.words) }

    /// Adds the next podcast in the order of ids.
    mutating func add(_ words: [UInt64], offsets: [Int], title: some Collection<UInt8>) {
        var words = words
        CatalogueEntry.place(
            &words, lines: lines.count..<lines.count + offsets.count, title: titles.count..<titles.count + title.count)
        entries += words
        lines += offsets.lazy.map { UInt64($0) }
        titles += title
    }

    /// The bytes of the file. The sizes and checksums of the header are set here.
    func bytes(_ header: Catalogue.Header) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(entries.count * 8 + lines.count * 8 + titles.count)
        body.append(contentsOf: entries.span.bytes)
        body.append(contentsOf: lines.span.bytes)
        body += titles
        var header = header
        header.count = entries.count / CatalogueEntry.words
        header.lines = lines.count
        header.size = body.count
        let sums = stride(from: 0, to: body.count, by: CheckedFile.blockSize).map { start in
            CheckedFile.sum(body.span.extracting(start..<min(start + CheckedFile.blockSize, body.count)).bytes)
        }
        header.sums = XXH64.hash(sums.span.bytes)
        body.append(contentsOf: sums.span.bytes)
        var json = JSONWriter()
        ChecksummedLine.append(to: &json) { header.write(to: &$0) }
        return json.bytes + body
    }
}
