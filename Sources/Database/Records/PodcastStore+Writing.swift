import Domain
import JSON
import Records
import Scheduling

/// How records and episodes are written to the tables.
///
/// Each podcast with new content is written in a transaction of its own: first the record, on condition that its
/// revision is the one that the writer has read, then the episodes. The record contains the commit's number, which
/// shows after a lost connection whether the transaction took place. Records without new content share one statement
/// per shard.
extension PodcastStore {
    /// - Parameters:
    ///   - earlier: the records as the caller has read them; others are loaded.
    ///   - fences: of the leases under which the podcasts were claimed. If another worker has claimed a record since,
    ///     its fence is greater, and the write is refused; so are podcasts without a fence. nil for a writer that needs
    ///     no lease.
    ///   - more: further calls for a podcast's transaction.
    func write(
        _ settlements: [Settlement], before earlier: [PodcastID: Podcast] = [:], leasedBy fences: [PodcastID: Int64]? = nil,
        with more: [PodcastID: [Call]] = [:]
    ) async throws -> [WriteResult] {
        guard !settlements.isEmpty else { return [] }
        let before = try await current(settlements, earlier)
        let commit = Int64.random(in: 1 ... .max)
        var plans: [WritePlan] = []
        var seen: Set<PodcastID> = []
        for settlement in settlements {
            let id = settlement.podcast.id
            guard let old = before[id], old.revision == settlement.podcast.revision, seen.insert(id).inserted,
                fences.map({ $0[id] != nil }) ?? true
            else { continue }
            var plan = WritePlan(settlement, before: old, fence: fences?[id], commit: commit, milliseconds: time.milliseconds)
            plan.more = more[id] ?? []
            plans.append(plan)
        }
        try await tags.addNewTags(of: plans.compactMap(\.settlement.changes))
        let bundles = try await self.bundles.assign(plans.map(\.podcast), unlessAt: before)
        for index in plans.indices { plans[index].bundle = bundles[plans[index].podcast.id] }
        let rows = try await run(plans)
        try await self.bundles.touch(plans.filter(\.isDueEarlier).map(\.podcast))
        let results = try await results(settlements, rows, commit: commit, leasedBy: fences)
        try await tags.removeNewTags(
            of: zip(settlements, results).flatMap { settlement, result -> [EpisodeID] in
                guard case .lost(current: nil) = result else { return [] }
                return settlement.changes?.new ?? []
            })
        return results
    }

    /// The current records, loaded unless `earlier` has them in the revision of the settlement.
    private func current(
        _ settlements: [Settlement], _ earlier: [PodcastID: Podcast]
    ) async throws -> [PodcastID: Podcast] {
        var before: [PodcastID: Podcast] = [:]
        for id in settlements.map(\.podcast.id) { before[id] = earlier[id] }
        let missing = settlements.map(\.podcast).filter { before[$0.id]?.revision != $0.revision }.map(\.id)
        for podcast in try await podcasts(missing) { before[podcast.id] = podcast }
        return before
    }

    /// The tables' state of a podcast after the write.
    struct Written {
        var revision: Int
        var content: Int
        var fence: Int64
        var commit: Int64

        init(_ row: Row) {
            (revision, content) = (row.int("revision"), row.int("content"))
            (fence, commit) = (row.number("fence") ?? 0, row.number("commit_id") ?? 0)
        }
    }

    private func run(_ plans: [WritePlan]) async throws -> [PodcastID: Written] {
        var transactions = Dictionary(grouping: plans.filter(\.isLight), by: \.shard).map { WritePlan.light($1, in: $0) }
        transactions += plans.filter { !$0.isLight }.map(\.transaction)
        var written: [PodcastID: Written] = [:]
        for reply in try await session.run(transactions) {
            // A record that somebody else has changed ends its transaction and is examined below.
            if case .failure(let error) = reply, error.state == "22012" { continue }
            for row in try reply.orFailure().last.map(Array.init) ?? [] {
                written[PodcastID(text: row.text("id"))] = Written(row)
            }
        }
        // An update that is repeated because its reply was lost changes nothing and returns nothing.
        let missing = plans.filter(\.isLight).map(\.podcast.id).filter { written[$0] == nil }
        for (id, row) in try await self.written(missing) { written[id] = row }
        return written
    }

    private func results(
        _ settlements: [Settlement], _ rows: [PodcastID: Written], commit: Int64, leasedBy fences: [PodcastID: Int64]?
    ) async throws -> [WriteResult] {
        func isStored(_ settlement: Settlement) -> Bool { rows[settlement.podcast.id]?.commit == commit }
        let lost = settlements.filter { !isStored($0) }.map(\.podcast.id)
        let current = Dictionary(try await podcasts(lost).map { ($0.id, $0) }) { a, _ in a }
        let newest = fences == nil ? [:] : try await written(lost)
        return settlements.map { settlement in
            guard isStored(settlement), let row = rows[settlement.podcast.id] else {
                let id = settlement.podcast.id
                if let fences, let newest = newest[id]?.fence, newest > fences[id] ?? .min { return .expired }
                return .lost(current: current[id])
            }
            var podcast = settlement.podcast
            (podcast.revision, podcast.contentRevision) = (row.revision, row.content)
            return .stored(podcast)
        }
    }
}

extension PodcastStore {
    private func written(_ ids: [PodcastID]) async throws -> [PodcastID: Written] {
        let rows = try await session.read(
            Dictionary(grouping: ids, by: Shard.init).map { Transaction(.written, $0, .texts($1.map(\.text))) })
        return Dictionary(rows.all.map { (PodcastID(text: $0.text("id")), Written($0)) }) { a, _ in a }
    }
}

/// One record to be written, with its episodes.
struct WritePlan: Sendable {
    let settlement: Settlement
    let before: Podcast
    /// nil for a writer without a lease.
    let fence: Int64?
    let commit: Int64
    let milliseconds: Int64
    /// The bundle for its feed; nil if that does not change.
    var bundle: Int64?
    /// Further calls for the transaction.
    var more: [Call] = []

    init(_ settlement: Settlement, before: Podcast, fence: Int64?, commit: Int64, milliseconds: Int64) {
        (self.settlement, self.before, self.commit, self.milliseconds) = (settlement, before, commit, milliseconds)
        self.fence = fence
    }

    var now: Timestamp { Timestamp(seconds: milliseconds / 1_000) }
    var newFence: Int64 { Fence.ofResult(at: milliseconds) }
    var podcast: Podcast { settlement.podcast }
    var shard: Shard { Shard(podcast.id) }

    /// True if nothing changes that an index or a listing contains.
    var isLight: Bool {
        settlement.changes == nil && more.isEmpty && !hasContent && podcast.feedURL == before.feedURL
            && podcast.credentials == before.credentials && podcast.displayTitle == before.displayTitle
            && podcast.title == before.title && podcast.episodeCount == before.episodeCount
            && podcast.wantsTexts == before.wantsTexts && podcast.latestEpisodeAt == before.latestEpisodeAt
            && podcast.lastAddedAt == before.lastAddedAt
    }

    /// True if the podcast is due earlier than before the write.
    var isDueEarlier: Bool {
        guard let next = podcast.dueAt else { return false }
        guard podcast.isAtHost(of: before), let earlier = before.dueAt else { return true }
        return next < earlier
    }

    private var hasContent: Bool { settlement.changes != nil || podcast.hasContent(unlike: before) }

    static func light(_ plans: [WritePlan], in shard: Shard) -> Transaction {
        let rows = plans.map { PodcastRow($0.podcast) }
        let health = plans.map { $0.podcast.health(now: $0.now) }
        let ids = Parameter.texts(plans.map(\.podcast.id.text))
        let update = Call(
            .updatePodcasts, shard, .int(plans.first?.commit), ids, .ints(plans.map { Int64($0.podcast.revision) }),
            .ints(plans.map(\.fence)), .ints(rows.map { $0.podcast.dueAt?.seconds }),
            .ints(health.map { PodcastRow.number(of: $0.0) }),
            .ints(health.map { $0.until?.seconds }), .ints(health.map { $0.isFailing ? 1 : 0 }),
            .byteLists(rows.map(\.recordBytes)), .int(plans.first?.newFence))
        return Transaction(update)
    }

    var transaction: Transaction {
        let id = Parameter.text(podcast.id.text)
        var calls = hasContent ? [Call(.advance, shard)] : []
        let columns = PodcastRow(podcast).columns(bundle: bundle, now: now)
        calls.append(
            Call(
                .updatePodcast, shard,
                [id, .int(commit), .int(podcast.revision), .int(fence), .flag(hasContent)] + columns + [.int(newFence)]))
        calls.append(Call(.checkPodcast, shard, id, .int(commit)))
        if let changes = settlement.changes { calls += changes.calls(in: shard) }
        calls += more
        calls.append(Call(.written, shard, .texts([podcast.id.text])))
        return Transaction(calls)
    }
}

extension PodcastChanges {
    /// Number of rows per statement.
    private static let maxRows = 256

    /// The calls that write the channel and the episodes.
    func calls(in shard: Shard) -> [Call] {
        let id = Parameter.text(podcastID.text)
        var calls: [Call] = []
        if let channel {
            var json = JSONWriter()
            json.value(channel)
            calls.append(Call(.putChannel, shard, id, .int(revision), .bytes(json.bytes)))
        } else {
            calls.append(Call(.touchChannel, shard, id, .int(revision)))
        }
        // Replaced episodes keep their numbers; new ones follow in the order of the feed.
        let number = Int64(revision) << 24
        calls += Call.each(added + replaced, atMost: Self.maxRows) { rows in
            Call(
                .putEpisodes, shard, id, .texts(rows.map { String($0.id.ownText) }),
                .ints(rows.indices.map { number + Int64($0) }),
                .byteLists(rows.map { episode in JSONRow.bytes { EpisodeHead.write(episode, to: &$0) } }),
                .byteLists(rows.map { episode in JSONRow.bytes { EpisodeRecord.write(episode, to: &$0) } }))
        }
        return calls
    }
}
