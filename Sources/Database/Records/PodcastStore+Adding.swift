import Domain

extension PodcastStore {
    /// A subscription to be added.
    private struct Addition {
        var index: Int
        var podcast: Podcast
        var changes: PodcastChanges?
        var attempt = 0
    }

    func add(_ subscriptions: [NewSubscription]) async throws -> [AddResult] {
        guard !subscriptions.isEmpty else { return [] }
        var results = [AddResult?](repeating: nil, count: subscriptions.count)
        var firsts: [String: Int] = [:]
        let stored = Dictionary(try await podcasts(at: subscriptions.map(\.podcast.feedURL)).map { ($0.feedURL, $0) }) { a, _ in a
        }
        var remaining: [Addition] = []
        for (index, subscription) in subscriptions.enumerated() {
            let url = subscription.podcast.feedURL
            if let existing = stored[url] {
                results[index] = .existing(existing)
            } else if firsts[url] == nil {
                firsts[url] = index
                remaining.append(Addition(index: index, podcast: subscription.podcast, changes: subscription.changes))
            }
        }
        while !remaining.isEmpty {
            remaining = try await describedByStoredRows(remaining)
            try await insert(remaining, &results)
            remaining = try await otherwise(remaining.filter { results[$0.index] == nil }, &results)
        }
        return subscriptions.indices.compactMap { index in
            // The second of two subscriptions with one URL refers to the first.
            results[index] ?? firsts[subscriptions[index].podcast.feedURL].flatMap { results[$0] }.map { .existing($0.podcast) }
        }
    }

    /// Subscriptions that were not fetched take over the episodes stored from an earlier one.
    private func describedByStoredRows(_ additions: [Addition]) async throws -> [Addition] {
        let stored = try await episodes.channelRows(of: additions.map(\.podcast.id))
        var described = additions
        for index in described.indices {
            guard let channel = stored[described[index].podcast.id], channel.isKept,
                described[index].podcast.episodesRevision == 0
            else { continue }
            described[index].podcast.describe(
                channel.channel, try await episodes.episodes(of: described[index].podcast.id), revision: channel.revision)
        }
        return described
    }

    private func insert(_ additions: [Addition], _ results: inout [AddResult?]) async throws {
        let commit = Int64.random(in: 1 ... .max)
        try await tags.addNewTags(of: additions.compactMap(\.changes))
        // A feed without a bundle would never be fetched. Its bundle is made due before the feed is inserted and once
        // more afterwards, for workers that looked too early.
        let bundles = try await self.bundles.assign(additions.map(\.podcast), unlessAt: [:])
        let transactions = Dictionary(grouping: additions) { Shard($0.podcast.id) }.flatMap { shard, additions in
            let (fetched, plain) = (additions.filter { $0.changes != nil }, additions.filter { $0.changes == nil })
            return fetched.map { transaction([$0], in: shard, bundles, commit) }
                + (plain.isEmpty ? [] : [transaction(plain, in: shard, bundles, commit)])
        }
        var contents: [PodcastID: Int] = [:]
        for reply in try await session.run(transactions) {
            if case .failure(let error) = reply, error.state == "22012" { continue }
            for row in try reply.orFailure().last.map(Array.init) ?? [] where row.number("commit_id") == commit {
                contents[PodcastID(text: row.text("id"))] = row.int("content")
            }
        }
        for addition in additions {
            guard let content = contents[addition.podcast.id] else { continue }
            var podcast = addition.podcast
            (podcast.revision, podcast.contentRevision) = (1, content)
            results[addition.index] = .added(podcast)
        }
        try await self.bundles.touch(additions.map(\.podcast))
    }

    private func transaction(
        _ additions: [Addition], in shard: Shard, _ bundles: [PodcastID: Int64], _ commit: Int64
    ) -> Transaction {
        let ids = Parameter.texts(additions.map(\.podcast.id.text))
        var calls = additions.contains { $0.podcast.episodesRevision > 0 } ? [Call(.advance, shard)] : []
        for addition in additions {
            let podcast = addition.podcast
            calls.append(added(podcast, in: shard, bundle: bundles[podcast.id] ?? 0, commit))
            calls.append(Call(.dropRemoval, shard, .text(podcast.id.text)))
            guard let changes = addition.changes else { continue }
            calls.append(Call(.checkPodcast, shard, .text(podcast.id.text), .int(commit)))
            calls += changes.calls(in: shard)
        }
        calls.append(Call(.setChannelStates, shard, ids, .int(0)))
        calls.append(Call(.written, shard, ids))
        return Transaction(calls)
    }

    func added(_ podcast: Podcast, in shard: Shard, bundle: Int64, _ commit: Int64) -> Call {
        let columns = PodcastRow(podcast).columns(bundle: bundle, now: time.now)
        return Call(
            .addPodcast, shard,
            [
                .text(podcast.id.text), .int(max(1, podcast.revision)), .int(commit), .flag(podcast.episodesRevision > 0),
            ] + columns)
    }

    /// Handles ids that are taken: by the same URL, if another process added it first, or by a podcast that has moved.
    private func otherwise(_ taken: [Addition], _ results: inout [AddResult?]) async throws -> [Addition] {
        guard !taken.isEmpty else { return [] }
        let holders = Dictionary(try await podcasts(taken.map(\.podcast.id)).map { ($0.id, $0) }) { a, _ in a }
        var again: [Addition] = []
        for var addition in taken {
            if let holder = holders[addition.podcast.id], holder.feedURL == addition.podcast.feedURL {
                results[addition.index] = .existing(holder)
                continue
            }
            addition.attempt += 1
            let next = PodcastID(feedURL: addition.podcast.feedURL, attempt: addition.attempt)
            addition.podcast = addition.podcast.unfetched { $0 != next }
            addition.changes = nil
            again.append(addition)
        }
        return again
    }
}

extension Podcast {
    /// Sets the fields that follow from episodes that are already stored.
    mutating func describe(_ channel: Channel, _ episodes: [Episode], revision: Int) {
        episodesRevision = max(episodesRevision, revision)
        episodeCount = episodes.count
        title = channel.title ?? title
        author = channel.author ?? author
        latestEpisodeAt = (episodes.compactMap(\.orderedAt) + [latestEpisodeAt].compactMap { $0 }).max()
        lastAddedAt = (episodes.map(\.firstSeenAt) + [lastAddedAt].compactMap { $0 }).max()
    }
}
