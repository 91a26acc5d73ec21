import Domain
import JSON
import Records

/// Writes the files of podcasts one after the other, in the same memory. Unchanged lines are copied.
///
/// A large file is passed on in pieces. Its header has a checksum over all lines, so it is written again at the end.
struct EpisodeFileWriter {
    /// What is known once all lines are written.
    struct End {
        var places = EpisodePlaces.Table(header: 0, headerSize: 0)
        /// The first bytes of a file that was passed on in pieces.
        var head: [UInt8] = []
    }

    /// Bytes in memory from which on they are passed on.
    private static let pieceSize = 1 << 20

    /// With pages of its own, for a piece and the line that completes it: growing would leave gaps between other memory.
    private var json = JSONWriter(capacity: 2 * pieceSize)
    private var header = 0..<0
    /// Offset in the header of the checksum over the lines.
    private var linesSum = 0
    private var hasher = XXH64()
    private var end = End()

    /// - Parameter count: number of episodes that follow.
    mutating func begin(podcast: PodcastID, revision: Int, count: Int, channel: (inout JSONWriter) -> Void) {
        json.removeAll()
        hasher = XXH64()
        ChecksummedLine.append(to: &json) {
            $0.integer("version", EpisodeFile.version)
            $0.text("podcast", podcast.text)
            $0.integer("revision", revision)
            $0.integer("episodes", count)
            $0.hash("lines", 0)
            linesSum = $0.count - 17
            $0.key("channel")
            channel(&$0)
        }
        header = 0..<json.count
        end = End(places: EpisodePlaces.Table(header: 0, headerSize: json.count))
    }

    mutating func copy(_ old: [UInt8], _ line: Range<Int>) {
        json.append(line: old[line])
        hasher.update(ChecksummedLine.stored(old, line) ?? 0)
        end.places.addLine(of: EpisodeRecord.ending(old, line), size: line.count)
    }

    mutating func add(_ episode: Episode) {
        let start = json.count
        hasher.update(ChecksummedLine.append(to: &json) { EpisodeRecord.write(episode, writesTextsOnce: true, to: &$0) })
        end.places.addLine(of: EpisodeRecord.ending(of: episode.id), size: json.count - start)
    }

    /// Passes on what is complete, if it is large. Inlined, because the closure would be made for each line.
    @inline(__always) mutating func passOn(_ write: (RawSpan) throws -> Void) rethrows {
        guard json.count >= Self.pieceSize else { return }
        if end.head.isEmpty { end.head = json.withBytes { $0.extracting(header).withUnsafeBytes { Array($0) } } }
        try json.withBytes(write)
        json.removeAll()
    }

    /// Passes on the rest of the file, which is valid until the next one begins.
    @discardableResult
    mutating func finish(_ write: (RawSpan) throws -> Void) rethrows -> End {
        if end.head.isEmpty {
            end.places.header = seal()
            try json.withBytes(write)
        } else {
            try json.withBytes(write)
            json.removeAll()
            json.append(line: end.head[...])
            end.places.header = seal()
            end.head = json.bytes
        }
        return end
    }

    /// Writes the checksums into the header, and returns its own.
    private mutating func seal() -> UInt64 {
        json.overwrite(hash: hasher.finish(), at: linesSum)
        return ChecksummedLine.seal(&json, header)
    }
}
