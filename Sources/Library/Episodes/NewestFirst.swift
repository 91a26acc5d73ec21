import Domain

/// Picks the newest episodes of many, keeping no more than are wanted.
struct NewestFirst {
    private let listing: EpisodeStore.Listing
    private var picked: [(date: Timestamp, id: EpisodeID)] = []
    /// The oldest date that is still wanted, once there are enough.
    private var worst: Timestamp?

    init(_ listing: EpisodeStore.Listing) { self.listing = listing }

    /// Newest first; ids decide between equal dates.
    var ids: [EpisodeID] {
        let sorted = picked.sorted { ($1.date, $0.id) < ($0.date, $1.id) }
        return sorted.prefix(listing.limit ?? sorted.count).map(\.id)
    }

    /// - Parameter bound: no episode of the podcast is newer.
    func mayWant(_ podcast: Podcast, bound: Timestamp) -> Bool {
        if let since = listing.since, bound < since { return false }
        if let seen = listing.firstSeenSince, podcast.lastAddedAt ?? podcast.subscribedAt < seen { return false }
        if let worst, bound < worst { return false }
        return listing.limit != 0
    }

    mutating func offer(_ head: EpisodeHead) {
        guard let id = head.kept?.id, listing.since.map({ head.date >= $0 }) ?? true,
            listing.until.map({ head.date <= $0 }) ?? true, listing.firstSeenSince.map({ head.firstSeenAt >= $0 }) ?? true,
            worst.map({ head.date >= $0 }) ?? true
        else { return }
        picked.append((head.date, id))
        guard let limit = listing.limit, limit > 0, picked.count >= 2 * limit + 100 else { return }
        picked.sort { ($1.date, $0.id) < ($0.date, $1.id) }
        picked.removeLast(picked.count - limit)
        worst = picked.last?.date
    }
}
