import Domain

/// Removing podcasts, and bringing them back.
///
/// The contents of a podcast (channel, episodes, transcripts) are stored under its id. A removal moves them to a key of their
/// own, `ID/STEP`, for the undo step that remembers it; restoring moves them back. No podcast or episode has such a key as
/// its id, so nothing else finds them.
extension PodcastStore {
    func remove(_ ids: [PodcastID], keepingEpisodes: Bool) async throws {
        guard !ids.isEmpty else { return }
        let steps = keepingEpisodes ? [:] : try await UndoStore.rememberingSteps(tags.owner)
        let transactions = Dictionary(grouping: Set(ids), by: Shard.init).map { shard, ids in
            let all = Parameter.texts(ids.map(\.text))
            var calls = [
                Call(.advance, shard), Call(.addRemovals, shard, all), Call(.removePodcasts, shard, all),
            ]
            if keepingEpisodes { calls.append(Call(.setChannelStates, shard, all, .int(1))) }
            for id in keepingEpisodes ? [] : ids {
                if let step = steps[id] {
                    calls += Statement.moveContents(from: id.text, to: id.contents(of: step), in: shard)
                } else {
                    calls += Statement.deleteContents(of: id.text, in: shard)
                }
            }
            return Transaction(calls)
        }
        for reply in try await session.run(transactions) { _ = try reply.orFailure() }
    }

    /// Adds removed podcasts again with their contents, unless their ids are taken.
    ///
    /// - Parameter step: the number of the step that remembers them.
    /// - Returns: the podcasts that came back.
    func putBack(_ removed: [Podcast], of step: Int) async throws -> [Podcast] {
        let taken = Set(try await podcasts(removed.map(\.id)).map(\.id))
        let returning = try await contents(of: removed.filter { !taken.contains($0.id) }, removedBy: step)
        guard !returning.isEmpty else { return [] }
        let newest = try await UndoStore.rememberingSteps(tags.owner)
        let bundles = try await self.bundles.assign(returning.map(\.podcast), unlessAt: [:])
        let commit = Int64.random(in: 1 ... .max)
        let transactions = returning.map { podcast, key in
            let (shard, id) = (Shard(podcast.id), podcast.id)
            var calls = [
                Call(.advance, shard), added(podcast, in: shard, bundle: bundles[id] ?? 0, commit),
                Call(.checkPodcast, shard, .text(id.text), .int(commit)),
            ]
            if let key, key != id.text {
                // Episodes that a later unsubscription kept make room, and stay with its step.
                if let keeping = newest[id], keeping > step {
                    calls += Statement.moveContents(from: id.text, to: id.contents(of: keeping), onlyKept: true, in: shard)
                }
                calls += Statement.moveContents(from: key, to: id.text, in: shard)
            }
            calls.append(Call(.setChannelStates, shard, .texts([id.text]), .int(0)))
            calls.append(Call(.dropRemoval, shard, .text(id.text)))
            return Transaction(calls)
        }
        var back: [Podcast] = []
        for (reply, (podcast, _)) in zip(try await session.run(transactions), returning) {
            // Its id was taken meanwhile.
            if case .failure(let error) = reply, error.state == "22012" { continue }
            _ = try reply.orFailure()
            back.append(podcast)
        }
        try await self.bundles.touch(back)
        return back
    }

    /// Finds what is stored of removed podcasts.
    ///
    /// - Returns: each podcast as it will be, with the key of its contents; nil if nothing is stored.
    private func contents(of removed: [Podcast], removedBy step: Int) async throws -> [(podcast: Podcast, key: String?)] {
        let rows = try await session.read(
            removed.map {
                Transaction(.removedChannels, Shard($0.id), .text($0.id.text), .text($0.id.text + PodcastID.contentsEnd))
            })
        var found: [(podcast: Podcast, key: String?)] = []
        for (var podcast, rows) in zip(removed, rows) {
            // A refresh that still holds the record from before loses the compare-and-set and decides again.
            podcast.revision += 1
            let id = podcast.id
            let channels = try rows.map { try ChannelRow($0) }
            // If two commands removed the podcast at once, the later step has the contents of both.
            let stored =
                channels.first { $0.podcast.text == id.contents(of: step) } ?? channels.first { $0.podcast == id }
                ?? channels.filter { $0.step ?? 0 > step }.min { $0.step ?? 0 < $1.step ?? 0 }
            if stored?.revision ?? 0 != podcast.episodesRevision {
                try await describe(&podcast, stored)
            }
            found.append((podcast, stored?.podcast.text))
        }
        return found
    }

    /// Makes a record fit contents that are not those which it was stored with. The next response is compared in full.
    private func describe(_ podcast: inout Podcast, _ stored: ChannelRow?) async throws {
        (podcast.fetch.validators, podcast.fetch.bodyHash, podcast.fetch.contentDigest) = (nil, nil, nil)
        (podcast.latestEpisodeAt, podcast.lastAddedAt) = (nil, nil)
        (podcast.episodesRevision, podcast.episodeCount) = (0, 0)
        guard let stored else { return }
        podcast.describe(stored.channel, try await episodes.episodes(of: stored.podcast), revision: stored.revision)
    }
}

extension PodcastID {
    /// Sorts after all keys of a podcast's contents, appended to its id.
    fileprivate static let contentsEnd = "0"

    /// The key of the contents that a step's removal set aside.
    func contents(of step: Int) -> String { "\(text)/\(step)" }
}

extension ChannelRow {
    /// The step that remembers the contents; nil for those of a podcast.
    fileprivate var step: Int? { podcast.text.firstIndex(of: "/").flatMap { Int(podcast.text[$0...].dropFirst()) } }
}
