import Domain
import Records

/// The stored form of the steps after the last batch.
extension RunStep {
    /// A step of each kind, into which a stored one is read.
    static let blanks: [RunStep] = [
        .planned(.transcript, at: Timestamp(seconds: 0)), .texts([], reachedAnyone: false),
        .textsEnded(reachedAnyone: false, hosts: [:]), .archive(PodcastID(text: ""), maxPages: 0, isForced: false),
        .page(at: Timestamp(seconds: 0)), .archiveEnded(hosts: [:]), .downloads([]), .downloadsEnded(hosts: [:]),
    ]

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

    mutating func list<L: FieldList>(_ list: inout L) {
        switch self {
        case .planned(var text, var now):
            list.text("text", &text)
            list.time("now", &now)
            self = .planned(text, at: now)
        case .texts(var replies, var reachedAnyone):
            list.flag("reachedAnyone", always: &reachedAnyone)
            list.objects("replies", &replies, as: { $0.map { RecordedReply(reply: $0) } }) { $0.map(\.reply) }
            self = .texts(replies, reachedAnyone: reachedAnyone)
        case .textsEnded(var reachedAnyone, var hosts):
            list.flag("reachedAnyone", always: &reachedAnyone)
            list.hosts(&hosts)
            self = .textsEnded(reachedAnyone: reachedAnyone, hosts: hosts)
        case .archive(var podcast, var maxPages, var isForced):
            list.text("for", &podcast, as: \.text) { PodcastID(text: $0) }
            list.integer("maxPages", always: &maxPages)
            list.flag("forced", &isForced)
            self = .archive(podcast, maxPages: maxPages, isForced: isForced)
        case .page(var now):
            list.time("now", &now)
            self = .page(at: now)
        case .archiveEnded(var hosts):
            list.hosts(&hosts)
            self = .archiveEnded(hosts: hosts)
        case .downloads(var entries):
            list.objects("files", &entries, as: { $0.map { RecordedDownload(entry: $0) } }) { $0.map(\.entry) }
            self = .downloads(entries)
        case .downloadsEnded(var hosts):
            list.hosts(&hosts)
            self = .downloadsEnded(hosts: hosts)
        }
    }
}

private struct RecordedReply: ReadableFields {
    var reply = TextReply(
        episode: EpisodeID(podcast: PodcastID(text: ""), identity: ""), kind: .asked, repliedAt: Timestamp(seconds: 0))

    mutating func list<L: FieldList>(_ list: inout L) {
        list.text("episode", &reply.episode)
        list.time("repliedAt", &reply.repliedAt)
        reply.kind.list(&list)
    }
}

private struct RecordedDownload: ReadableFields {
    var entry = DownloadEntry()

    mutating func list<L: FieldList>(_ list: inout L) {
        list.text("episode", &entry.episodeID)
        entry.list(&list)
    }
}
