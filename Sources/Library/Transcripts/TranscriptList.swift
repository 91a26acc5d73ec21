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
        var (version, count, sum) = (0, 0, UInt64(0))
        var owner: String?
        for (index, line) in lines.enumerated() {
            guard let lineSum = ChecksummedLine.verified(bytes, line) else { throw Damage.sum.failure(name, line: index + 1) }
            if index > 0 { hasher.update(lineSum) }
        }
        do {
            try ChecksummedLine.read(bytes, header) { json, key in
                switch key {
                case "version": version = try json.integer()
                case "podcast": owner = try json.string()
                case "revision": revision = try json.integer()
                case "entries": count = try json.integer()
                case "lines": sum = try json.hash()
                default: try json.skip()
                }
            }
            if version > EpisodeFile.version { throw LibraryFailure.newerVersion(file: name, version: version) }
            if owner != podcast.text { throw Damage.foreign.failure(name, line: 1) }
            guard lines.count == count + 1, hasher.finish() == sum else { throw Damage.lines.failure(name) }
            for line in lines.dropFirst() {
                var text = EpisodeText.transcript
                if let entry = try TranscriptEntry(bytes, line, &text) { self[entry.episodeID, text] = entry }
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
            let sum = ChecksummedLine.append(to: &body) {
                entry.write(to: &$0)
                if text != .transcript { $0.text("kind", text.rawValue) }
            }
            hasher.update(sum)
        }
        var header = JSONWriter()
        ChecksummedLine.append(to: &header) {
            $0.integer("version", Self.version)
            $0.text("podcast", podcast.text)
            $0.integer("revision", revision)
            $0.integer("entries", all.count)
            $0.hash("lines", hasher.finish())
        }
        return header.bytes + body.bytes
    }
}

extension TranscriptEntry {
    /// nil if the line has no episode id, which must come first.
    fileprivate init?(_ bytes: [UInt8], _ line: Range<Int>, _ text: inout EpisodeText) throws {
        var entry: TranscriptEntry?
        try ChecksummedLine.read(bytes, line) { json, key in
            guard var current = entry else {
                guard key == "episode", let id = EpisodeID(text: try json.string()) else { throw json.error(.unexpected) }
                let never = Timestamp(seconds: 0)
                entry = TranscriptEntry(episodeID: id, offer: 0, episodeChangedAt: never, askedAt: never)
                return
            }
            if key == "kind" {
                text = EpisodeText(rawValue: try json.string()) ?? text
                return
            }
            try current.read(key, from: &json)
            entry = current
        }
        guard let entry else { return nil }
        self = entry
    }
}
