import Domain
import JSON
import Records

/// The combined contents of a log's lines.
///
/// In the order of the lines, only subscriptions and removals are followed. What the lines say of a podcast is decoded at
/// the end, newest first (see `LatestMembers`): a log that is about to be rewritten has many lines for each.
struct LogLines {
    private struct Subscription {
        let id: PodcastID
        var lines: [Range<Int>] = []
        var isRemoved = false
    }

    /// The file of the lines.
    private var bytes: [UInt8] = []
    private var subscriptions: [Subscription] = []
    private var indices: [PodcastID: Int] = [:]
    /// The podcasts removed together with their episodes by the lines at the end of the log.
    private(set) var lastRemoved: [PodcastID] = []
    /// Unsubscribed podcasts whose episodes are still stored.
    private(set) var unsubscribed: Set<PodcastID> = []
    private(set) var removals = 0
    private(set) var removedAt: [(revision: Int, id: PodcastID)] = []

    /// The podcasts without their passwords, in the order of their first lines.
    ///
    /// - Parameter damaged: called for each line that is not understood. What it would have replaced is kept.
    func podcasts(
        damaged: (JSONError, _ line: Int) throws -> Void = { error, _ in throw error }
    ) throws -> [(podcast: Podcast, hasPassword: Bool)] {
        try subscriptions.lazy.filter { !$0.isRemoved }.map { subscription in
            var members = LatestMembers(of: subscription.id)
            for line in subscription.lines.reversed() {
                do {
                    _ = try members.read(bytes, line)
                } catch let error as JSONError {
                    try damaged(error, bytes[..<line.lowerBound].count { $0 == UInt8(ascii: "\n") } + 1)
                }
            }
            return members.record()
        }
    }

    /// - Parameter bytes: the same file for all lines.
    mutating func read(_ bytes: [UInt8], _ line: Range<Int>) throws {
        self.bytes = bytes
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
                if !subscriptions[index].isRemoved {
                    let id = subscriptions[index].id
                    subscriptions[index].isRemoved = true
                    indices[id] = nil
                    (removed, removedID) = (id, id)
                    unsubscribed.remove(id)
                }
            case "kept":
                if try json.bool(), let id = removed {
                    removed = nil
                    unsubscribed.insert(id)
                }
            case "contentRevision" where subscriptions[index].isRemoved:
                let revision = try json.integer()
                if let removedID { removedAt.append((revision, removedID)) }
            default: try json.skip()
            }
        }
        if let current { subscriptions[current].lines.append(line) }
        if let removed { lastRemoved.append(removed) } else { lastRemoved = [] }
    }

    private mutating func index(of id: PodcastID) -> Int {
        if let index = indices[id] { return index }
        indices[id] = subscriptions.count
        unsubscribed.remove(id)
        subscriptions.append(Subscription(id: id))
        return subscriptions.count - 1
    }
}
