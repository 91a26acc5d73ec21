import Domain
import Scheduling

/// The subscriptions.
struct PodcastStore: PodcastRepository {
    let session: Session
    let time: DatabaseTime
    let bundles: BundleTable
    let episodes: EpisodeStore
    let tags: TagStore

    // MARK: Reading

    func podcasts(_ ids: [PodcastID]) async throws -> [Podcast] {
        let rows = try await session.read(
            Dictionary(grouping: ids, by: Shard.init).map { Transaction(.podcasts, $0, .texts($1.map(\.text))) })
        let byID = try Dictionary(rows.all.map { try PodcastRow.podcast($0) }.map { ($0.id, $0) }) { a, _ in a }
        return ids.compactMap { byID[$0] }
    }

    func podcasts(at feedURLs: [String]) async throws -> [Podcast] {
        guard !feedURLs.isEmpty else { return [] }
        let hashes = Parameter.ints(feedURLs.map(PodcastRow.hash))
        let rows = try await session.read(Shard.all.map { Transaction(.podcastsAtURLs, $0, hashes) })
        return try rows.all.map { try PodcastRow.podcast($0) }.at(feedURLs)
    }

    func podcasts(withIDPrefix prefix: String, limit: Int) async throws -> [Podcast] {
        try await page(from: [UInt8](prefix.utf8).predecessor, below: Array(prefix.utf8) + [0xFF], limit: limit)
    }

    func lengths(of ids: [PodcastID]) async throws -> [PodcastID: Int] {
        let rows = try await session.read(
            Dictionary(grouping: ids, by: Shard.init).map { shard, ids in
                let beginnings = Set(ids.map { String($0.text.prefix(ShortIDs.minLength)) })
                return Transaction(.podcastNeighbours, shard, .texts(beginnings), .bytes([0xFF]))
            })
        let others = Dictionary(grouping: rows.all.map { $0.text("id") }) { $0.prefix(ShortIDs.minLength) }
        var lengths: [PodcastID: Int] = [:]
        for id in ids {
            lengths[id] = ShortIDs.length(of: id.text, among: others[id.text.prefix(ShortIDs.minLength)] ?? [])
        }
        return lengths
    }

    func podcasts(titled name: TitleName, limit: Int) async throws -> [Podcast] {
        guard let word = name.longestWord else { return [] }
        let rows = try await session.read(Shard.all.map { Transaction(.podcastsWithWord, $0, .text(word)) })
        let candidates = try rows.all.map { try PodcastRow.podcast($0) }
        return Array(TitleName.best(among: candidates, fit: name.fit).sorted { $0.id < $1.id }.prefix(limit))
    }

    func page(of listing: PodcastListing, after last: Podcast?, limit: Int) async throws -> [Podcast] {
        if case .all = listing { return try await page(from: last.map { Array($0.id.text.utf8) } ?? [], limit: limit) }
        var (page, last) = ([Podcast](), last)
        while page.count < limit {
            let ids = try await latest(of: listing, after: last, limit: limit)
            let records = try await podcasts(ids)
            page += records.filter { listing.includes($0) }.prefix(limit - page.count)
            guard ids.count == limit, let end = records.last else { break }
            last = end
        }
        return page
    }

    /// The ids that follow `last` in the order of the newest episodes' dates.
    private func latest(of listing: PodcastListing, after last: Podcast?, limit: Int) async throws -> [PodcastID] {
        var since = Int64.min
        if case .latestEpisodes(let published?) = listing { since = published.seconds }
        var statement = Statement.latest
        if case .transcripts(_, _, byDefault: false, _) = listing { statement = .latestWantingTexts }
        let (time, id) = last.map { ($0.latestKey ?? .min, Array($0.id.text.utf8)) } ?? (.max, [])
        let rows = try await session.read(
            Shard.all.map { Transaction(statement, $0, .int(since), .int(time), .bytes(id), .int(limit)) })
        let latest = rows.all.map { (id: PodcastID(text: $0.text("id")), at: $0.number("latest") ?? 0) }
        return latest.sorted { $0.at == $1.at ? $0.id < $1.id : $0.at > $1.at }.prefix(limit).map(\.id)
    }

    /// Records in id order, which is the order of the shards. At first, so many shards are read that no more records come than
    /// there are shards, but at least one. Then as many as the page needs if each has as many records as those, and all if they
    /// have none: ids are spread evenly.
    private func page(from first: [UInt8], below end: [UInt8] = [0xFF], limit: Int) async throws -> [Podcast] {
        var page: [Podcast] = []
        var shards = Shard.all[Shard(idBeginning: String(decoding: first, as: UTF8.self)).number...]
        if let last = end.first, last < 0xFF {
            shards = shards.prefix { $0 <= Shard(idBeginning: String(decoding: end.prefix(1), as: UTF8.self)) }
        }
        // A shard that is read from its middle on says nothing about the others.
        var (width, isWhole) = (max(1, Shard.all.count / max(1, limit)), first.isEmpty)
        while page.count < limit, !shards.isEmpty {
            let next = shards.prefix(width)
            let rows = try await session.read(
                next.map { Transaction(.podcastsAfter, $0, .bytes(first), .bytes(end), .int(limit - page.count)) })
            let all = rows.all
            page += try all.prefix(limit - page.count).map { try PodcastRow.podcast($0) }
            shards = shards.dropFirst(width)
            let perShard = all.count / next.count
            width = !isWhole ? 1 : perShard == 0 ? Shard.all.count : (limit - page.count - 1) / perShard + 1
            isWhole = true
        }
        return page
    }

    func overview(now: Timestamp) async throws -> LibraryOverview {
        let troubled = Health.allCases.filter(\.needsAttention).map(PodcastRow.number)
        let limit = LibraryOverview.attentionLimit
        let rows = try await session.read(
            Shard.all.map { shard in
                Transaction(
                    [
                        Call(.overview, shard, .time(now)), Call(.changedHealth, shard, .time(now)),
                        Call(.needingAttention, shard, .ints(troubled), .time(now), .int(limit)),
                    ])
            })
        var overview = LibraryOverview()
        var attention: [(title: String, id: PodcastID)] = []
        for group in stride(from: 0, to: rows.count, by: 3) {
            for row in rows[group] {
                overview.podcasts += row.int("podcasts")
                overview.episodes += row.int("episodes")
                overview.health[PodcastRow.health(row.int("health")), default: 0] += row.int("podcasts")
                overview.failing += row.int("failing")
                if let due = row.time("next_at") { overview.nextDueAt = min(overview.nextDueAt ?? due, due) }
            }
            for row in rows[group + 1] {
                let podcast = try PodcastRow.podcast(row)
                if overview.count(podcast, now: now) { attention.append((podcast.displayTitle.lowercased(), podcast.id)) }
            }
            attention += rows[group + 2].map { ($0.text("title"), PodcastID(text: $0.text("id"))) }
        }
        overview.setNeedingAttention(attention)
        return overview
    }

    // MARK: Changes

    func revision() async throws -> Int {
        try await revisions().reduce(0, +)
    }

    private func revisions() async throws -> [Int] {
        try await session.read(Shard.all.map { Transaction(.revision, $0) }).all.map { $0.int("revision") }
    }

    /// The library's revision is the sum of the shards' revisions. The changes since an earlier one are among the last
    /// changes of each shard, as many as the sum has grown by.
    func changes(since revision: Int) async throws -> LibraryChanges? {
        // Rows are read after the revisions, and all those behind them: other writers continue meanwhile.
        let revisions = try await revisions()
        let current = revisions.reduce(0, +)
        guard revision >= 0, revision <= current else { return nil }
        var changes = LibraryChanges(revision: current)
        guard revision < current else { return changes }
        let rows = try await session.read(
            zip(Shard.all, revisions).map { shard, last in
                let earlier = Parameter.int(last - (current - revision))
                return Transaction([Call(.changes, shard, earlier), Call(.removals, shard, earlier)])
            })
        for group in stride(from: 0, to: rows.count, by: 2) {
            for row in rows[group] { changes.changed[PodcastID(text: row.text("id"))] = row.int("content") }
            changes.removed.formUnion(rows[group + 1].map { PodcastID(text: $0.text("id")) })
        }
        return changes
    }

    // MARK: Writing

    func update(_ podcasts: [Podcast]) async throws -> [WriteResult] {
        try await write(podcasts.map { Settlement($0) })
    }
}

extension [UInt8] {
    /// The greatest byte string, among possible ids, before all that begin with these bytes.
    fileprivate var predecessor: [UInt8] {
        guard let last else { return [] }
        return dropLast() + (last == 0 ? [] : [last - 1, 0xFF])
    }
}
