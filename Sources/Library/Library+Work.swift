public import Domain
import Glibc

extension Library: WorkSource {
    public func begin(_ request: WorkRequest, now: Timestamp) async throws -> WorkRun {
        guard let waitSeconds else { throw LibraryFailure.io(file: "", operation: "open", errno: EROFS) }
        let lock = try await FolderLock.take(FolderLock.refresh, in: disk, waitSeconds: waitSeconds)
        let table = try table()
        let hosts = try HostFile.load(disk, LibraryMarker(disk).anchors).hosts
        let run = FolderRun(lock, request, table, hosts, now: now)
        self.run = run
        return WorkRun(lease: run.lease, due: run.due.count, skipped: run.skipped.count, lastAddedAt: table.lastAddedAt)
    }

    public func skipped(_ lease: WorkLease, after last: PodcastID?, limit: Int) throws -> [SkippedPodcast] {
        let run = try current(lease)
        let start = last.map { last in run.skipped.partitioningIndex { $0.id > last } } ?? 0
        return Array(run.skipped[start...].prefix(limit))
    }

    public func claim(_ lease: WorkLease, limit: Int, now: Timestamp) throws -> [Podcast] {
        var run = try current(lease)
        let table = try table()
        var claimed: [Podcast] = []
        while claimed.count < limit, let id = run.next() {
            guard let podcast = table[id], !podcast.settings.isPaused || run.request.podcasts != nil else { continue }
            claimed.append(podcast)
        }
        self.run = run
        return claimed
    }

    /// A folder's lease is a lock, which lasts as long as the process.
    public func renew(_ lease: WorkLease, now: Timestamp) throws { _ = try current(lease) }

    public func settle(_ settlements: [Settlement], _ lease: WorkLease) async throws -> [WriteResult] {
        _ = try current(lease)
        guard !settlements.isEmpty else { return [] }
        return try await write { try store(settlements) }
    }

    public func release(_ lease: WorkLease, times: RefreshTimes?) async throws {
        _ = try current(lease)
        defer { run = nil }
        guard let times else { return }
        try await write {
            let revision = try TimesFile.load(disk, marker.anchors).revision + 1
            try TimesFile.write(times, revision: revision, disk)
            try marker.note(revisions: [TimesFile.document.name: revision], disk)
        }
    }

    public func lastRefresh() throws -> RefreshTimes {
        if !isWriting { marker = try LibraryMarker(disk) }
        return try TimesFile.load(disk, marker.anchors).times
    }

    // MARK: Hosts

    public func pauses(now: Timestamp) throws -> [String: Timestamp] {
        try HostFile.load(disk, LibraryMarker(disk).anchors).hosts.compactMapValues(\.pausedUntil).filter { $0.value > now }
    }

    public func hosts(_ keys: [String]) throws -> [String: HostState] {
        let wanted = Set(keys)
        return try HostFile.load(disk, LibraryMarker(disk).anchors).hosts.filter { wanted.contains($0.key) }
    }

    public func store(_ hosts: [String: HostState]) async throws {
        guard !hosts.isEmpty else { return }
        try await write {
            let (before, revision) = try HostFile.load(disk, marker.anchors)
            let after = before.merging(hosts) { $1 }.filter { $0.value != HostState() }
            guard after != before else { return }
            try HostFile.write(after, revision: revision + 1, disk)
            try marker.note(revisions: [HostFile.document.name: revision + 1], disk)
        }
    }

    private func current(_ lease: WorkLease) throws -> FolderRun {
        guard let run, run.lease == lease else { throw LeaseExpired() }
        return run
    }
}

/// One run's work in a folder: what is due, hosts in turns, and what is not.
struct FolderRun {
    let lease: WorkLease
    let request: WorkRequest
    /// In the order in which podcasts are handed out.
    private(set) var due: [PodcastID] = []
    /// In id order.
    private(set) var skipped: [SkippedPodcast] = []
    private var claimed = 0
    private let lock: FolderLock

    init(_ lock: FolderLock, _ request: WorkRequest, _ table: PodcastTable, _ hosts: [String: HostState], now: Timestamp) {
        self.lock = lock
        self.request = request
        lease = WorkLease(token: UInt64.random(in: 1 ... .max))
        var waiting: [(turn: Int, id: PodcastID)] = []
        var turns: [String: Int] = [:]
        for podcast in table.sorted() where request.podcasts?.contains(podcast.id) ?? true {
            let host = podcast.hostKey
            let verdict = Schedule.verdict(
                for: podcast, mode: request.mode, isNamed: request.podcasts != nil, pause: hosts[host]?.pausedUntil, now: now)
            var until: Timestamp?
            switch verdict {
            case .fetch:
                turns[host, default: 0] += 1
                waiting.append((turns[host] ?? 0, podcast.id))
                continue
            case .wait(let time): until = time
            case .gone, .paused: break
            }
            skipped.append(
                SkippedPodcast(id: podcast.id, feedURL: podcast.feedURL, title: podcast.displayTitle, until: until))
        }
        // The first podcast of each host, then the second of each, and so on.
        due = waiting.sorted { ($0.turn, $0.id) < ($1.turn, $1.id) }.map(\.id)
    }

    mutating func next() -> PodcastID? {
        guard claimed < due.count else { return nil }
        defer { claimed += 1 }
        return due[claimed]
    }
}

extension RandomAccessCollection {
    /// The first index whose element satisfies `isAfter`, which all elements behind it do as well.
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
