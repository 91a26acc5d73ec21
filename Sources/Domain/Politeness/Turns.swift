/// A job whose first request goes to one server (scheme, host and port).
package protocol Hosted: Sendable {
    var hostKey: String { get }
    /// The share of the server's requests that it may use; nil for all of them.
    var lane: WorkLane? { get }
}

extension Hosted {
    package var lane: WorkLane? { nil }
    fileprivate var turnKey: String { lane?.key ?? hostKey }
}

/// Decides which job is next. Hosts take turns, and none gets more jobs at once than it has slots, so that a slow or
/// unreachable host does not crowd out others.
package struct Turns<Job: Hosted>: Sendable {
    package enum Turn: Sendable {
        case ask(Job)
        /// Its host asked to be left alone.
        case paused(Job, until: Timestamp)
        /// Other jobs of this run found its host unreachable.
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
    /// Number of jobs not yet handed out.
    package private(set) var remaining = 0

    package init(slotsPerHost slots: Int) { self.slots = slots }

    package mutating func add(_ jobs: [Job]) {
        remaining += jobs.count
        for (host, jobs) in Dictionary(grouping: jobs, by: \.turnKey) {
            queues[host, default: Queue()].waiting.insert(contentsOf: jobs.reversed(), at: 0)
        }
        // In the given order.
        for job in jobs { line(up: job.turnKey, job.lane?.slots ?? slots) }
    }

    /// The next job; nil if none may begin before one in progress has ended.
    package mutating func take(_ politeness: Politeness) -> Turn? {
        while !order.isEmpty {
            if next >= order.count { next = 0 }
            let host = order[next]
            // Changed in place: copying the queue would copy all waiting jobs.
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

    /// Frees the slot of a job once its reply has arrived.
    package mutating func ended(_ job: Job) {
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
