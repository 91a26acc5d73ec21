internal import CFiles
public import Domain
import Glibc
import Synchronization

extension Library: WorkSource {
    public nonisolated var mayHaveChanged: Bool { watch.isOutdated(disk, trusting: .milliseconds(1)) }

    public func begin(_ request: WorkRequest, now: Timestamp) async throws -> WorkRun {
        let lock = try await writer.take(FolderLock.refresh)
        let hosts = try HostFile.load(disk, writer.anchors).hosts
        watch.begin(disk)
        let (run, lastAddedAt) = try ask { (FolderRun(lock, request, $0, hosts, now: now), $0.lastAddedAt) }
        self.run = run
        let reader = try? EpisodeReader(episodeFiles)
        self.reader.withLock { $0 = reader }
        return WorkRun(
            lease: run.lease, due: run.due.count, skipped: run.skipped.count, lastAddedAt: lastAddedAt,
            pace: .exclusive(renewal: .seconds(60)))
    }

    public func skipped(_ lease: WorkLease, after last: PodcastID?, limit: Int) throws -> [SkippedPodcast] {
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

    public func claim(_ lease: WorkLease, limit: Int, now: Timestamp) throws -> [Podcast] {
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
        run.note(claimed)
        self.run = run
        reader.withLock(\.self)?.claim(claimed)
        return claimed
    }

    /// The lease of a folder is a lock, which lasts as long as the process.
    public func renew(_ lease: WorkLease, now: Timestamp) throws { _ = try current(lease) }

    public func settle(_ settlements: [Settlement], _ lease: WorkLease) async throws -> [WriteResult] {
        _ = try current(lease)
        guard !settlements.isEmpty else { return [] }
        defer { reader.withLock(\.self)?.settle(settlements.map(\.podcast.id)) }
        return try await write { try $0.store(settlements) }
    }

    /// Podcasts that a run has claimed stay claimed until the run ends.
    public func giveBack(_ podcasts: [PodcastID: Timestamp?], _ lease: WorkLease) throws {
        _ = try current(lease)
        run?.forget(podcasts.keys)
    }

    public func release(_ lease: WorkLease, times: RefreshTimes?) async throws {
        _ = try current(lease)
        defer {
            run = nil
            reader.withLock { $0 = nil }
        }
        // A log that cannot be rewritten now is valid all the same, and the next run tries again.
        if catalogue?.log.mustBeRewritten ?? false {
            // All records are read for this. What the feeds took is free by now, but malloc still keeps it.
            malloc_trim(0)
            try? await write { try $0.rewriteLog() }
        }
        if loaded == nil { saveCatalogue() }
        guard let times else { return }
        // The log does not change any more, so its catalogue is written meanwhile.
        async let _: Void = Catalogue.write(loaded, to: cataloguePath, disk, smallest: smallestCatalogue)
        try await write { library in
            let before = try TimesFile.load(library.disk, library.writer.anchors)
            var after = times
            after.counters = before.times.counters
            after.counters += times.counters
            let revision = before.revision + 1
            try TimesFile.write(after, revision: revision, library.disk)
            library.writer.note(revisions: [TimesFile.document.name: revision])
        }
    }

    public func lastRefresh() throws -> RefreshTimes { try TimesFile.load(disk, writer.anchors).times }

    // MARK: Hosts

    public func pauses(now: Timestamp) throws -> [String: Timestamp] {
        try HostFile.load(disk, writer.anchors).hosts.compactMapValues(\.pausedUntil).filter {
            $0.value > now
        }
    }

    public func hosts(_ keys: [String]) throws -> [String: HostState] {
        let wanted = Set(keys)
        return try HostFile.load(disk, writer.anchors).hosts.filter { wanted.contains($0.key) }
    }

    public func store(_ hosts: [String: HostState]) async throws {
        guard !hosts.isEmpty else { return }
        try await write { library in
            let (before, revision) = try HostFile.load(library.disk, library.writer.anchors)
            let after = before.merging(hosts) { $1 }.filter { $0.value != HostState() }
            guard after != before else { return }
            try HostFile.write(after, revision: revision + 1, library.disk)
            library.writer.note(revisions: [HostFile.document.name: revision + 1])
        }
    }

    private func current(_ lease: WorkLease) throws -> FolderRun {
        guard let run, run.lease == lease else { throw LeaseExpired() }
        return run
    }
}

/// One refresh of a folder: the podcasts that are due, in turns by host, and those that are skipped.
struct FolderRun {
    let lease: WorkLease
    let request: WorkRequest
    /// In the order in which podcasts are handed out.
    private(set) var due: [PodcastID] = []
    /// In id order.
    private(set) var skipped: [(id: PodcastID, reason: SkippedPodcast.Reason, until: Timestamp?)] = []
    private var handedOut = 0
    /// The records as they were claimed, until they are settled.
    private(set) var claimed: [PodcastID: Podcast] = [:]
    private let lock: FolderLock

    init(
        _ lock: FolderLock, _ request: WorkRequest, _ records: any RecordSource, _ hosts: [String: HostState], now: Timestamp
    ) {
        self.lock = lock
        self.request = request
        lease = WorkLease(token: UInt64.random(in: 1 ... .max))
        var pauses: [UInt64: Timestamp] = [:]
        for (key, host) in hosts { pauses[CatalogueEntry.hash(key)] = host.pausedUntil }
        var waiting: [(turn: Int, id: PodcastID)] = []
        var turns: [UInt64: Int] = [:]
        skipped.reserveCapacity(request.podcasts?.count ?? records.count)
        records.forEachDue { id, facts, host in
            guard request.podcasts?.contains(id) ?? true else { return }
            let verdict = Schedule.verdict(
                for: facts, mode: request.mode, isNamed: request.podcasts != nil, pause: pauses[host], now: now)
            switch verdict {
            case .fetch:
                let turn = turns[host, default: 0]
                turns[host] = turn + 1
                waiting.append((turn, id))
            case .wait(let until): skipped.append((id, .notYet, until))
            case .gone: skipped.append((id, .gone, nil))
            case .paused: skipped.append((id, .paused, nil))
            }
        }
        // The first podcast of each host, then the second of each, and so on.
        due = waiting.sorted { ($0.turn, $0.id) < ($1.turn, $1.id) }.map(\.id)
    }

    mutating func next(_ count: Int) -> [PodcastID] {
        let next = Array(due[handedOut...].prefix(count))
        handedOut += next.count
        return next
    }

    mutating func note(_ podcasts: [Podcast]) {
        for podcast in podcasts { claimed[podcast.id] = podcast }
    }

    mutating func forget(_ podcasts: some Sequence<PodcastID>) {
        for id in podcasts { claimed[id] = nil }
    }

    mutating func forgetAll() { claimed = [:] }
}

extension RandomAccessCollection {
    /// The first index whose element satisfies `isAfter`, provided that all elements after it do as well.
    func partitioningIndex(_ isAfter: (Element) -> Bool) -> Index {
        var (start, length) = (startIndex, count)
        while length > 0 {
            let half = length / 2
            let middle = index(start, offsetBy: half)
            if isAfter(self[middle]) {
                length = half
            } else {
                start = index(after: middle)
                length -= half + 1
            }
        }
        return start
    }
}
