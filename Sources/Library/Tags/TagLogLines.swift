import Domain
import Memory
import Records

/// The combined contents of a log's lines.
struct TagLogLines {
    private static let opening = Array(#","episode":""#.utf8)

    private(set) var tags: [EpisodeID: Set<Tag>] = [:]
    private(set) var pending: Set<EpisodeID> = []
    private(set) var downloads: [EpisodeID: DownloadEntry] = [:]
    private var waiting = Waiting([])
    /// Lines of a change whose last line has not been read yet.
    private var unfinished: [TagLogLine] = []
    /// Most episodes have the same tags as many others, so they share one set.
    private var setsByWords: [[String]: Set<Tag>] = [:]
    /// The last line of an episode, with its bytes after the episode.
    private var last: (line: TagLogLine, ending: [UInt8])?
    private var lastSet: (words: [String], tags: Set<Tag>) = ([], [])

    var waitingLines: [TagLine] { waiting.lines }

    mutating func load(
        _ log: inout RecordLog, _ disk: Disk, _ anchor: LogAnchor?, damaged: (LibraryFailure) throws -> Void
    ) throws {
        (unfinished, last) = ([], nil)
        var isWhole = true
        try log.load(
            disk, from: anchor, line: { isWhole = try read($0, $1) }, isWhole: { isWhole }, damaged: damaged)
    }

    /// - Returns: false if the change continues in the next line.
    mutating func read(_ bytes: [UInt8], _ range: Range<Int>) throws -> Bool {
        let line = try line(bytes, range)
        if line.hasMore {
            unfinished.append(line)
            return false
        }
        if !unfinished.isEmpty {
            unfinished.forEach { take($0) }
            unfinished = []
        }
        take(line)
        return true
    }

    /// Each search reads the tags, and an owner may have tagged tens of thousands of episodes. Most lines differ from the one
    /// before only in the episode.
    private mutating func line(_ bytes: [UInt8], _ range: Range<Int>) throws -> TagLogLine {
        guard let id = ChecksummedLine.text(after: Self.opening, in: bytes, range) else {
            return try ChecksummedLine.value(bytes, range, as: TagLogLine.self)
        }
        if let last, last.ending.count == range.upperBound - id.end, bytes.span.contains(last.ending, at: id.end) {
            var line = last.line
            line.episode = EpisodeID(text: id.text)
            return line
        }
        let line = try ChecksummedLine.value(bytes, range, as: TagLogLine.self)
        last = (line, Array(bytes[id.end..<range.upperBound]))
        return line
    }

    private mutating func take(_ line: TagLogLine) {
        let own = tagSet(line.tags)
        guard let id = line.episode else {
            let waitingLine = TagLine(tags: own, feedURL: line.feedURL, key: line.key, facts: LineFacts(line.facts))
            return line.isSettled ? waiting.remove([waitingLine]) : waiting.add([waitingLine])
        }
        tags[id] = own.isEmpty ? nil : own
        if var download = line.download {
            download.episodeID = id
            downloads[id] = download
        } else if !downloads.isEmpty {
            downloads[id] = nil
        }
        if line.isPending { pending.insert(id) } else if !pending.isEmpty { pending.remove(id) }
    }

    private mutating func tagSet(_ words: [String]) -> Set<Tag> {
        if words == lastSet.words { return lastSet.tags }
        let tags = setsByWords[words] ?? Set(words.compactMap { Tag($0) })
        setsByWords[words] = tags
        lastSet = (words, tags)
        return tags
    }

    /// Lines by podcast and key, in the order in which they were added.
    struct Waiting {
        private struct Name: Hashable {
            let feedURL: String
            let key: String

            init(_ line: TagLine) { (feedURL, key) = (line.feedURL, line.key) }
        }

        private var byName: [Name: TagLine] = [:]
        private var order: [Name] = []

        init(_ lines: [TagLine]) { add(lines) }

        subscript(line: TagLine) -> TagLine? { byName[Name(line)] }
        var lines: [TagLine] { order.compactMap { byName[$0] } }

        mutating func add(_ lines: [TagLine]) {
            for line in lines { if byName.updateValue(line, forKey: Name(line)) == nil { order.append(Name(line)) } }
        }

        mutating func remove(_ lines: [TagLine]) {
            let names = Set(lines.map { Name($0) }).filter { byName.removeValue(forKey: $0) != nil }
            if !names.isEmpty { order.removeAll(where: names.contains) }
        }
    }
}

/// The tags and the download of an episode, or a line of a tags file that waits for its episode.
struct TagLogLine: ReadableFields {
    /// nil in a line that waits, which has a feed and a key instead.
    var episode: EpisodeID?
    var feedURL = ""
    var key = ""
    var tags: [String] = []
    var facts: [String] = []
    var isPending = false
    var download: DownloadEntry?
    /// True if the line waits no longer.
    var isSettled = false
    /// True if the change continues in the next line.
    var hasMore = false

    mutating func list<L: FieldList>(_ list: inout L) {
        list.text("episode", &episode, as: { $0?.text }) { .some(EpisodeID(text: $0)) }
        list.text("feedURL", &feedURL)
        list.text("key", &key)
        list.texts("tags", &tags)
        list.texts("facts", &facts)
        list.flag("pending", &isPending)
        list.object("download", &download)
        list.flag("settled", &isSettled)
        list.flag("more", &hasMore)
    }
}
