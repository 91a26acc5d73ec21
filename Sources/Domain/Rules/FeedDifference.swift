/// What a feed says now, compared with what is kept: pure values, no I/O.
///
/// Two steps, so that unchanged episodes are never decoded: `FeedMatch` pairs items with kept episodes by
/// identity and digest alone; `FeedDifference` then needs only the changed ones in full.
public struct FeedDifference: Sendable {
    /// New episodes, oldest place of the feed first, so that a file grows at its end.
    public var added: [Episode] = []
    /// The feed says something else than what is kept; each with the names of the fields that differ.
    public var changed: [Episode] = []
    /// No longer in the feed.
    public var withdrawn: [Episode] = []
    /// Withdrawn before, and in the feed again.
    public var returned: [Episode] = []

    public init() {}

    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && withdrawn.isEmpty && returned.isEmpty }

    /// - Parameters:
    ///   - digests: one for each item.
    ///   - kept: the episodes that `match.needed` names; an episode that is missing counts as unchanged.
    public init(match: FeedMatch, items: [FeedItem], digests: [ContentDigest], kept: [EpisodeID: Episode], now: Timestamp) {
        added.reserveCapacity(match.added.count)
        for (itemIndex, id) in match.added.reversed() {
            added.append(Episode(id: id, item: items[itemIndex], digest: digests[itemIndex], firstSeenAt: now, changedAt: now))
        }
        for (itemIndex, id) in match.changed {
            guard let before = kept[id] else { continue }
            let item = items[itemIndex].item
            let fields = FieldDigests(of: item).changed(from: FieldDigests(of: before.item))
            let kind: EpisodeEdit.Kind = before.isWithdrawn ? .returned : .changed
            var after = before
            after.replace(items[itemIndex], digests[itemIndex])
            after.changedAt = now
            after.withdrawnAt = nil
            let formerTitle = before.item.title == item.title ? nil : before.item.title
            after.record(EpisodeEdit(at: now, kind: kind, fields: fields, formerTitle: formerTitle))
            if before.isWithdrawn { returned.append(after) } else { changed.append(after) }
        }
        for id in match.withdrawn {
            guard var episode = kept[id] else { continue }
            episode.withdrawnAt = now
            episode.changedAt = now
            episode.record(EpisodeEdit(at: now, kind: .withdrawn))
            withdrawn.append(episode)
        }
    }
}

extension Episode {
    mutating func record(_ edit: EpisodeEdit) {
        history.insert(edit, at: 0)
        if history.count > Episode.historyLimit { history.removeLast(history.count - Episode.historyLimit) }
    }
}

/// Which item is which kept episode.
public struct FeedMatch: Sendable {
    /// Items no kept episode stands for, in document order, with the ids they get.
    public var added: [(item: Int, id: EpisodeID)] = []
    /// Items that differ from the kept episode, or return after a withdrawal.
    public var changed: [(item: Int, id: EpisodeID)] = []
    /// Kept episodes that left the feed.
    public var withdrawn: [EpisodeID] = []
    /// How many items are kept episodes.
    public var pairs = 0

    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && withdrawn.isEmpty }
    /// The kept episodes that are needed in full to make the difference.
    public var needed: [EpisodeID] { changed.map(\.id) + withdrawn }

    /// - Parameters:
    ///   - digests: one for each item.
    ///   - isComplete: false where the document was cut off: such a feed withdraws nothing.
    public init(
        items: [FeedItem], digests: [ContentDigest], kept: [StoredEpisode], podcast: PodcastID, isComplete: Bool
    ) {
        var pairing = Pairing(items: items, digests: digests, kept: kept)
        if !kept.isEmpty {
            pairing.pairByPrimaryKey()
            pairing.pairRest()
        }
        pairs = pairing.keptOfItem.count

        var taken = Set(kept.map(\.id))
        var seen = Set<ContentDigest>()
        let new = items.count - pairs
        taken.reserveCapacity(kept.count + new)
        seen.reserveCapacity(items.count)
        added.reserveCapacity(new)
        // Where many items share one guid, the next of them need not try the ids of all before.
        var attempts: [String: Int] = [:]
        for index in items.indices {
            if let place = pairing.keptOfItem[index] {
                let episode = kept[place]
                if episode.digest != digests[index] || episode.isWithdrawn { changed.append((index, episode.id)) }
                seen.insert(digests[index])
            } else if !pairing.repeats.contains(index), seen.insert(digests[index]).inserted {
                var id = items[index].id(in: podcast)
                while !taken.insert(id).inserted {
                    let identity = items[index].identity
                    attempts[identity, default: 0] += 1
                    id = EpisodeID(podcast: podcast, identity: identity, attempt: attempts[identity, default: 0])
                }
                added.append((index, id))
            }
        }
        // A feed that lists nothing keeps its episodes.
        guard isComplete, !items.isEmpty else { return }
        for (place, episode) in kept.enumerated() where pairing.itemOfKept[place] == nil && !episode.isWithdrawn {
            withdrawn.append(episode.id)
        }
    }
}

/// Pairs items with kept episodes, surest sign first.
private struct Pairing {
    let digests: [ContentDigest]
    let kept: [StoredEpisode]
    let itemKeys: [IdentityKeys]
    var keptOfItem: [Int: Int] = [:]
    var itemOfKept: [Int: Int] = [:]
    /// Items that say exactly what an earlier item of the same document says.
    var repeats: Set<Int> = []

    init(items: [FeedItem], digests: [ContentDigest], kept: [StoredEpisode]) {
        self.digests = digests
        self.kept = kept
        itemKeys = kept.isEmpty ? [] : items.map { IdentityKeys(of: $0.item) }
    }

    mutating func pairByPrimaryKey() {
        let keptByKey = Dictionary(grouping: kept.indices, by: { kept[$0].keys.primary })
        for (key, items) in Dictionary(grouping: itemKeys.indices, by: { itemKeys[$0].primary }) {
            let places = keptByKey[key] ?? []
            if items.count == 1, places.count == 1 {
                pair(items[0], places[0])
            } else if items.count > 1 || places.count > 1 {
                pairShared(items, places)
            }
        }
    }

    /// The rest by other signs, each only where it points at exactly one on either side.
    mutating func pairRest() {
        let items = itemKeys.indices.filter { !repeats.contains($0) }
        pair(items, Array(kept.indices), uniquely: true, by: \.enclosureURL)
        pair(items, Array(kept.indices), uniquely: true, by: \.titleAndDate)
    }

    /// Several items under one guid: the guid alone says too little, so something else must agree as well.
    private mutating func pairShared(_ items: [Int], _ places: [Int]) {
        var seen = Set<ContentDigest>()
        let items = items.filter { item in
            let isFirst = seen.insert(digests[item]).inserted
            if !isFirst { repeats.insert(item) }
            return isFirst
        }
        pair(items, places, uniquely: false, item: { [digests] in digests[$0] }, kept: { [kept] in kept[$0].digest })
        pair(items, places, uniquely: false, by: \.titleAndEnclosure)
        pair(items, places, uniquely: false, by: \.titleAndDate)
        pair(items, places, uniquely: false, by: \.enclosureURL)
        pair(items, places, uniquely: false, by: \.title)
        // One left on each side, and one alone under that guid: it is the same episode, edited.
        let restItems = items.filter { keptOfItem[$0] == nil }
        let restPlaces = places.filter { itemOfKept[$0] == nil }
        if restItems.count == 1, restPlaces.count == 1, items.count == 1 || places.count == 1 {
            pair(restItems[0], restPlaces[0])
        }
    }

    private mutating func pair(_ items: [Int], _ places: [Int], uniquely: Bool, by sign: (IdentityKeys) -> String?) {
        pair(
            items, places, uniquely: uniquely, item: { [itemKeys] in sign(itemKeys[$0]) }, kept: { [kept] in sign(kept[$0].keys) }
        )
    }

    /// Pairs what has the same sign and is not paired yet: in order, or only where there is one of each.
    private mutating func pair<Sign: Hashable>(
        _ items: [Int], _ places: [Int], uniquely: Bool, item: (Int) -> Sign?, kept: (Int) -> Sign?
    ) {
        var placesBySign: [Sign: [Int]] = [:]
        for place in places.reversed() where itemOfKept[place] == nil {
            if let sign = kept(place) { placesBySign[sign, default: []].append(place) }
        }
        guard !placesBySign.isEmpty else { return }
        var itemsBySign: [Sign: [Int]] = [:]
        for candidate in items where keptOfItem[candidate] == nil {
            if let sign = item(candidate), placesBySign[sign] != nil { itemsBySign[sign, default: []].append(candidate) }
        }
        for (sign, candidates) in itemsBySign {
            guard var rest = placesBySign[sign], !uniquely || (candidates.count == 1 && rest.count == 1) else { continue }
            for candidate in candidates {
                guard let place = rest.popLast() else { break }
                pair(candidate, place)
            }
        }
    }

    private mutating func pair(_ item: Int, _ place: Int) {
        keptOfItem[item] = place
        itemOfKept[place] = item
    }
}

extension IdentityKeys {
    fileprivate var titleAndDate: String? {
        guard let title, let publishedAt else { return nil }
        return "\(title)\u{0}\(publishedAt.seconds)"
    }

    fileprivate var titleAndEnclosure: String? {
        guard let title, let enclosureURL else { return nil }
        return "\(title)\u{0}\(enclosureURL)"
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
    /// The channel without what changes at every build of the feed: a new lastBuildDate alone is no change.
    public var withoutBuildDates: Channel {
        var channel = self
        channel.publishedAt = nil
        channel.updatedAt = nil
        return channel
    }
}
