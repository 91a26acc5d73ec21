import Domain
import Scheduling

extension Catalogue: RecordSource {
    var count: Int { header.count }
    var contentRevision: Int { header.contentRevision }
    var lastAddedAt: Timestamp? {
        var last: Timestamp?
        eachEntry { last = [last, $0.lastAddedAt].compactMap(\.self).max() }
        return last
    }
    var lastRemoved: [PodcastID] { header.lastRemoved.filter { !contains($0) } }
    var unsubscribed: Set<PodcastID> { header.unsubscribed }

    func contains(_ id: PodcastID) -> Bool { entry(id) != nil }
    func podcasts(_ ids: [PodcastID]) throws -> [Podcast] { try podcasts(ids.compactMap { entry($0) }) }

    func podcasts(at feedURLs: [String]) throws -> [Podcast] {
        let wanted = Set(feedURLs.map(CatalogueEntry.hash))
        guard !wanted.isEmpty else { return [] }
        return try podcasts(entries.filter { wanted.contains($0.feedURL) }).at(feedURLs)
    }

    func podcasts(withIDPrefix prefix: String, limit: Int) throws -> [Podcast] {
        try podcasts(entries(withIDPrefix: prefix).prefix(limit))
    }

    func ids(withPrefix prefix: String) -> [PodcastID] { entries(withIDPrefix: prefix).map(\.id) }

    private func entries(withIDPrefix prefix: String) -> some Sequence<CatalogueEntry> {
        let key = CatalogueEntry.Key(PodcastID(text: prefix))
        let first = key.map { key in (0..<header.count).partitioningIndex { entry($0).key >= key } } ?? header.count
        return (first..<header.count).lazy.map { entry($0) }.prefix { $0.id.text.hasPrefix(prefix) }
    }

    func podcasts(titled name: TitleName, limit: Int) throws -> [Podcast] {
        // A channel title that the owner replaced is only in the record.
        var hidden: [Int] = []
        let fitting = TitleName.best(among: 0..<header.count) { index in
            let entry = entry(index)
            let titles = entry.titles
            if titles.channel != 0 && titles.channel != titles.own { hidden.append(index) }
            return name.mayFit(titleBytes(entry).bindMemory(to: UInt8.self).span) ? name.fit(title(entry)) : nil
        }
        let candidates = try podcasts(Set(fitting + hidden).sorted().map { entry($0) })
        return Array(TitleName.best(among: candidates, fit: name.fit).prefix(limit))
    }

    func page(of listing: PodcastListing, after last: Podcast?, limit: Int) throws -> [Podcast] {
        if listing == .all {
            let key = last.flatMap { CatalogueEntry.Key($0.id) }
            let first = key.map { key in (0..<header.count).partitioningIndex { entry($0).key > key } } ?? 0
            return try podcasts((first..<header.count).prefix(limit).map { entry($0) })
        }
        let remaining = entries.filter { entry in
            listing.includes(entry) && (last.map { listing.isBefore($0, entry) } ?? true)
        }
        return try podcasts(Array(remaining).sorted { listing.isBefore($0, $1) }.prefix(limit))
    }

    func overview(now: Timestamp) -> LibraryOverview {
        var overview = LibraryOverview()
        var troubled: [(title: String, id: PodcastID)] = []
        eachEntry { entry in
            if overview.count(entry, now: now) { troubled.append((title(entry), entry.id)) }
        }
        overview.setNeedingAttention(troubled)
        return overview
    }

    func changes(since revision: Int) -> LibraryChanges? {
        guard revision >= header.forgottenRevision, revision <= header.contentRevision else { return nil }
        var changes = LibraryChanges(revision: header.contentRevision)
        for entry in entries where entry.contentRevision > revision { changes.changed[entry.id] = entry.contentRevision }
        changes.removed = Set(header.removedAt.filter { $0.revision > revision && !contains($0.id) }.map(\.id))
        return changes
    }

    func fileRecord(_ id: PodcastID) -> PodcastTable.FileRecord {
        let revision = entry(id)?.episodesRevision ?? 0
        return PodcastTable.FileRecord(
            folder: revision > 0 ? EpisodeFiles.folder : header.unsubscribed.contains(id) ? EpisodeFiles.keptFolder : nil,
            revision: revision,
            removals: PodcastTable.Removals(generation: log.anchor.generation, count: header.removals))
    }

    func forEachDue(_ body: (PodcastID, Schedule.DueFacts, _ host: UInt64) -> Void) {
        eachEntry { body($0.id, $0.due, $0.host) }
    }
}
