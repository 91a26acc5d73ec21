import Domain
import JSON
import Records

/// What the lines of a log say, taken together.
struct LogLines {
    private var found: [Podcast?] = []
    private var places: [PodcastID: Int] = [:]
    private(set) var hasSecret: Set<PodcastID> = []
    /// The podcasts of the lines at the end that remove one with its episodes.
    private(set) var lastRemoved: [PodcastID] = []
    private(set) var kept: Set<PodcastID> = []
    private(set) var removals = 0
    private(set) var removedAt: [(revision: Int, id: PodcastID)] = []

    func podcasts() -> [Podcast] {
        found.compactMap { podcast in
            guard var podcast else { return nil }
            // Records of earlier programs have no revision of their content; the index has to see it once.
            if podcast.episodesRevision > 0, podcast.contentRevision == 0 { podcast.contentRevision = 1 }
            return podcast
        }
    }

    mutating func read(_ bytes: [UInt8], _ line: Range<Int>) throws {
        var place: Int?
        var removed: PodcastID?
        var removedID: PodcastID?
        try ChecksummedLine.read(bytes, line) { json, key in
            guard let known = place else {
                guard key == "podcast" else { throw json.error(.unexpected) }
                place = self.place(of: PodcastID(text: try json.string()))
                return
            }
            switch key {
            case "removed":
                _ = try json.bool()
                removals += 1
                if let podcast = found[known] {
                    remove(podcast.id)
                    (removed, removedID) = (podcast.id, podcast.id)
                    kept.remove(podcast.id)
                }
            case "hasSecret":
                let has = try !json.null() && json.bool()
                if let podcast = found[known] {
                    if has { hasSecret.insert(podcast.id) } else { hasSecret.remove(podcast.id) }
                }
            case "kept":
                if try json.bool(), let id = removed {
                    removed = nil
                    kept.insert(id)
                }
            case "contentRevision" where found[known] == nil:
                let revision = try json.integer()
                if let removedID { removedAt.append((revision, removedID)) }
            default:
                if found[known] == nil { try json.skip() } else { try found[known]?.read(key, from: &json) }
            }
        }
        if let removed { lastRemoved.append(removed) } else { lastRemoved = [] }
    }

    private mutating func place(of id: PodcastID) -> Int {
        if let place = places[id] { return place }
        places[id] = found.count
        kept.remove(id)
        found.append(Podcast(id: id, feedURL: "", subscribedAt: Timestamp(seconds: 0)))
        return found.count - 1
    }

    private mutating func remove(_ id: PodcastID) {
        if let place = places.removeValue(forKey: id) { found[place] = nil }
        hasSecret.remove(id)
    }
}
