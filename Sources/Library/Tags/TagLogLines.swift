import Domain
import JSON
import Records

/// The combined contents of a log's lines.
struct TagLogLines {
    private(set) var tags: [EpisodeID: Set<Tag>] = [:]
    private(set) var pending: Set<EpisodeID> = []
    private(set) var downloads: [EpisodeID: DownloadEntry] = [:]
    private var waiting = Waiting([])
    /// Lines of a change whose last line has not been read yet.
    private var unfinished: [Line] = []
    /// Most episodes have the same tags as many others, so they share one set.
    private var setsByWords: [[String]: Set<Tag>] = [:]

    var waitingLines: [TagLine] { waiting.lines }

    mutating func load(
        _ log: inout RecordLog, _ disk: Disk, _ anchor: LogAnchor?, damaged: (LibraryFailure) throws -> Void
    ) throws {
        unfinished = []
        var isWhole = true
        try log.load(
            disk, from: anchor, line: { isWhole = try read($0, $1) }, isWhole: { isWhole }, damaged: damaged)
    }

    private enum Line {
        case episode(EpisodeID, Set<Tag>, isPending: Bool, DownloadEntry?)
        case waiting(TagLine)
        case settled(TagLine)
    }

    /// - Returns: false if the change continues in the next line.
    mutating func read(_ bytes: [UInt8], _ line: Range<Int>) throws -> Bool {
        var id: EpisodeID?
        var (feedURL, key, isSettled, isPending, hasMore) = ("", "", false, false, false)
        var (words, facts) = ([String](), [String]())
        var download: DownloadEntry?
        try ChecksummedLine.read(bytes, line) { json, name in
            switch name {
            case "episode": id = EpisodeID(text: try json.string())
            case "feedURL": feedURL = try json.string()
            case "key": key = try json.string()
            case "settled": isSettled = try json.bool()
            case "pending": isPending = try json.bool()
            case "more": hasMore = try json.bool()
            case "download": if let id { download = try DownloadEntry(of: id, from: &json) } else { try json.skip() }
            case "tags": words = try json.list { try $0.string() }
            case "facts": facts = try json.list { try $0.string() }
            default: try json.skip()
            }
        }
        let tags = tagSet(words)
        if let id {
            unfinished.append(.episode(id, tags, isPending: isPending, download))
        } else {
            let line = TagLine(tags: tags, feedURL: feedURL, key: key, facts: LineFacts(facts))
            unfinished.append(isSettled ? .settled(line) : .waiting(line))
        }
        if !hasMore { finish() }
        return !hasMore
    }

    private mutating func finish() {
        for line in unfinished {
            switch line {
            case .episode(let id, let own, let isPending, let download):
                tags[id] = own.isEmpty ? nil : own
                downloads[id] = download
                if isPending { pending.insert(id) } else { pending.remove(id) }
            case .waiting(let line): waiting.add([line])
            case .settled(let line): waiting.remove([line])
            }
        }
        unfinished.removeAll(keepingCapacity: true)
    }

    private mutating func tagSet(_ words: [String]) -> Set<Tag> {
        if let set = setsByWords[words] { return set }
        let set = Set(words.compactMap { Tag($0) })
        setsByWords[words] = set
        return set
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
