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

    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && withdrawn.isEmpty }
    /// The stored episodes that `FeedDifference` needs in full.
    public var needed: [EpisodeID] { changed.map(\.id) + withdrawn }

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
    /// nil if an item has no date.
    private static func oldest(of items: [FeedItem]) -> Timestamp? {
        let dates = items.compactMap(\.item.publishedAt)
        return dates.count == items.count ? dates.min() : nil
    }
}

/// Pairs items with stored episodes, most reliable keys first. Both are identified by their indices.
private struct Pairing {
    let digests: [ContentDigest]
    let stored: [StoredEpisode]
    let itemKeys: [IdentityKeys]
    var storedOfItem: [Int: Int] = [:]
    var itemOfStored: [Int: Int] = [:]
    /// Items that are equal to an earlier item of the same document.
    var repeats: Set<Int> = []

    init(items: [FeedItem], digests: [ContentDigest], stored: [StoredEpisode]) {
        self.digests = digests
        self.stored = stored
        itemKeys = stored.isEmpty ? [] : items.map { IdentityKeys(of: $0.item) }
    }

    mutating func pairByPrimaryKey() {
        let storedByKey = Dictionary(grouping: stored.indices, by: { stored[$0].keys.primary })
        for (key, items) in Dictionary(grouping: itemKeys.indices, by: { itemKeys[$0].primary }) {
            let storedIndices = storedByKey[key] ?? []
            if items.count == 1, storedIndices.count == 1 {
                pair(items[0], storedIndices[0])
            } else if items.count > 1 || storedIndices.count > 1 {
                pairShared(items, storedIndices)
            }
        }
    }

    /// Pairs remaining items by other keys that exactly one item and one episode have.
    mutating func pairRemaining() {
        let items = itemKeys.indices.filter { !repeats.contains($0) }
        pair(items, Array(stored.indices), uniquely: true, by: \.enclosureURL)
        pair(items, Array(stored.indices), uniquely: true, by: \.titleAndDate)
    }

    /// Pairs items that share a guid: another key must agree as well.
    private mutating func pairShared(_ items: [Int], _ storedIndices: [Int]) {
        var seen = Set<ContentDigest>()
        let items = items.filter { item in
            let isFirst = seen.insert(digests[item]).inserted
            if !isFirst { repeats.insert(item) }
            return isFirst
        }
        pair(items, storedIndices, uniquely: false, item: { [digests] in digests[$0] }, stored: { [stored] in stored[$0].digest })
        pair(items, storedIndices, uniquely: false, by: \.titleAndEnclosure)
        pair(items, storedIndices, uniquely: false, by: \.titleAndDate)
        pair(items, storedIndices, uniquely: false, by: \.enclosureURL)
        pair(items, storedIndices, uniquely: false, by: \.title)
        // If one remains on each side, and one side only ever had one, they are the same episode, edited.
        let remainingItems = items.filter { storedOfItem[$0] == nil }
        let remainingStored = storedIndices.filter { itemOfStored[$0] == nil }
        if remainingItems.count == 1, remainingStored.count == 1, items.count == 1 || storedIndices.count == 1 {
            pair(remainingItems[0], remainingStored[0])
        }
    }

    private mutating func pair(_ items: [Int], _ storedIndices: [Int], uniquely: Bool, by key: (IdentityKeys) -> String?) {
        pair(
            items, storedIndices, uniquely: uniquely, item: { [itemKeys] in key(itemKeys[$0]) },
            stored: { [stored] in key(stored[$0].keys) }
        )
    }

    /// Pairs unpaired items and episodes with the same key: in order, or, if `uniquely` is set, only if each side has
    /// one.
    private mutating func pair<Key: Hashable>(
        _ items: [Int], _ storedIndices: [Int], uniquely: Bool, item: (Int) -> Key?, stored: (Int) -> Key?
    ) {
        var storedByKey: [Key: [Int]] = [:]
        for index in storedIndices.reversed() where itemOfStored[index] == nil {
            if let key = stored(index) { storedByKey[key, default: []].append(index) }
        }
        guard !storedByKey.isEmpty else { return }
        var itemsByKey: [Key: [Int]] = [:]
        for candidate in items where storedOfItem[candidate] == nil {
            if let key = item(candidate), storedByKey[key] != nil { itemsByKey[key, default: []].append(candidate) }
        }
        for (key, candidates) in itemsByKey {
            guard var remaining = storedByKey[key], !uniquely || (candidates.count == 1 && remaining.count == 1) else { continue }
            for candidate in candidates {
                guard let index = remaining.popLast() else { break }
                pair(candidate, index)
            }
        }
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

    fileprivate var titleAndEnclosure: String? {
        guard let title, let enclosureURL else { return nil }
        return "\(title)\u{0}\(enclosureURL)"
    }
}
