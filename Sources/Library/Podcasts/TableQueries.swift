import Domain
import Scheduling

/// Queries on the records in memory.
extension PodcastTable: RecordSource {
    var count: Int { all.count }

    func podcasts(at feedURLs: [String]) -> [Podcast] {
        guard !feedURLs.isEmpty else { return [] }
        let wanted = Set(feedURLs)
        return all.filter { wanted.contains($0.feedURL) }.at(feedURLs)
    }

    func podcasts(withIDPrefix prefix: String, limit: Int) -> [Podcast] {
        Array(all.filter { $0.id.text.hasPrefix(prefix) }.sorted { $0.id < $1.id }.prefix(limit))
    }

    func ids(withPrefix prefix: String) -> [PodcastID] { ids.filter { $0.text.hasPrefix(prefix) } }

    func podcasts(titled name: TitleName, limit: Int) -> [Podcast] {
        Array(TitleName.best(among: all, fit: name.fit).sorted { $0.id < $1.id }.prefix(limit))
    }

    func page(of listing: PodcastListing, after last: Podcast?, limit: Int) -> [Podcast] {
        let remaining = all.filter { podcast in
            listing.includes(podcast) && (last.map { listing.isBefore($0, podcast) } ?? true)
        }
        return Array(remaining.sorted { listing.isBefore($0, $1) }.prefix(limit))
    }

    func overview(now: Timestamp) -> LibraryOverview {
        var overview = LibraryOverview()
        var troubled: [(title: String, id: PodcastID)] = []
        for podcast in all {
            if overview.count(podcast, now: now) { troubled.append((podcast.displayTitle.lowercased(), podcast.id)) }
        }
        overview.setNeedingAttention(troubled)
        return overview
    }

    func changes(since revision: Int) -> LibraryChanges? {
        guard revision >= forgottenRevision, revision <= contentRevision else { return nil }
        var changes = LibraryChanges(revision: contentRevision)
        for podcast in all where podcast.contentRevision > revision { changes.changed[podcast.id] = podcast.contentRevision }
        changes.removed = Set(removedAt.filter { $0.revision > revision && self[$0.id] == nil }.map(\.id))
        return changes
    }

    func contains(_ id: PodcastID) -> Bool { self[id] != nil }
    func podcasts(_ ids: [PodcastID]) -> [Podcast] { ids.compactMap { self[$0] } }

    func forEachDue(_ body: (PodcastID, Schedule.DueFacts, _ host: UInt64) -> Void) {
        for podcast in sorted() { body(podcast.id, podcast.due, CatalogueEntry.hash(podcast.hostKey)) }
    }

    var lastAddedAt: Timestamp? { all.lazy.compactMap(\.lastAddedAt).max() }
}
