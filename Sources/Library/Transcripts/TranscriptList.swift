import Domain
import JSON
import Records

/// `transcripts/<id>/list.jsonl`: the state of the transcripts and chapters of a podcast's episodes. A header, then a
/// line per entry, in the order of the episodes' ids.
struct TranscriptList {
    static let version = 1

    let podcast: PodcastID
    var revision = 0
    var entries: [EpisodeID: TranscriptEntry] = [:]
    var chapters: [EpisodeID: TranscriptEntry] = [:]

    subscript(id: EpisodeID, text: EpisodeText) -> TranscriptEntry? {
        get { text == .transcript ? entries[id] : chapters[id] }
        set { if text == .transcript { entries[id] = newValue } else { chapters[id] = newValue } }
    }

    /// All entries, in the order of their episodes.
    var all: [(text: EpisodeText, entry: TranscriptEntry)] {
        let all =
            entries.values.map { (text: EpisodeText.transcript, entry: $0) }
            + chapters.values.map { (text: .chapters, entry: $0) }
        return all.sorted { ($0.entry.episodeID, $0.text.rawValue) < ($1.entry.episodeID, $1.text.rawValue) }
    }

    init(of podcast: PodcastID) { self.podcast = podcast }

    static func name(_ podcast: PodcastID) -> String? { TranscriptFile.folder(of: podcast).map { $0 + "/list.jsonl" } }

    /// - Throws: `LibraryFailure.damaged`.
    init(_ bytes: [UInt8], name: String, of podcast: PodcastID) throws {
        self.podcast = podcast
        let lines = ChecksummedLine.lines(bytes)
        guard let header = lines.first else { throw Damage.short.failure(name) }
        var hasher = XXH64()
        var members = Header()
        for (index, line) in lines.enumerated() {
            guard let lineSum = ChecksummedLine.verified(bytes, line) else { throw Damage.sum.failure(name, line: index + 1) }
            if index > 0 { hasher.update(lineSum) }
        }
        do {
            try ChecksummedLine.read(bytes, header) { try members.read($1, from: &$0) }
            revision = members.revision
            if members.version > EpisodeFile.version {
                throw LibraryFailure.newerVersion(file: name, version: members.version)
            }
            if members.podcast != podcast.text { throw Damage.foreign.failure(name, line: 1) }
            guard lines.count == members.entries + 1, hasher.finish() == members.lines else { throw Damage.lines.failure(name) }
            for range in lines.dropFirst() {
                var line = Line()
                try ChecksummedLine.read(bytes, range) { try line.read($1, from: &$0) }
                guard line.entry.isWhole else { throw Damage.lines.failure(name) }
                self[line.entry.episodeID, line.text] = line.entry
            }
        } catch let error as JSONError {
            throw Damage.structure(error).failure(name)
        }
    }

    var bytes: [UInt8] {
        var body = JSONWriter()
        var hasher = XXH64()
        let all = all
        for (text, entry) in all {
            let line = Line(entry: entry, text: text)
            hasher.update(ChecksummedLine.append(to: &body) { line.write(to: &$0) })
        }
        var header = JSONWriter()
        let members = Header(podcast: podcast.text, revision: revision, entries: all.count, lines: hasher.finish())
        ChecksummedLine.append(to: &header) { members.write(to: &$0) }
        return header.bytes + body.bytes
    }

    private struct Header: ReadableFields {
        var version = TranscriptList.version
        var podcast = ""
        var revision = 0
        var entries = 0
        /// The checksum over the checksums of the entries.
        var lines: UInt64 = 0

        mutating func list<L: FieldList>(_ list: inout L) {
            list.integer("version", always: &version)
            list.text("podcast", &podcast)
            list.integer("revision", always: &revision)
            list.integer("entries", always: &entries)
            list.hash("lines", &lines)
        }
    }

    private struct Line: ReadableFields {
        var entry = TranscriptEntry()
        var text = EpisodeText.transcript

        mutating func list<L: FieldList>(_ list: inout L) {
            entry.list(&list)
            list.text("kind", &text, as: { $0 == .transcript ? nil : $0.rawValue }, EpisodeText.init)
        }
    }
}
