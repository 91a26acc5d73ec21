import Domain

/// What is written for settlements: a compare-and-set by the revisions of the stored records.
struct PreparedSettlements: Sendable {
    /// One for each settlement, in order.
    private(set) var results: [WriteResult] = []
    /// The episodes of those that win.
    private(set) var episodes: [PodcastChanges] = []
    /// Their records, whose validators vouch for the episodes.
    private(set) var records: [Catalogue.Change] = []

    /// - Parameters:
    ///   - stored: the current records.
    ///   - contentRevision: the library's, if any content changes.
    init(_ settlements: [Settlement], over stored: [PodcastID: Podcast], contentRevision: Int) {
        var seen: Set<PodcastID> = []
        for settlement in settlements {
            let current = stored[settlement.podcast.id]
            guard let current, current.revision == settlement.podcast.revision, seen.insert(current.id).inserted else {
                results.append(.lost(current: current))
                continue
            }
            var podcast = settlement.podcast
            podcast.revision += 1
            podcast.contentRevision = podcast.hasContent(unlike: current) ? contentRevision : current.contentRevision
            if let changes = settlement.changes { episodes.append(changes) }
            records.append(Catalogue.Change(podcast: podcast, earlier: current))
            results.append(.stored(podcast))
        }
    }
}

/// What is written for new subscriptions.
struct PreparedSubscriptions: Sendable {
    /// One for each subscription, in order.
    private(set) var results: [AddResult] = []
    private(set) var podcasts: [Podcast] = []
    private(set) var episodes: [PodcastChanges] = []

    /// - Parameter described: adds what an earlier subscription left to a podcast that was not fetched yet.
    init(_ subscriptions: [NewSubscription], among table: PodcastTable, described: (Podcast) throws -> Podcast) rethrows {
        let existing = table.podcasts(at: subscriptions.map(\.podcast.feedURL))
        var byURL = Dictionary(existing.map { ($0.feedURL, $0) }, uniquingKeysWith: { first, _ in first })
        var ids: Set<PodcastID> = []
        for subscription in subscriptions {
            let url = subscription.podcast.feedURL
            if let existing = byURL[url] {
                results.append(.existing(existing))
                continue
            }
            var (podcast, changes) = (subscription.podcast, subscription.changes)
            if table[podcast.id] != nil || ids.contains(podcast.id) {
                podcast = podcast.unfetched { table[$0] != nil || ids.contains($0) }
                changes = nil
            }
            if let changes { episodes.append(changes) } else { podcast = try described(podcast) }
            podcast.revision = 1
            if podcast.episodesRevision > 0 { podcast.contentRevision = table.contentRevision + 1 }
            byURL[url] = podcast
            ids.insert(podcast.id)
            podcasts.append(podcast)
            results.append(.added(podcast))
        }
    }
}
