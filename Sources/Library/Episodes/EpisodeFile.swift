import Domain
import JSON
import Memory
import Records

/// One podcast's file, split into lines and checked but not decoded: a header, then one line for each episode.
struct EpisodeFile {
    /// The newest version of any file. Since version 3, equal texts of an item are stored once; files of version 1 are
    /// read too.
    static let version = 3

    let name: String
    let podcast: PodcastID
    let bytes: [UInt8]
    private(set) var revision = 0
    private(set) var episodes: [Range<Int>] = []
    /// The range of the channel's JSON.
    private(set) var channelRange: Range<Int>?

    /// What the header states about the lines below it.
    private(set) var promise = Promise()

    struct Promise {
        var count = 0
        var sum: UInt64 = 0
    }

    /// - Parameter wholly: also checks all episode lines. Otherwise only the header is checked now, and each line when
    ///   it is read.
    /// - Throws: `LibraryFailure.damaged` with the number of the first line that fails its checksum.
    init(_ bytes: [UInt8], name: String, podcast: PodcastID, wholly: Bool = true) throws {
        self.name = name
        self.podcast = podcast
        self.bytes = bytes
        let lines = ChecksummedLine.lines(bytes)
        guard let header = lines.first else { throw Damage.short.failure(name) }
        guard ChecksummedLine.verified(bytes, header) != nil else { throw Damage.sum.failure(name, line: 1) }
        promise = try readHeader(header)
        episodes = Array(lines.dropFirst())
        guard wholly else { return }
        var hasher = XXH64()
        for (index, line) in episodes.enumerated() {
            guard let sum = ChecksummedLine.verified(bytes, line) else { throw Damage.sum.failure(name, line: index + 2) }
            hasher.update(sum)
        }
        guard episodes.count == promise.count, hasher.finish() == promise.sum else { throw Damage.lines.failure(name) }
    }

    private mutating func readHeader(_ line: Range<Int>) throws -> Promise {
        var promise = Promise()
        var owner: String?
        var version = 0
        try reading(bytes, line, number: 1) { json, key in
            switch key {
            case "version": version = try json.integer()
            case "podcast": owner = try json.string()
            case "revision": revision = try json.integer()
            case "episodes": promise.count = try json.integer()
            case "lines": promise.sum = try json.hash()
            case "channel": channelRange = try json.skip()
            default: try json.skip()
            }
        }
        if version > Self.version { throw LibraryFailure.newerVersion(file: name, version: version) }
        if owner != podcast.text { throw Damage.foreign.failure(name, line: 1) }
        return promise
    }

    // MARK: Reading

    /// True if the lines are not in memory: see `EpisodeFiles.eachLine`.
    var isHeaderOnly: Bool { episodes.isEmpty && promise.count > 0 }

    func channel() throws -> Channel {
        guard let channelRange else { return Channel() }
        var json = JSONReader(bytes, in: channelRange)
        do {
            return try json.value()
        } catch let error as JSONError {
            throw Damage.structure(error).failure(name, line: 1)
        }
    }

    /// The whole episode.
    func episode(_ index: Int) throws -> Episode {
        var record = EpisodeRecord()
        try checked(index) { json, key in try record.read(key, from: &json) }
        guard let episode = record.episode else { throw Damage.lines.failure(name, line: index + 2) }
        return episode
    }

    /// Those of these episodes that the file has.
    func episodes(_ wanted: Set<EpisodeID>) throws -> [EpisodeID: Episode] {
        var byID: [EpisodeID: Episode] = [:]
        for index in episodes.indices {
            if let id = id(index), wanted.contains(id) { byID[id] = try episode(index) }
        }
        return byID
    }

    /// The fields that a comparison needs, without decoding long strings.
    ///
    /// - Parameter number: the line's number in the file.
    func head(_ bytes: [UInt8], _ line: Range<Int>, number: Int, knowing items: KnownItems) throws -> EpisodeHead {
        var head = EpisodeHead(knowing: items)
        do {
            try reading(bytes, line, number: number) { json, key in try head.read(key, from: &json) }
        } catch is EpisodeHead.Complete {
            // The line was verified: the rest is as it should be.
        }
        return head
    }

    /// The id of an episode, read from its fixed position in the line; nil if the line is damaged.
    func id(_ index: Int) -> EpisodeID? { EpisodeRecord.id(bytes, episodes[index]) }

    private func checked(_ index: Int, _ member: (inout JSONReader, String) throws -> Void) throws {
        guard ChecksummedLine.verified(bytes, episodes[index]) != nil else {
            throw Damage.sum.failure(name, line: index + 2)
        }
        try reading(bytes, episodes[index], number: index + 2, member)
    }

    private func reading(
        _ bytes: [UInt8], _ line: Range<Int>, number: Int, _ member: (inout JSONReader, String) throws -> Void
    ) throws {
        do {
            try ChecksummedLine.read(bytes, line, member)
        } catch let error as JSONError {
            throw Damage.structure(error).failure(name, line: number)
        }
    }

    // MARK: Names

    /// Whether the text is an id of ours: file names are made of nothing else.
    static func isID(_ podcast: PodcastID) -> Bool {
        let text = podcast.text.utf8
        return !text.isEmpty && text.count <= 32 && text.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
    }

    /// nil if the text is not an id of ours.
    static func name(_ podcast: PodcastID, in folder: String) -> String? {
        isID(podcast) ? "\(folder)/\(podcast.text).jsonl" : nil
    }

    static func podcast(ofName name: String) -> PodcastID? {
        guard name.hasSuffix(".jsonl") else { return nil }
        let id = PodcastID(text: String(name.dropLast(6)))
        return isID(id) ? id : nil
    }
}

extension Podcast {
    /// The podcast with the fields of its record that follow from its file.
    func described(by file: EpisodeFile) throws -> Podcast {
        var podcast = self
        let channel = try file.channel()
        podcast.episodesRevision = max(podcast.episodesRevision, file.revision)
        podcast.episodeCount = file.episodes.count
        podcast.title = channel.title ?? podcast.title
        podcast.author = channel.author ?? podcast.author
        for index in file.episodes.indices {
            let episode = try file.episode(index)
            podcast.latestEpisodeAt = [podcast.latestEpisodeAt, episode.orderedAt].compactMap { $0 }.max()
            podcast.lastAddedAt = [podcast.lastAddedAt, episode.firstSeenAt].compactMap { $0 }.max()
        }
        return podcast
    }
}

extension EpisodeRecord {
    private static let idMark = Array(#","id":""#.utf8)

    /// Reads the id directly after the checksum.
    static func id(_ bytes: [UInt8], _ line: Range<Int>) -> EpisodeID? {
        guard let end = idEnd(bytes, line) else { return nil }
        let start = line.lowerBound + ChecksummedLine.membersStart
        guard bytes.span.contains(idMark, at: start) else { return nil }
        return EpisodeID(text: String(decoding: bytes[start + idMark.count..<end], as: UTF8.self))
    }

    /// The last bytes of an id and the quote after it, which tell nearly all lines apart.
    static func ending(of id: EpisodeID) -> UInt64 {
        let bytes = idMark + id.text.utf8 + [UInt8(ascii: "\"")]
        return bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
    }

    /// The `ending` of the id in a line; nil if the line is damaged.
    static func ending(_ bytes: [UInt8], _ line: Range<Int>) -> UInt64? {
        guard let end = idEnd(bytes, line) else { return nil }
        return bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: end - 7, as: UInt64.self)
    }

    /// Offset of the quote after the id.
    private static func idEnd(_ bytes: [UInt8], _ line: Range<Int>) -> Int? {
        let text = line.lowerBound + ChecksummedLine.membersStart + idMark.count
        guard text < line.upperBound, line.upperBound <= bytes.count else { return nil }
        return bytes.span.firstIndex(of: UInt8(ascii: "\""), in: text..<line.upperBound)
    }
}
