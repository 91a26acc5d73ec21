import Domain
import JSON
import Records

/// The combined contents of a log's lines.
struct LogLines {
    private var logged: [Podcast] = []
    /// For each of them, true if it was not removed later.
    private var isSubscribed: [Bool] = []
    private var indices: [PodcastID: Int] = [:]
    private(set) var hasSecret: Set<PodcastID> = []
    /// The podcasts removed together with their episodes by the lines at the end of the log.
    private(set) var lastRemoved: [PodcastID] = []
    /// Unsubscribed podcasts whose episodes are still stored.
    private(set) var unsubscribed: Set<PodcastID> = []
    private(set) var removals = 0
    private(set) var removedAt: [(revision: Int, id: PodcastID)] = []

    func podcasts() -> [Podcast] {
        zip(logged, isSubscribed).compactMap { podcast, isSubscribed in
            guard isSubscribed else { return nil }
            var podcast = podcast
            podcast.mustBeIndexed()
            return podcast
        }
    }

    mutating func read(_ bytes: [UInt8], _ line: Range<Int>) throws {
        var current: Int?
        var removed: PodcastID?
        var removedID: PodcastID?
        try ChecksummedLine.read(bytes, line) { json, key in
            guard let index = current else {
                guard key == "podcast" else { throw json.error(.unexpected) }
                current = self.index(of: PodcastID(text: try json.string()))
                return
            }
            switch key {
            case "removed":
                _ = try json.bool()
                removals += 1
                if isSubscribed[index] {
                    let id = logged[index].id
                    remove(id)
                    (removed, removedID) = (id, id)
                    unsubscribed.remove(id)
                }
            case "hasSecret":
                let has = try !json.null() && json.bool()
                if isSubscribed[index] {
                    let id = logged[index].id
                    if has { hasSecret.insert(id) } else { hasSecret.remove(id) }
                }
            case "kept":
                if try json.bool(), let id = removed {
                    removed = nil
                    unsubscribed.insert(id)
                }
            case "contentRevision" where !isSubscribed[index]:
                let revision = try json.integer()
                if let removedID { removedAt.append((revision, removedID)) }
            default:
                if isSubscribed[index] { try logged[index].readMember(from: &json) } else { try json.skip() }
            }
        }
        if let removed { lastRemoved.append(removed) } else { lastRemoved = [] }
    }

    private mutating func index(of id: PodcastID) -> Int {
        if let index = indices[id] { return index }
        indices[id] = logged.count
        unsubscribed.remove(id)
        logged.append(Podcast(id: id, feedURL: "", subscribedAt: Timestamp(seconds: 0)))
        isSubscribed.append(true)
        return logged.count - 1
    }

    private mutating func remove(_ id: PodcastID) {
        if let index = indices.removeValue(forKey: id) { isSubscribed[index] = false }
        hasSecret.remove(id)
    }
}

extension Podcast {
    /// Records of earlier programs have no content revision, but the index must see them once.
    mutating func mustBeIndexed() {
        if episodesRevision > 0, contentRevision == 0 { contentRevision = 1 }
    }
}
