import Domain
import Scheduling

/// Refreshes of a folder, one at a time; when the last one ran, and the state of hosts.
actor WorkStore: WorkSource, FolderStore {
    let writer: LibraryWriter
    private let records: PodcastRecords
    private let episodes: EpisodeStore
    private let podcastWriter: PodcastWriter
    private var run: FolderRun?

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    init(_ writer: LibraryWriter, _ records: PodcastRecords, _ episodes: EpisodeStore, _ podcastWriter: PodcastWriter) {
        self.writer = writer
        self.records = records
        self.episodes = episodes
        self.podcastWriter = podcastWriter
    }

    nonisolated var mayHaveChanged: Bool { records.watch.isOutdated(disk, trusting: .milliseconds(1)) }

    func begin(_ request: WorkRequest, now: Timestamp) async throws -> WorkRun {
        try begin(request, try await writer.take(FolderLock.refresh), now: now)
    }

    private func begin(_ request: WorkRequest, _ lock: FolderLock, now: Timestamp) throws -> WorkRun {
        let hosts = try HostFile.load(disk, writer.anchors).hosts
        let (run, lastAddedAt) = try records.assumeIsolated { records in
            records.watch.begin(records.disk)
            return try records.ask { (FolderRun(lock, request, $0, hosts, now: now), $0.lastAddedAt) }
        }
        self.run = run
        records.assumeIsolated { $0.beginRun() }
        episodes.assumeIsolated { $0.beginRun() }
        return WorkRun(
            lease: run.lease, due: run.due.count, skipped: run.skipped.count, lastAddedAt: lastAddedAt,
            pauses: hosts.compactMapValues(\.pausedUntil), pace: .exclusive(renewal: .seconds(60)))
    }

    func skipped(_ lease: WorkLease, after last: PodcastID?, limit: Int) throws -> [SkippedPodcast] {
        let run = try current(lease)
        let start = last.map { last in run.skipped.partitioningIndex { $0.id > last } } ?? 0
        let page = run.skipped[start...].prefix(limit)
        let records = Dictionary(try podcasts(page.map(\.id)).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return page.map { id, reason, until in
            SkippedPodcast(
                id: id, feedURL: records[id]?.feedURL ?? "", title: records[id]?.displayTitle ?? id.text, reason: reason,
                until: until)
        }
    }

    func claim(_ lease: WorkLease, limit: Int, now: Timestamp) throws -> [Podcast] {
        var run = try current(lease)
        var claimed: [Podcast] = []
        while claimed.count < limit {
            let ids = run.next(limit - claimed.count)
            if ids.isEmpty { break }
            claimed += try podcasts(ids).filter {
                Schedule.verdict(
                    for: $0, mode: run.request.mode, isNamed: run.request.podcasts != nil, pause: nil, now: now) == .fetch
            }
        }
        self.run = run
        let podcasts = claimed
        records.assumeIsolated { $0.claim(podcasts) }
        episodes.claim(podcasts)
        return podcasts
    }

    private func podcasts(_ ids: [PodcastID]) throws -> [Podcast] { try records.assumeIsolated { try $0.podcasts(ids) } }

    /// The lease of a folder is a lock, which lasts as long as the process.
    func renew(_ lease: WorkLease, now: Timestamp) throws { _ = try current(lease) }

    func settle(_ settlements: [Settlement], _ lease: WorkLease) async throws -> [WriteResult] {
        _ = try current(lease)
        guard !settlements.isEmpty else { return [] }
        defer { episodes.settle(settlements.map(\.podcast.id)) }
        return try await write { try $0.podcastWriter.settle(settlements) }
    }

    /// Podcasts that a run has claimed stay claimed until the run ends.
    func giveBack(_ podcasts: [PodcastID: Timestamp?], _ lease: WorkLease) throws {
        _ = try current(lease)
        records.assumeIsolated { $0.forget(podcasts.keys) }
    }

    func release(_ lease: WorkLease, times: RefreshTimes?) async throws {
        _ = try current(lease)
        defer { endRun() }
        await records.tidy()
        guard let times else { return }
        // The log does not change any more, so its catalogue is written meanwhile.
        let table = await records.loaded
        async let _: Void = records.writeCatalogue(of: table)
        try await write { try $0.add(times) }
    }

    private func endRun() {
        run = nil
        episodes.endRun()
        records.assumeIsolated { $0.endRun() }
    }

    /// Requires a batch.
    private func add(_ times: RefreshTimes) throws {
        let before = try TimesFile.load(disk, writer.anchors)
        var after = times
        after.counters = before.times.counters
        after.counters += times.counters
        let revision = before.revision + 1
        try TimesFile.write(after, revision: revision, disk)
        writer.note(revisions: [TimesFile.document.name: revision])
    }

    func lastRefresh() throws -> RefreshTimes { try TimesFile.load(disk, writer.anchors).times }

    // MARK: Hosts

    func pauses(now: Timestamp) throws -> [String: Timestamp] {
        try HostFile.load(disk, writer.anchors).hosts.compactMapValues(\.pausedUntil).filter {
            $0.value > now
        }
    }

    func hosts(_ keys: [String]) throws -> [String: HostState] {
        let wanted = Set(keys)
        return try HostFile.load(disk, writer.anchors).hosts.filter { wanted.contains($0.key) }
    }

    func store(_ hosts: [String: HostState]) async throws {
        guard !hosts.isEmpty else { return }
        try await write { try $0.merge(hosts) }
    }

    /// Requires a batch.
    private func merge(_ hosts: [String: HostState]) throws {
        let (before, revision) = try HostFile.load(disk, writer.anchors)
        let after = before.merging(hosts) { $1 }.mapValues(\.stored).filter { $0.value != HostState() }
        guard after != before else { return }
        try HostFile.write(after, revision: revision + 1, disk)
        writer.note(revisions: [HostFile.document.name: revision + 1])
    }

    private func current(_ lease: WorkLease) throws -> FolderRun {
        guard let run, run.lease == lease else { throw LeaseExpired() }
        return run
    }
}
