import Domain
import Results

/// Makes the records of one library equal to those of another, writing only what differs.
///
/// Each library keeps its own write counters and host allowances. Times and counters of refreshes are copied only into
/// a library that has none.
final class CopyRecords: Sendable {
    private let source: Repositories
    private let target: Repositories
    private let now: Timestamp

    init(from source: Repositories, to target: Repositories, now: Timestamp) {
        (self.source, self.target, self.now) = (source, target, now)
    }

    /// - Returns: true if there was anything to do.
    func callAsFunction() async throws -> Bool {
        let steps = [
            copySubscriptions, copyUnsubscribed, copyTags, copyDownloads, copyQueue, copyPositions, copyBookmarks, copyPauses,
            copyTimes,
        ]
        var isChanged = false
        for step in steps where try await step() { isChanged = true }
        return isChanged
    }

    func outcome() async throws -> CopyOutcome {
        let overview = try await target.podcasts.overview(now: now)
        return CopyOutcome(podcasts: overview.podcasts, episodes: overview.episodes)
    }

    // MARK: Podcasts

    private static let pageSize = 64

    private func copySubscriptions() async throws -> Bool {
        var isChanged = false
        var gone: [PodcastID] = []
        try await target.podcasts.forEach { podcast in
            if try await source.podcasts.podcast(podcast.id) == nil { gone.append(podcast.id) }
            return true
        }
        if !gone.isEmpty {
            isChanged = true
            try await target.podcasts.remove(gone, keepingEpisodes: false)
        }
        var last: Podcast?
        while true {
            let page = try await source.podcasts.page(of: .all, after: last, limit: Self.pageSize)
            if try await copy(page) { isChanged = true }
            guard page.count == Self.pageSize else { break }
            last = page.last
        }
        return isChanged
    }

    private func copy(_ page: [Podcast]) async throws -> Bool {
        var stored = try await records(page.map(\.id))
        // 1. Podcasts that are missing or have different episodes.
        let outdated = page.filter { stored[$0.id]?.episodesRevision != $0.episodesRevision }
        try await target.podcasts.remove(outdated.map(\.id).filter { stored[$0] != nil }, keepingEpisodes: false)
        try await add(outdated)
        // 2. Transcripts, whose revisions are part of the records.
        var isChanged = !outdated.isEmpty
        for podcast in page where podcast.transcripts.revision > 0 || podcast.transcripts.seen > 0 {
            if try await copyTranscripts(of: podcast.id) { isChanged = true }
        }
        // 3. The records themselves.
        stored = try await records(page.map(\.id))
        var changed: [Podcast] = []
        for podcast in page {
            guard let record = stored[podcast.id], record.copied != podcast.copied else { continue }
            var copy = podcast
            (copy.revision, copy.contentRevision) = (record.revision, record.contentRevision)
            (copy.transcripts.revision, copy.transcripts.written) = (record.transcripts.revision, record.transcripts.written)
            changed.append(copy)
        }
        if !changed.isEmpty { _ = try await target.podcasts.update(changed) }
        return isChanged || !changed.isEmpty
    }

    private func records(_ ids: [PodcastID]) async throws -> [PodcastID: Podcast] {
        Dictionary(try await target.podcasts.podcasts(ids).map { ($0.id, $0) }) { a, _ in a }
    }

    /// Episodes in memory at once.
    private static let maxEpisodes = 2_048

    private func add(_ podcasts: [Podcast]) async throws {
        var (batch, episodes) = ([NewSubscription](), 0)
        for podcast in podcasts {
            var podcast = podcast
            podcast.transcripts.revision = 0
            podcast.transcripts.written = 0
            batch.append(NewSubscription(podcast, changes: try await contents(of: podcast)))
            episodes += podcast.episodeCount
            guard episodes >= Self.maxEpisodes else { continue }
            _ = try await target.podcasts.add(batch)
            (batch, episodes) = ([], 0)
        }
        _ = try await target.podcasts.add(batch)
    }

    /// nil if the podcast was never fetched.
    private func contents(of podcast: Podcast) async throws -> PodcastChanges? {
        guard podcast.episodesRevision > 0, let channel = try await source.episodes.channel(of: podcast.id) else { return nil }
        return PodcastChanges(
            podcastID: podcast.id, revision: podcast.episodesRevision, channel: channel,
            added: try await source.episodes.episodes(of: podcast.id), replaced: [])
    }

    /// Copies podcasts that were unsubscribed with their episodes kept.
    private func copyUnsubscribed() async throws -> Bool {
        let stored = try await target.episodes.unsubscribed(withIDPrefix: "", limit: .max)
        let revisions = Dictionary(stored.map { ($0.id, $0.episodesRevision) }) { a, _ in a }
        let missing = try await source.episodes.unsubscribed(withIDPrefix: "", limit: .max).filter {
            revisions[$0.id] != $0.episodesRevision
        }
        for podcast in missing {
            try await add([podcast])
            try await target.podcasts.remove([podcast.id], keepingEpisodes: true)
        }
        return !missing.isEmpty
    }

    // MARK: Transcripts

    private func copyTranscripts(of id: PodcastID) async throws -> Bool {
        let (wanted, stored) = (try await source.transcripts.entries(of: id), try await target.transcripts.entries(of: id))
        var isChanged = false
        for text in EpisodeText.allCases {
            let entries = wanted.entries(text).values.filter { stored.entries(text)[$0.episodeID]?.copied != $0.copied }
            for entry in entries.sorted(by: { $0.episodeID < $1.episodeID }) {
                guard let podcast = try await target.podcasts.podcast(id) else { return isChanged }
                var settlement = TranscriptSettlement(podcast, text)
                settlement.entries = [entry]
                if entry.stored != nil {
                    let transcript =
                        try await text == .transcript
                        ? source.transcripts.transcript(of: entry.episodeID) : source.transcripts.chapters(of: entry.episodeID)
                    settlement.segments[entry.episodeID] = transcript?.segments
                }
                _ = try await target.transcripts.settle([settlement])
                isChanged = true
            }
        }
        return isChanged
    }

    // MARK: What belongs to the owner

    private func copyTags() async throws -> Bool {
        func tags(_ library: Repositories) async throws -> [EpisodeID: Set<Tag>] {
            Dictionary(try await library.tags.taggedEpisodes().map { ($0.id, $0.tags) }) { a, _ in a }
        }
        let (wanted, stored) = (try await tags(source), try await tags(target))
        var changes = TagChanges()
        changes.tags = wanted.filter { stored[$0.key] != $0.value }
        for id in stored.keys where wanted[id] == nil { changes.tags[id] = [] }
        let (waiting, waitingThere) = (try await source.tags.waitingTags(), try await target.tags.waitingTags())
        changes.waiting = waiting.filter { !waitingThere.contains($0) }
        changes.settled = waitingThere.filter { !waiting.contains($0) }
        let (pending, pendingThere) = (Set(try await source.tags.pendingEpisodes()), Set(try await target.tags.pendingEpisodes()))
        changes.pending = pending.subtracting(pendingThere)
        changes.taken = pendingThere.subtracting(pending)
        try await target.tags.apply(changes)
        return !changes.isEmpty
    }

    private func copyDownloads() async throws -> Bool {
        let (wanted, stored) = (try await source.downloads.downloads(), try await target.downloads.downloads())
        var changed = wanted.values.filter { stored[$0.episodeID] != $0 }
        changed += stored.keys.filter { wanted[$0] == nil }.map { DownloadEntry($0) }
        try await target.downloads.store(changed)
        return !changed.isEmpty
    }

    private func copyQueue() async throws -> Bool {
        let entries = try await source.queue.entries()
        guard try await target.queue.entries() != entries else { return false }
        try await target.queue.update { $0 = entries }
        return true
    }

    private func copyPositions() async throws -> Bool {
        let (wanted, stored) = (try await source.positions.positions(), try await target.positions.positions())
        let changes = PositionChanges(from: stored, to: wanted)
        let changed = Array(changes.removed.union(changes.stored.keys))
        try await target.positions.updatePositions(of: changed) { changes.apply(to: &$0) }
        return !changes.isEmpty
    }

    private func copyBookmarks() async throws -> Bool {
        let bookmarks = try await source.bookmarks.bookmarks()
        guard try await target.bookmarks.bookmarks() != bookmarks else { return false }
        try await target.bookmarks.updateBookmarks { $0 = bookmarks }
        return true
    }

    private func copyPauses() async throws -> Bool {
        let (wanted, stored) = (try await source.work.pauses(now: now), try await target.work.pauses(now: now))
        let changed = Set(wanted.keys).union(stored.keys).filter { wanted[$0] != stored[$0] }
        guard !changed.isEmpty else { return false }
        let states = try await target.work.hosts(Array(changed))
        var paused: [String: HostState] = [:]
        for host in changed {
            paused[host] = states[host] ?? HostState()
            paused[host]?.pausedUntil = wanted[host]
        }
        try await target.work.store(paused)
        return true
    }

    private func copyTimes() async throws -> Bool {
        let (wanted, stored) = (try await source.work.lastRefresh(), try await target.work.lastRefresh())
        guard wanted.startedAt != stored.startedAt || wanted.endedAt != stored.endedAt else { return false }
        var times = wanted
        if stored.startedAt != nil { times.counters = RunCounters() }
        let run = try await target.work.begin(WorkRequest(podcasts: []), now: now)
        try await target.work.release(run.lease, times: times)
        return true
    }
}

extension Podcast {
    /// The copied part of the record: everything but the library's own write counters.
    fileprivate var copied: Podcast {
        var podcast = self
        (podcast.revision, podcast.contentRevision) = (0, 0)
        (podcast.transcripts.revision, podcast.transcripts.written) = (0, 0)
        return podcast
    }
}

extension TranscriptEntry {
    fileprivate var copied: TranscriptEntry {
        var entry = self
        entry.stored?.revision = 0
        return entry
    }
}
