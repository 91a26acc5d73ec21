import Domain
import Glibc
import JSON
import Memory

extension Catalogue {
    /// Number of podcasts below which reading the log is as fast as reading its catalogue.
    static let smallest = 500

    /// Writes the catalogue of a table that matches the current log file. The catalogue is derived: an error here is
    /// ignored, nothing is synced, and a file that a crash cut short fails its checksum.
    ///
    /// - Parameters:
    ///   - table: nil if it is not in memory; nothing is written then.
    ///   - path: nil for a library without a catalogue.
    static func write(_ table: PodcastTable?, to path: String?, _ disk: Disk, smallest: Int = smallest) {
        guard let path, let table, table.all.count >= smallest, table.status != nil,
            let log = try? MappedFile(disk.path(PodcastTable.logName)), log.bytes.count == table.log.anchor.length,
            let bytes = bytes(table, log)
        else { return }
        makeFolders(above: path)
        let temporary = "\(path).\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        if close(descriptor) == 0, written == bytes.count, rename(temporary, path) == 0 { return }
        unlink(temporary)
    }

    private static func bytes(_ table: PodcastTable, _ log: MappedFile) -> [UInt8]? {
        guard let offsets = lineOffsets(log) else { return nil }
        var entries: [UInt64] = []
        var lines: [UInt64] = []
        var titles: [UInt8] = []
        let podcasts = table.sorted()
        entries.reserveCapacity(podcasts.count * CatalogueEntry.words)
        for podcast in podcasts {
            guard let own = offsets.byPodcast[podcast.id] else { return nil }
            let title = Array(podcast.displayTitle.lowercased().utf8)
            guard
                let words = CatalogueEntry.words(
                    of: podcast, lines: lines.count..<lines.count + own.count, title: XXH64.hash(title),
                    at: titles.count..<titles.count + title.count)
            else { return nil }
            entries += words
            lines += own.map { UInt64($0) }
            titles += title
        }
        var body: [UInt8] = []
        body.reserveCapacity(entries.count * 8 + lines.count * 8 + titles.count)
        entries.withUnsafeBytes { body += $0 }
        lines.withUnsafeBytes { body += $0 }
        body += titles
        var header = Header()
        header.anchor = table.log.anchor
        header.lastLine = offsets.last
        header.contentRevision = table.contentRevision
        header.forgottenRevision = table.forgottenRevision
        header.removals = table.fileRecord(PodcastID(text: "")).removals.count
        header.count = podcasts.count
        header.lines = lines.count
        header.unsubscribed = table.unsubscribed
        header.lastRemoved = table.lastRemoved
        header.removedAt = table.removedAt
        header.size = body.count
        let sums = body.withUnsafeBytes { body in
            stride(from: 0, to: body.count, by: CheckedFile.blockSize).map { start in
                CheckedFile.sum(UnsafeRawBufferPointer(rebasing: body[start..<min(start + CheckedFile.blockSize, body.count)]))
            }
        }
        header.sums = sums.withUnsafeBytes { XXH64.hash($0) }
        sums.withUnsafeBytes { body += $0 }
        var json = JSONWriter()
        ChecksummedLine.append(to: &json) { header.write(to: &$0) }
        return json.bytes + body
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

    private static func makeFolders(above path: String) {
        var end = path.startIndex
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
    }
}
