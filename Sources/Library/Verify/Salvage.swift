import Domain
import Records
import JSON
import Memory

/// The intact lines in the files of one podcast, whatever their state: each line has its own checksum.
struct Salvage {
    private var lines: [EpisodeID: [UInt8]] = [:]
    private var order: [EpisodeID] = []
    private(set) var channel: [UInt8]?
    private(set) var revision = 0

    var count: Int { lines.count }

    init(of podcast: PodcastID, from files: [[UInt8]]) {
        // The newest file first. A file without a valid header counts as the newest.
        let files = files.map { (bytes: $0, revision: Self.revision(of: $0) ?? .max) }
            .sorted { $0.revision > $1.revision }.map(\.bytes)
        for bytes in files {
            for line in Self.wholeLines(bytes) {
                if let id = EpisodeRecord.id(bytes, line) {
                    if id.podcastID == podcast, lines[id] == nil { lines[id] = Array(bytes[line]) }
                } else if let header = Self.header(bytes, line), header.podcast == podcast {
                    revision = max(revision, header.revision)
                    if channel == nil { channel = header.channel.map { Array(bytes[$0]) } }
                }
            }
        }
        // The order comes from the oldest file, since later ones only grew at the end.
        var seen: Set<EpisodeID> = []
        for bytes in files.reversed() {
            for line in Self.wholeLines(bytes) {
                if let id = EpisodeRecord.id(bytes, line), lines[id] != nil, seen.insert(id).inserted { order.append(id) }
            }
        }
    }

    /// A new file with the intact lines.
    func file(_ podcast: PodcastID, revision: Int) -> [UInt8] {
        var writer = EpisodeFileWriter()
        writer.begin(podcast: podcast, revision: revision, count: order.count) { json in
            if let channel { json.raw(channel) } else { json.object { _ in } }
        }
        for id in order {
            if let line = lines[id] { writer.copy(line, line.indices) }
        }
        var bytes: [UInt8] = []
        writer.finish { bytes = Array($0) }
        return bytes
    }

    /// The podcast that a file belongs to according to its own header.
    static func owner(of bytes: [UInt8]) -> PodcastID? {
        wholeLines(bytes).lazy.compactMap { header(bytes, $0) }.first?.podcast
    }

    private static func revision(of bytes: [UInt8]) -> Int? {
        wholeLines(bytes).lazy.compactMap { header(bytes, $0) }.first?.revision
    }

    private static func wholeLines(_ bytes: [UInt8]) -> [Range<Int>] {
        ChecksummedLine.lines(bytes).compactMap { line in
            if ChecksummedLine.verified(bytes, line) != nil { return line }
            guard let inner = ChecksummedLine.inner(bytes, line), ChecksummedLine.verified(bytes, inner) != nil else {
                return nil
            }
            return inner
        }
    }

    private static func header(
        _ bytes: [UInt8], _ line: Range<Int>
    ) -> (podcast: PodcastID, revision: Int, channel: Range<Int>?)? {
        var podcast: PodcastID?
        var revision = 0
        var channel: Range<Int>?
        try? ChecksummedLine.read(bytes, line) { json, key in
            switch key {
            case "podcast": podcast = PodcastID(text: try json.string())
            case "revision": revision = try json.integer()
            case "channel": channel = try json.skip()
            default: try json.skip()
            }
        }
        return podcast.map { ($0, revision, channel) }
    }
}
