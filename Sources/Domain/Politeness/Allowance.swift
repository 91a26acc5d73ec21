/// The rate limit of one host: a burst of requests, then a steady rate (a token bucket).
///
/// A plain value; times are seconds since 1970. The state outlives the process as part of `HostState`.
public struct Allowance: Equatable, Sendable {
    /// Requests per slot: in one burst, and then per second.
    package static let burst = 100.0
    package static let rate = 25.0

    private var slots: Double
    /// Requests that could be sent at once at `measuredAt`. Below zero, requests wait.
    private(set) var requests: Double
    private(set) var measuredAt: Double

    /// The allowance of a host without recent requests.
    package init(slots: Int, now: Double) {
        self.init(slots: slots, requests: Self.burst * Double(slots), measuredAt: now)
    }

    /// The allowance that an earlier run stored. A time in the future was written before the clock was set back.
    init(slots: Int, requests: Double, measuredAt: Double) {
        self.slots = Double(slots)
        self.requests = min(max(requests, -Self.burst * Double(slots)), Self.burst * Double(slots))
        self.measuredAt = measuredAt
    }

    /// Changes the number of the host's slots that it covers; other processes have the remainder.
    package mutating func share(slots: Int, now: Double) {
        let requests = requests(at: now)
        self = Allowance(slots: slots, requests: requests, measuredAt: now)
    }

    /// Takes one request off.
    ///
    /// - Returns: seconds to wait before the request is sent.
    package mutating func take(now: Double) -> Double {
        requests = requests(at: now) - 1
        measuredAt = now
        return requests < 0 ? -requests / (Self.rate * slots) : 0
    }

    func requests(at now: Double) -> Double {
        min(Self.burst * slots, requests + max(0, now - measuredAt) * Self.rate * slots)
    }

    /// True if so many requests were sent recently that the next run must know.
    func isWorthKeeping(at now: Double) -> Bool { requests(at: now) < Self.burst * slots / 2 }
}
