public import Domain

/// Matches the items of a feed with stored episodes.
public struct FeedMatch: Sendable {
    /// New items in document order, with their new ids.
    public var added: [(item: Int, id: EpisodeID)] = []
    /// Items that differ from the stored episode, or return after a withdrawal.
    public var changed: [(item: Int, id: EpisodeID)] = []
    /// Stored episodes that left the feed.
    public var withdrawn: [EpisodeID] = []
    /// Number of items that match a stored episode.
    public var pairs = 0
    /// Why episodes were recognised although none of their keys is the same.
    public var recognized: [EpisodeID: EpisodeMatch] = [:]

    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && withdrawn.isEmpty }

    /// - Parameters:
    ///   - digests: one for each item.
    ///   - isComplete: false if the document was cut off: such a feed withdraws nothing.
    ///   - isPaged: true if older items are on other pages. Then a missing episode is withdrawn only if it is newer
    /// than the oldest item.
    public init(
        items: [FeedItem], digests: [ContentDigest], stored: [StoredEpisode], podcast: PodcastID, isComplete: Bool,
        isPaged: Bool = false
    ) {
        var pairing = Pairing(items: items, digests: digests, stored: stored)
        if !stored.isEmpty {
            pairing.pairByPrimaryKey()
            pairing.pairRemaining()
        }
        pairs = pairing.storedOfItem.count

        var taken = Set(stored.map(\.id))
        var seen = Set<ContentDigest>()
        let new = items.count - pairs
        taken.reserveCapacity(stored.count + new)
        seen.reserveCapacity(items.count)
        added.reserveCapacity(new)
        // If many items share one guid, each continues at the attempt after the previous one.
        var attempts: [String: Int] = [:]
        for index in items.indices {
            if let storedIndex = pairing.storedOfItem[index] {
                let episode = stored[storedIndex]
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
        let oldest = isPaged ? Self.oldest(of: items) ?? .distantFuture : .distantPast
        for (index, episode) in stored.enumerated() where pairing.itemOfStored[index] == nil && !episode.isWithdrawn {
            if isPaged, episode.keys.publishedAt ?? .distantPast <= oldest { continue }
            withdrawn.append(episode.id)
        }
    }
}

extension FeedMatch {
    /// Episodes that left an earlier version of the feed and may be in it again under other keys. Only if the whole feed
    /// looks like another one: then `recognize` needs them in full.
    public func formerEpisodes(items: [FeedItem], stored: [StoredEpisode]) -> [EpisodeID] {
        let minEpisodes = 3
        guard !stored.isEmpty, added.count >= minEpisodes, withdrawn.count >= minEpisodes || pairs == 0 else { return [] }
        let new = added.map { items[$0.item].item }
        let titles = Set(new.compactMap { $0.title.flatMap(EpisodeTraits.title) })
        let dates = Set(new.compactMap(\.publishedAt))
        let returned = Set(changed.map(\.id))
        return stored.filter { episode in
            guard episode.isWithdrawn, !returned.contains(episode.id) else { return false }
            return episode.keys.publishedAt.map(dates.contains) ?? false
                || episode.keys.title.flatMap(EpisodeTraits.title).map(titles.contains) ?? false
        }.map(\.id)
    }

    /// Recognizes added items as episodes that left the feed: see `MovedEpisodes`.
    ///
    /// - Parameter episodes: `withdrawn` and `formerEpisodes` in full.
    public mutating func recognize(items: [FeedItem], stored: [StoredEpisode], episodes: [Episode]) {
        guard !added.isEmpty, !episodes.isEmpty else { return }
        let moved = MovedEpisodes(feed: items, items: added.map(\.item), stored: stored, episodes: episodes)
        guard !moved.matches.isEmpty else { return }
        for match in moved.matches { recognized[match.id] = match.by }
        let matchedItems = Set(moved.matches.map(\.item))
        added.removeAll { matchedItems.contains($0.item) }
        withdrawn.removeAll { recognized[$0] != nil }
        changed += moved.matches.map { ($0.item, $0.id) }
        pairs += moved.matches.count
    }

    /// nil if an item has no date.
    private static func oldest(of items: [FeedItem]) -> Timestamp? {
        let dates = items.compactMap(\.item.publishedAt)
        return dates.count == items.count ? dates.min() : nil
    }
}

/// Pairs items with stored episodes, most reliable keys first. Both are identified by their indices.
private struct Pairing {
    let feed: [FeedItem]
    let digests: [ContentDigest]
    let stored: [StoredEpisode]
    var storedOfItem: [Int: Int] = [:]
    var itemOfStored: [Int: Int] = [:]
    /// Items that are equal to an earlier item of the same document.
    var repeats: Set<Int> = []

    init(items: [FeedItem], digests: [ContentDigest], stored: [StoredEpisode]) {
        (feed, self.digests, self.stored) = (items, digests, stored)
    }

    /// Made whenever needed: the keys of a large feed take as much memory as its texts.
    private func keys(_ item: Int) -> IdentityKeys { IdentityKeys(of: feed[item].item) }

    mutating func pairByPrimaryKey() {
        // By hashes, since dictionaries of the keys themselves would hold them all.
        let storedByHash = Dictionary(grouping: stored.indices) { stored[$0].keys.primary.hashValue }
        for (hash, items) in Dictionary(grouping: feed.indices, by: { keys($0).primary.hashValue }) {
            let storedIndices = storedByHash[hash] ?? []
            if items.count == 1, storedIndices.count == 1, digests[items[0]] == stored[storedIndices[0]].digest {
                pair(items[0], storedIndices[0])
            } else if !storedIndices.isEmpty || items.count > 1 {
                pairByPrimaryKey(items, storedIndices)
            }
        }
    }

    /// Pairs those whose primary keys have one hash.
    private mutating func pairByPrimaryKey(_ items: [Int], _ storedIndices: [Int]) {
        let storedByKey = Dictionary(grouping: storedIndices) { stored[$0].keys.primary }
        for (key, items) in Dictionary(grouping: items, by: { keys($0).primary }) {
            let storedIndices = storedByKey[key] ?? []
            if items.count == 1, storedIndices.count == 1 {
                pairUnderOneKey(items[0], storedIndices[0])
            } else if items.count > 1 || storedIndices.count > 1 {
                pairShared(items, storedIndices)
            }
        }
    }

    /// Pairs remaining items by other keys that only one item and only one episode have.
    mutating func pairRemaining() {
        let items = feed.indices.filter { !repeats.contains($0) }
        guard storedOfItem.count < items.count, itemOfStored.count < stored.count else { return }
        pairDistinct(items, Array(stored.indices), by: \.enclosureURL) { $0.confirmsEnclosure(of: $1) }
        pairDistinct(items, Array(stored.indices), by: \.titleAndDate)
    }

    /// Pairs items that share their primary key: other keys must agree as well.
    private mutating func pairShared(_ items: [Int], _ storedIndices: [Int]) {
        var seen = Set<ContentDigest>()
        let items = items.filter { item in
            let isFirst = seen.insert(digests[item]).inserted
            if !isFirst { repeats.insert(item) }
            return isFirst
        }
        if items.count == 1, storedIndices.count == 1 { return pairUnderOneKey(items[0], storedIndices[0]) }
        pairInOrder(items, storedIndices, item: { [digests] in digests[$0] }, stored: { [stored] in stored[$0].digest })
        pairInOrder(
            items, storedIndices, item: { [feed] in IdentityKeys(of: feed[$0].item) }, stored: { [stored] in stored[$0].keys })
        pairDistinct(items, storedIndices, by: \.titleAndDate)
        pairDistinct(items, storedIndices, by: \.enclosureURL) { $0.confirmsEnclosure(of: $1) }
        pairDistinct(items, storedIndices, by: \.title) { new, _ in new.guid != nil }
    }

    /// Pairs an item with the only episode under its primary key. A guid is enough; anything else, such as the URL of a
    /// constant `latest.mp3`, must be confirmed by title or date.
    private mutating func pairUnderOneKey(_ item: Int, _ storedIndex: Int) {
        let (new, old) = (keys(item), stored[storedIndex].keys)
        if new.guid != nil || new.hasTitleOrDate(of: old) { pair(item, storedIndex) }
    }

    /// Pairs unpaired items and episodes with the same key, in order.
    private mutating func pairInOrder<Key: Hashable>(
        _ items: [Int], _ storedIndices: [Int], item: (Int) -> Key, stored: (Int) -> Key
    ) {
        var storedByKey: [Key: [Int]] = [:]
        for index in storedIndices.reversed() where itemOfStored[index] == nil {
            storedByKey[stored(index), default: []].append(index)
        }
        guard !storedByKey.isEmpty else { return }
        for candidate in items where storedOfItem[candidate] == nil {
            if let index = storedByKey[item(candidate)]?.popLast() { pair(candidate, index) }
        }
    }

    /// Pairs unpaired items and episodes by a key that, among all that are given, one item and one episode have: what
    /// several share joins nothing.
    private mutating func pairDistinct(
        _ items: [Int], _ storedIndices: [Int], by key: (IdentityKeys) -> String?,
        where confirmed: (IdentityKeys, IdentityKeys) -> Bool = { _, _ in true }
    ) {
        let itemOfKey = Self.distinct(items) { key(keys($0)) }
        let storedOfKey = Self.distinct(storedIndices) { key(stored[$0].keys) }
        for (key, item) in itemOfKey where storedOfItem[item] == nil {
            guard let index = storedOfKey[key], itemOfStored[index] == nil, confirmed(keys(item), stored[index].keys) else {
                continue
            }
            pair(item, index)
        }
    }

    /// The indices by their key, without keys that several have.
    private static func distinct(_ indices: [Int], by key: (Int) -> String?) -> [String: Int] {
        var indexOfKey: [String: Int?] = [:]
        for index in indices {
            guard let key = key(index) else { continue }
            indexOfKey.updateValue(indexOfKey[key] == nil ? index : nil, forKey: key)
        }
        return indexOfKey.compactMapValues { $0 }
    }

    private mutating func pair(_ item: Int, _ storedIndex: Int) {
        storedOfItem[item] = storedIndex
        itemOfStored[storedIndex] = item
    }
}

extension IdentityKeys {
    fileprivate var titleAndDate: String? {
        guard let title, let publishedAt else { return nil }
        return "\(title)\u{0}\(publishedAt.seconds)"
    }

    /// True if the title or the date is the same, or if neither side has one.
    fileprivate func hasTitleOrDate(of other: IdentityKeys) -> Bool {
        if title == other.title, title != nil || publishedAt == other.publishedAt { return true }
        return publishedAt != nil && publishedAt == other.publishedAt
    }

    /// True if an episode with the same enclosure and another guid is this one: the date is the same, or the title. The
    /// news of the hour has one title and one URL for ever, so that another date then means another episode.
    fileprivate func confirmsEnclosure(of other: IdentityKeys) -> Bool {
        if let publishedAt, let date = other.publishedAt {
            return publishedAt == date || (title == other.title && title != nil && (guid == nil || other.guid == nil))
        }
        return title != nil && title == other.title
    }
}
