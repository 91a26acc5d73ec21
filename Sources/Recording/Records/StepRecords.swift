import Domain
import JSON

/// The written form of the steps after the last batch.
extension RunStep {
    var word: String {
        switch self {
        case .planned: "planned"
        case .texts: "texts"
        case .textsEnded: "textsEnded"
        case .archive: "archive"
        case .page: "page"
        case .archiveEnded: "archiveEnded"
        case .downloads: "downloads"
        case .downloadsEnded: "downloadsEnded"
        }
    }

    func write(to json: inout JSONWriter) {
        switch self {
        case .planned(let text, let now):
            json.text("text", text.rawValue)
            json.time("now", now)
        case .texts(let replies, let reachedAnyone):
            json.flag("reachedAnyone", reachedAnyone)
            json.array("replies") { json in
                for reply in replies { json.object { reply.write(to: &$0) } }
            }
        case .textsEnded(let reachedAnyone, let hosts):
            json.flag("reachedAnyone", reachedAnyone)
            json.hosts(hosts)
        case .archive(let podcast, let maxPages, let isForced):
            json.text("for", podcast.text)
            json.integer("maxPages", maxPages)
            if isForced { json.flag("forced", true) }
        case .page(let now): json.time("now", now)
        case .archiveEnded(let hosts), .downloadsEnded(let hosts): json.hosts(hosts)
        case .downloads(let entries):
            json.array("files") { json in
                for entry in entries { json.object { entry.write(to: &$0) } }
            }
        }
    }
}

extension TextReply {
    fileprivate func write(to json: inout JSONWriter) {
        json.text("episode", episode.text)
        json.time("repliedAt", repliedAt)
        kind.write(to: &json)
    }
}

extension DownloadEntry {
    fileprivate func write(to json: inout JSONWriter) {
        json.text("episode", episodeID.text)
        json.text("path", file?.path)
        json.integer("bytes", file?.bytes)
        json.time("modifiedAt", file?.modifiedAt)
        if failures > 0 { json.integer("failures", failures) }
        json.time("retryAt", retryAt)
        if isDropped { json.flag("dropped", true) }
    }
}

/// The members that only the records of steps have.
struct StepMembers {
    private var replies: [TextReply] = []
    private var files: [DownloadEntry] = []

    /// False if the member belongs to no step.
    mutating func read(_ key: String, from json: inout JSONReader) throws -> Bool {
        switch key {
        case "replies": try json.array { if let reply = try Self.reply(&$0) { replies.append(reply) } }
        case "files": try json.array { if let file = try Self.file(&$0) { files.append(file) } }
        default: return false
        }
        return true
    }

    private static func reply(_ json: inout JSONReader) throws -> TextReply? {
        var (episode, at, kind) = (EpisodeID?.none, Timestamp(seconds: 0), RunReply.Kind.asked)
        try json.object { json, key in
            switch key {
            case "episode": episode = EpisodeID(text: try json.string())
            case "repliedAt": at = try json.time()
            case "notAsked": kind = RunReply.Kind(notAsked: try RecordedFailure(from: &json))
            case "dropped": if try json.bool() { kind = .dropped }
            default: try json.skip()
            }
        }
        return episode.map { TextReply(episode: $0, kind: kind, repliedAt: at) }
    }

    private static func file(_ json: inout JSONReader) throws -> DownloadEntry? {
        var entry: DownloadEntry?
        var file = DownloadedFile(path: "", bytes: 0, modifiedAt: Timestamp(seconds: 0))
        try json.object { json, key in
            switch key {
            case "episode": entry = EpisodeID(text: try json.string()).map { DownloadEntry($0) }
            case "path": file.path = try json.string()
            case "bytes": file.bytes = try json.integer()
            case "modifiedAt": file.modifiedAt = try json.time()
            case "failures": entry?.failures = try json.integer()
            case "retryAt": entry?.retryAt = try json.time()
            case "dropped": entry?.isDropped = try json.bool()
            default: try json.skip()
            }
        }
        if !file.path.isEmpty { entry?.file = file }
        return entry
    }

    /// nil if `word` is not the name of a step.
    func step(
        _ word: String, texts: [String: String], now: Timestamp, numbers: [String: Int], flags: Set<String>,
        hosts: [String: HostState]
    ) -> RunStep? {
        switch word {
        case "planned": texts["text"].flatMap(EpisodeText.init).map { .planned($0, at: now) }
        case "texts": .texts(replies, reachedAnyone: flags.contains("reachedAnyone"))
        case "textsEnded": .textsEnded(reachedAnyone: flags.contains("reachedAnyone"), hosts: hosts)
        case "archive":
            .archive(
                PodcastID(text: texts["for"] ?? ""), maxPages: numbers["maxPages"] ?? 0, isForced: flags.contains("forced"))
        case "page": .page(at: now)
        case "archiveEnded": .archiveEnded(hosts: hosts)
        case "downloads": .downloads(files)
        case "downloadsEnded": .downloadsEnded(hosts: hosts)
        default: nil
        }
    }
}

extension RunReply.Kind {
    /// - Parameter failure: the reason why a server was not asked; nil if it was.
    init(notAsked failure: RecordedFailure?) {
        switch failure {
        case .paused(let until): self = .paused(until: until)
        case .fetch(let failure): self = .unreachable(failure)
        case .system, nil: self = .asked
        }
    }
}
