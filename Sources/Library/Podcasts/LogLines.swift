import Domain
import JSON
import Records

/// What the lines of a log say, taken together.
struct LogLines {
    private var found: [Podcast] = []
    /// Whether each of them is still there.
    private var isThere: [Bool] = []
    private var places: [PodcastID: Int] = [:]
    private(set) var hasSecret: Set<PodcastID> = []
    /// The podcasts of the lines at the end that remove one with its episodes.
    private(set) var lastRemoved: [PodcastID] = []
    private(set) var kept: Set<PodcastID> = []
    private(set) var removals = 0
    private(set) var removedAt: [(revision: Int, id: PodcastID)] = []

    func podcasts() -> [Podcast] {
        zip(found, isThere).compactMap { podcast, isThere in
            guard isThere else { return nil }
            var podcast = podcast
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
                if isThere[known] {
                    let id = found[known].id
                    remove(id)
                    (removed, removedID) = (id, id)
                    kept.remove(id)
                }
            case "hasSecret":
                let has = try !json.null() && json.bool()
                if isThere[known] {
                    let id = found[known].id
                    if has { hasSecret.insert(id) } else { hasSecret.remove(id) }
                }
            case "kept":
                if try json.bool(), let id = removed {
                    removed = nil
                    kept.insert(id)
                }
            case "contentRevision" where !isThere[known]:
                let revision = try json.integer()
                if let removedID { removedAt.append((revision, removedID)) }
            default:
                if isThere[known] { try found[known].read(key, from: &json) } else { try json.skip() }
            }
        }
        if let removed { lastRemoved.append(removed) } else { lastRemoved = [] }
    }

    private mutating func place(of id: PodcastID) -> Int {
        if let place = places[id] { return place }
        places[id] = found.count
        kept.remove(id)
        found.append(Podcast(id: id, feedURL: "", subscribedAt: Timestamp(seconds: 0)))
        isThere.append(true)
        return found.count - 1
    }

    private mutating func remove(_ id: PodcastID) {
        if let place = places.removeValue(forKey: id) { isThere[place] = false }
        hasSecret.remove(id)
    }
}
