/// A job that asks one server first: scheme, host and port.
protocol Hosted: Sendable {
    var hostKey: String { get }
    /// The part of the server's requests that it uses; nil for all of them.
    var lane: WorkLane? { get }
}

extension Hosted {
    var lane: WorkLane? { nil }
    fileprivate var turnKey: String { lane?.key ?? hostKey }
}

/// Which job is next: hosts take turns, and none gets more jobs at once than it has slots, so that a slow or unreachable
/// host does not fill the room of others.
struct Turns<Job: Hosted>: Sendable {
    enum Turn: Sendable {
        case ask(Job)
        /// Its host asked to be left alone.
        case paused(Job, until: Timestamp)
        /// Its host is unreachable, as other jobs of this run found.
        case unreachable(Job, FetchFailure)
    }

    private struct Queue {
        /// Last first.
        var waiting: [Job] = []
        var underWay = 0
        var isInOrder = false
    }

    private let slots: Int
    private var queues: [String: Queue] = [:]
    /// Hosts with jobs that may begin, in the order of their turns.
    private var order: [String] = []
    private var next = 0
    /// Jobs that were not handed out yet.
    private(set) var remaining = 0

    init(slotsPerHost slots: Int) { self.slots = slots }

    mutating func add(_ jobs: [Job]) {
        remaining += jobs.count
        for (host, jobs) in Dictionary(grouping: jobs, by: \.turnKey) {
            queues[host, default: Queue()].waiting.insert(contentsOf: jobs.reversed(), at: 0)
        }
        // In the order in which they were given.
        for job in jobs { line(up: job.turnKey, job.lane?.slots ?? slots) }
    }

    /// nil if no job may begin before one that is under way has ended.
    mutating func take(_ politeness: Politeness) -> Turn? {
        while !order.isEmpty {
            if next >= order.count { next = 0 }
            let host = order[next]
            // In place: a copy of the queue would copy all that waits in it.
            guard let job = queues[host]?.waiting.popLast() else {
                leaveOrder()
                continue
            }
            remaining -= 1
            switch politeness.standing(of: job.hostKey) {
            case .paused(let until): return .paused(job, until: until)
            case .unreachable(let failure): return .unreachable(job, failure)
            case .open: break
            }
            queues[host]?.underWay += 1
            if queues[host]?.underWay ?? 0 >= job.lane?.slots ?? slots { leaveOrder() } else { next += 1 }
            return .ask(job)
        }
        return nil
    }

    /// A job that `take` gave out has its reply.
    mutating func ended(_ job: Job) {
        let host = job.turnKey
        queues[host]?.underWay -= 1
        line(up: host, job.lane?.slots ?? slots)
    }

    private mutating func line(up host: String, _ slots: Int) {
        guard let queue = queues[host], !queue.isInOrder else { return }
        if queue.waiting.isEmpty {
            if queue.underWay == 0 { queues[host] = nil }
        } else if queue.underWay < slots {
            queues[host]?.isInOrder = true
            order.append(host)
        }
    }

    private mutating func leaveOrder() {
        let host = order.remove(at: next)
        queues[host]?.isInOrder = false
        if let queue = queues[host], queue.waiting.isEmpty, queue.underWay == 0 { queues[host] = nil }
    }
}
