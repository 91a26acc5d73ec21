import Domain
import JSON
import Records

/// One episode's transcript or chapters on disk: a header with its own checksum and one of everything below, then a
/// line per segment.
///
/// The lines have no checksums of their own: half a transcript would be of no use, and the server has all of it.
struct TranscriptFile {
    static let version = 1

    let name: String
    let episode: EpisodeID
    let text: EpisodeText
    private(set) var source = TranscriptSource()
    private let bytes: [UInt8]
    private let lines: ArraySlice<Range<Int>>

    /// Checks the whole file and reads its header.
    ///
    /// - Throws: `LibraryFailure.damaged`.
    init(_ bytes: [UInt8], name: String, episode: EpisodeID, _ text: EpisodeText = .transcript) throws {
        self.text = text
        self.name = name
        self.episode = episode
        self.bytes = bytes
        let all = ChecksummedLine.lines(bytes)
        guard let header = all.first else { throw Damage.short.failure(name) }
        guard ChecksummedLine.verified(bytes, header) != nil else { throw Damage.sum.failure(name, line: 1) }
        lines = all.dropFirst()
        var members = Header()
        do {
            try ChecksummedLine.read(bytes, header) { try members.read($1, from: &$0) }
        } catch let error as JSONError {
            throw Damage.structure(error).failure(name, line: 1)
        }
        if members.version > EpisodeFile.version { throw LibraryFailure.newerVersion(file: name, version: members.version) }
        if members.episode != episode.text || members.kind ?? EpisodeText.transcript.rawValue != text.rawValue {
            throw Damage.foreign.failure(name, line: 1)
        }
        guard XXH64.hash(bytes[header.upperBound...]) == members.text else { throw Damage.sum.failure(name) }
        source = members.source
    }

    private struct Header: ReadableFields {
        var version = TranscriptFile.version
        var episode = ""
        /// nil for a transcript.
        var kind: String?
        /// The checksum of the lines below.
        var text: UInt64 = 0
        var source = TranscriptSource()

        mutating func list<L: FieldList>(_ list: inout L) {
            list.integer("version", always: &version)
            list.text("episode", &episode)
            list.text("kind", &kind)
            list.hash("text", &text)
            source.list(&list)
        }
    }

    func segments() throws -> [TranscriptSegment] {
        try lines.enumerated().map { index, line in
            do {
                var json = JSONReader(bytes, in: line)
                var segment = try TranscriptSegment(from: &json)
                segment.isChapter = text == .chapters
                segment.isHomemade = source.making != nil
                return segment
            } catch let error as JSONError {
                throw Damage.structure(error).failure(name, line: index + 2)
            }
        }
    }

    static func bytes(
        of segments: [TranscriptSegment], episode: EpisodeID, _ source: TranscriptSource, _ kind: EpisodeText = .transcript
    ) -> [UInt8] {
        var text = JSONWriter()
        for segment in segments {
            text.object { segment.write(to: &$0) }
            text.endLine()
        }
        var header = JSONWriter()
        let members = Header(
            episode: episode.text, kind: kind == .transcript ? nil : kind.rawValue, text: text.withBytes { XXH64.hash($0) },
            source: source)
        ChecksummedLine.append(to: &header) { members.write(to: &$0) }
        return header.bytes + text.bytes
    }

    // MARK: Names

    /// nil if the text is not an id of ours.
    static func folder(of podcast: PodcastID) -> String? {
        EpisodeFile.name(podcast, in: "").map { _ in "\(TranscriptFiles.folder)/\(podcast.text)" }
    }

    static func name(_ episode: EpisodeID, _ text: EpisodeText = .transcript) -> String? {
        guard let folder = folder(of: episode.podcastID),
            let own = EpisodeFile.name(
                PodcastID(text: String(episode.text.dropFirst(episode.podcastID.text.utf8.count + 1))), in: "")
        else { return nil }
        let name = "\(folder)/\(episode.podcastID.text)-\(own.dropFirst())"
        return text == .transcript ? name : name.dropLast(Self.end.count) + chaptersEnd
    }

    private static let end = ".jsonl"
    private static let chaptersEnd = ".chapters.jsonl"

    static func episode(ofName name: String) -> (id: EpisodeID, text: EpisodeText)? {
        let text: EpisodeText = name.hasSuffix(chaptersEnd) ? .chapters : .transcript
        let end = text == .chapters ? chaptersEnd : end
        guard name.hasSuffix(end), let id = EpisodeID(text: String(name.dropLast(end.count))), self.name(id) != nil else {
            return nil
        }
        return (id, text)
    }
}
