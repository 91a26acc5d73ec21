import Domain
import Scheduling

/// One refresh of a folder: the podcasts that are due, in turns by host, and those that are skipped.
struct FolderRun {
    let lease: WorkLease
    let request: WorkRequest
    /// In the order in which podcasts are handed out.
    private(set) var due: [PodcastID] = []
    /// In id order.
    private(set) var skipped: [(id: PodcastID, reason: SkippedPodcast.Reason, until: Timestamp?)] = []
    private var handedOut = 0
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
