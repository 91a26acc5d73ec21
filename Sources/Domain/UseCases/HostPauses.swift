import Synchronization

/// Which hosts asked to be left alone, and until when: what earlier runs left, and what this one hears.
final class HostPauses: Sendable {
    private let pauses: Mutex<[String: Timestamp]>

    init(_ pauses: [String: Timestamp] = [:], now: Timestamp) {
        self.pauses = Mutex(pauses.filter { $0.value > now && $0.value - now <= CachingHeaders.longestRetryAfter })
    }

    var all: [String: Timestamp] { pauses.withLock { $0 } }

    func add(_ host: String, until: Timestamp) { pauses.withLock { $0[host] = until } }

    /// The pause that a request for `url` would break.
    func pause(at url: String) -> HostPause? {
        guard let host = WebURL(url)?.hostKey else { return nil }
        return pauses.withLock { $0[host] }.map { HostPause(until: $0) }
    }
}

/// Thrown where a redirect leads to a host that asked to be left alone.
struct HostPause: Error {
    var until: Timestamp
}
