import Domain
import Glibc
import Memory
import Records

/// Where the episodes of large files are, so that one of thousands is read by its position.
///
/// For each such file, the cache has a table with the checksum of the file's header, which covers the checksums of all of
/// its lines, and for each episode the ending of its id (see `EpisodeRecord`) and the offset of its line, eight bytes
/// each, in the order of endings. A table of an earlier version of the file is ignored, and so is a damaged one: each line
/// is checked when it is read.
struct EpisodePlaces {
    /// Size in bytes from which on a file has a table. Reading through a smaller one takes no longer.
    static let minFileSize = 512 << 10

    private static let entrySize = 16

    /// The folder of the tables.
    let folder: String

    private func path(_ podcast: PodcastID) -> String? { EpisodeFile.isID(podcast) ? "\(folder)/\(podcast.text)" : nil }

    /// The offsets of the lines of the episodes whose ids have these endings, as far as the table has them; nil if there is
    /// no table of this version of the file.
    ///
    /// - Parameter header: the checksum of the file's header.
    func offsets(of endings: [UInt64], in podcast: PodcastID, header: UInt64) -> [Int]? {
        guard let path = path(podcast), let file = try? MappedFile(path), file.bytes.count >= 8,
            file.bytes.loadUnaligned(as: UInt64.self) == header
        else { return nil }
        let count = (file.bytes.count - 8) / Self.entrySize
        func number(_ entry: Int, _ part: Int) -> UInt64 {
            file.bytes.loadUnaligned(fromByteOffset: 8 + entry * Self.entrySize + part * 8, as: UInt64.self)
        }
        var offsets: [Int] = []
        for ending in endings {
            var entry = (0..<count).partitioningIndex { number($0, 0) >= ending }
            while entry < count, number(entry, 0) == ending {
                offsets.append(Int(truncatingIfNeeded: number(entry, 1)))
                entry += 1
            }
        }
        return offsets
    }

    /// Writes the table of a file, if the file is large.
    func save(_ table: Table, of podcast: PodcastID) {
        guard table.fileSize >= Self.minFileSize, let path = path(podcast) else { return }
        CacheFile.write(table.bytes, to: path)
    }

    func remove(_ podcast: PodcastID) {
        if let path = path(podcast) { unlink(path) }
    }

    /// The table of a file whose lines are written or read one after another.
    struct Table {
        /// The checksum of the header.
        var header: UInt64
        private(set) var fileSize: Int
        private var entries: [(ending: UInt64, offset: Int)] = []

        init(header: UInt64, headerSize: Int) { (self.header, fileSize) = (header, headerSize) }

        /// - Parameter ending: nil for a line that is no episode's.
        mutating func addLine(of ending: UInt64?, size: Int) {
            if let ending { entries.append((ending, fileSize)) }
            fileSize += size
        }

        fileprivate var bytes: [UInt8] {
            var numbers = [header]
            for entry in entries.sorted(by: { $0 < $1 }) { numbers += [entry.ending, UInt64(entry.offset)] }
            return Array(numbers.span.bytes)
        }
    }
}
