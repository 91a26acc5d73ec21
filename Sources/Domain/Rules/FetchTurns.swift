/// What is asked of one server: scheme, host and port.
public protocol Hosted: Sendable {
    var hostKey: String { get }
}

/// Which feed or transcript is fetched next: hosts take turns, and none gets more requests at once than `perHost`, so
/// that a slow or dead host never fills the places of others.
///
/// A host that cannot be reached several times in a row is left alone for the rest of the run, and so is one that asks
/// for a pause.
public struct FetchTurns<Ask: Hosted>: Sendable {
    public enum Turn: Sendable {
        case fetch(Ask)
        /// Its host asked, earlier in this run, to be left alone.
        case wait(Ask, until: Timestamp)
        /// Its host could not be reached, as others of this run found.
        case unreachable(Ask, FetchFailure)
    }

    private struct Host {
        /// Still to fetch, last first.
        var waiting: [Ask]
        var active = 0
        var unreached = 0
        var lastFailure: FetchFailure?
        var pause: Timestamp?
    }

    /// A host that failed so often without an answer in between is taken for dead.
    static var patience: Int { 3 }

    private let perHost: Int
    private var hosts: [String: Host]
    /// Hosts with podcasts to fetch and a free place, in the order of their turns.
    private var order: [String]
    private var next = 0
    public private(set) var remaining: Int

    public init(_ asks: [Ask], perHost: Int) {
        self.perHost = max(1, perHost)
        remaining = asks.count
        hosts = [:]
        order = []
        for ask in asks {
            let key = ask.hostKey
            if hosts[key] == nil { order.append(key) }
            hosts[key, default: Host(waiting: [])].waiting.append(ask)
        }
        for key in order { hosts[key]?.waiting.reverse() }
    }

    /// nil where nothing may start before something under way has ended.
    public mutating func take() -> Turn? {
        while !order.isEmpty {
            if next >= order.count { next = 0 }
            let key = order[next]
            // In place: a copy of the host would copy all that waits there.
            guard let ask = hosts[key]?.waiting.popLast() else {
                order.remove(at: next)
                continue
            }
            remaining -= 1
            if let until = hosts[key]?.pause { return .wait(ask, until: until) }
            if let host = hosts[key], host.unreached >= Self.patience, var failure = host.lastFailure {
                failure.milliseconds = 0
                return .unreachable(ask, failure)
            }
            hosts[key]?.active += 1
            if hosts[key]?.active ?? 0 >= perHost { order.remove(at: next) } else { next += 1 }
            return .fetch(ask)
        }
        return nil
    }

    /// The fetch that `take` gave out has ended. `failure` is nil where the server answered as it should.
    public mutating func ended(_ ask: Ask, failure: FetchFailure?) {
        let key = ask.hostKey
        guard var host = hosts[key] else { return }
        let wasFull = host.active >= perHost
        host.active -= 1
        if let failure, failure.isUnreachable {
            host.unreached += 1
            host.lastFailure = failure
        } else if failure?.code != .cancelled {
            host.unreached = 0
        }
        if wasFull, !host.waiting.isEmpty { order.append(key) }
        hosts[key] = host
    }

    /// The host asked to be left alone.
    public mutating func pause(_ host: String, until: Timestamp) { hosts[host]?.pause = until }
}
