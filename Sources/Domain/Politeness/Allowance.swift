/// How fast one host may be asked: a burst of requests, then a steady series (a token bucket).
///
/// A plain value; times are seconds since 1970. What a host has had outlives the process, as part of its `HostState`.
public struct Allowance: Equatable, Sendable {
    /// Requests that a host may get in one burst, and then each second, for each of its slots.
    package static let burst = 100.0
    package static let rate = 25.0

    private var slots: Double
    /// Requests that could be sent at once at `measuredAt`. Below zero, requests wait.
    private(set) var requests: Double
    private(set) var measuredAt: Double

    /// A host that has had nothing lately.
    package init(slots: Int, now: Double) {
        self.init(slots: slots, requests: Self.burst * Double(slots), measuredAt: now)
    }

    /// A host as an earlier run left it. A time in the future was written by a clock that was set back since.
    init(slots: Int, requests: Double, measuredAt: Double) {
        self.slots = Double(slots)
        self.requests = min(max(requests, -Self.burst * Double(slots)), Self.burst * Double(slots))
        self.measuredAt = measuredAt
    }

    /// Changes how many of the host's slots it stands for: others have the rest.
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

    /// The host has had so much lately that the next run must know.
    func isWorthKeeping(at now: Double) -> Bool { requests(at: now) < Self.burst * slots / 2 }
}
