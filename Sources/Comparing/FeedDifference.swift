public import Domain

/// The difference between a feed and the stored episodes. Pure values, no I/O.
///
/// There are three steps, so that unchanged episodes are never decoded: `FeedMatch` pairs items with stored episodes by
/// identity and digest alone; if items and episodes remain, `FeedMatch.recognize` compares these in full; `FeedDifference`
/// then needs only the changed episodes in full, some at a time.
public struct FeedDifference: Sendable {
    /// New episodes in reverse feed order, oldest first, so that a file grows at its end.
    public var added: [Episode] = []
    /// Episodes that the feed changed; the names of the fields that differ are in their history.
    public var changed: [Episode] = []
    /// Episodes of which only the query of a URL changed, as signed URLs do with each answer: stored, but no edit.
    public var rotated: [Episode] = []
    /// Episodes that are no longer in the feed.
    public var withdrawn: [Episode] = []
    /// Withdrawn episodes that are in the feed again.
    public var returned: [Episode] = []

    public var hasOnlyRotations: Bool { added.isEmpty && changed.isEmpty && withdrawn.isEmpty && returned.isEmpty }

    /// What was added and what was withdrawn; `compare` adds what changed.
    ///
    /// - Parameters:
    ///   - digests: one for each item.
    ///   - stored: the withdrawn episodes; a missing one counts as unchanged.
    public init(match: FeedMatch, items: [FeedItem], digests: [ContentDigest], stored: [EpisodeID: Episode], now: Timestamp) {
        added.reserveCapacity(match.added.count)
        for (itemIndex, id) in match.added.reversed() {
            added.append(Episode(id: id, item: items[itemIndex], digest: digests[itemIndex], firstSeenAt: now, changedAt: now))
        }
        for id in match.withdrawn {
            guard var episode = stored[id] else { continue }
            episode.withdrawnAt = now
            episode.changedAt = now
            episode.record(EpisodeEdit(at: now, kind: .withdrawn))
            withdrawn.append(episode)
        }
    }

    /// Compares changed items with their episodes.
    ///
    /// - Parameters:
    ///   - part: some of `match.changed`.
    ///   - stored: the episodes of `part`; a missing one counts as unchanged.
    public mutating func compare(
        _ part: ArraySlice<(item: Int, id: EpisodeID)>, of match: FeedMatch, items: [FeedItem], digests: [ContentDigest],
        stored: [EpisodeID: Episode], now: Timestamp
    ) {
        for (itemIndex, id) in part {
            guard let before = stored[id] else { continue }
            let item = items[itemIndex].item
            let fields = FieldDigests(of: item).changed(from: FieldDigests(of: before.item))
            let kind: EpisodeEdit.Kind = before.isWithdrawn ? .returned : .changed
            var after = before
            after.replace(items[itemIndex], digests[itemIndex])
            if !before.isWithdrawn, item.differsOnlyInQueries(from: before.item, fields) {
                rotated.append(after)
                continue
            }
            after.changedAt = now
            after.withdrawnAt = nil
            let formerTitle = before.item.title == item.title ? nil : before.item.title
            after.record(
                EpisodeEdit(at: now, kind: kind, fields: fields, formerTitle: formerTitle, matchedBy: match.recognized[id]))
            if before.isWithdrawn { returned.append(after) } else { changed.append(after) }
        }
    }
}

extension Item {
    /// - Parameter fields: those that differ.
    fileprivate func differsOnlyInQueries(from other: Item, _ fields: [String]) -> Bool {
        func bare(_ url: String?) -> Substring? { url?.prefix { $0 != "?" } }
        guard !fields.isEmpty, fields.allSatisfy({ $0 == "enclosures" || $0 == "imageURL" }),
            bare(imageURL) == bare(other.imageURL), enclosures.count == other.enclosures.count
        else { return false }
        return zip(enclosures, other.enclosures).allSatisfy {
            bare($0.url) == bare($1.url) && $0.type == $1.type && $0.length == $1.length
        }
    }
}

extension Episode {
    mutating func record(_ edit: EpisodeEdit) {
        history.insert(edit, at: 0)
        if history.count > Episode.historyLimit { history.removeLast(history.count - Episode.historyLimit) }
    }
}

extension ContentDigest {
    /// The digest of a whole feed: the channel without its build dates, and every item in order.
    public static func feed(channel: ContentDigest, items: [ContentDigest]) -> ContentDigest {
        var hasher = XXH64()
        for digest in [channel] + items { hasher.update(digest.value) }
        return ContentDigest(value: hasher.finish())
    }
}

extension Channel {
    /// The channel without the dates that every build of the feed changes: a new lastBuildDate alone is no change.
    public var withoutBuildDates: Channel {
        var channel = self
        channel.publishedAt = nil
        channel.updatedAt = nil
        return channel
    }
}
