import Domain
import Scheduling

/// A subscription at a hub, which promises to report changes of a feed (W3C WebSub), and its state.
struct HubSubscription: Codable, Sendable, Equatable {
    private(set) var hub: String
    /// The URL under which the hub knows the feed: the feed's own self link.
    private(set) var topic: String
    /// The secret end of the callback's address.
    private(set) var token: String
    /// The key with which the hub signs its pings.
    private(set) var secret: String
    /// In seconds since 1970, as all times here.
    var askedAt: Int64?
    /// When the hub's promise expires; nil until the hub has verified it.
    var until: Int64?
    /// Duration of the promise in seconds.
    var lease: Int64?
    var lastPing: Int64?
    /// True if the hub has reported new episodes reliably.
    var isReliable: Bool?
    /// Number of requests since the last verified one that the hub refused or did not verify.
    var failures = 0

    /// Duration in seconds of the promise that a hub is asked for.
    static let wantedLease: Int64 = 10 * 86_400
    /// Seconds until a hub that has not verified is asked again; doubled with each failure.
    private static let minRetryInterval: Int64 = 3_600
    private static let maxFailures = 8
    /// Seconds for which a promise is believed; afterwards the hub is asked again.
    private static let leases: ClosedRange<Int64> = 300...30 * 86_400
    /// Seconds between two fetches caused by pings.
    private static let minPingInterval: Int64 = 60

    init(hub: String, topic: String, token: String, secret: String) {
        (self.hub, self.topic, self.token, self.secret) = (hub, topic, token, secret)
    }

    /// Notes that the hub is asked now.
    ///
    /// - Returns: false if its promise is valid, or if it must be left alone for a while.
    mutating func ask(now: Timestamp) -> Bool {
        // A promise is renewed when a fifth of it remains.
        if let until, until - now.seconds > (lease ?? Self.wantedLease) / 5 { return false }
        if let askedAt {
            guard now.seconds - askedAt >= Self.minRetryInterval << Int64(min(failures, Self.maxFailures)) else { return false }
            // The last request was not verified in time.
            failures += 1
        }
        askedAt = now.seconds
        return true
    }

    /// What a hub's verification of a request leads to.
    enum Verification: Sendable {
        /// It is answered, and the subscription is stored.
        case accepted
        /// It is answered, and the subscription is removed.
        case ended
        /// It was not meant.
        case refused
    }

    /// - Parameters:
    ///   - mode: `subscribe`, `unsubscribe` or `denied`, as the hub says.
    ///   - seconds: duration of its promise; nil if it names none.
    ///   - isWanted: whether the podcast is subscribed to.
    mutating func verify(
        mode: String, topic: String, seconds: Int64?, isWanted: Bool, now: Timestamp
    ) -> Verification {
        guard topic == self.topic else { return .refused }
        switch mode {
        case "subscribe":
            guard isWanted, askedAt != nil else { return .refused }
            let lease = min(max(seconds ?? Self.wantedLease, Self.leases.lowerBound), Self.leases.upperBound)
            (until, self.lease) = (now.seconds + lease, lease)
            (askedAt, failures) = (nil, 0)
            return .accepted
        case "unsubscribe": return isWanted ? .refused : .ended
        case "denied":
            (until, failures, askedAt) = (nil, Self.maxFailures, now.seconds)
            return .accepted
        default: return .refused
        }
    }

    func isValid(now: Timestamp) -> Bool { until.map { $0 > now.seconds } ?? false }

    /// Notes an authentic message that the feed has changed.
    ///
    /// - Returns: false if the feed was fetched for such a message a moment ago.
    mutating func ping(now: Timestamp) -> Bool {
        if let lastPing, now.seconds - lastPing < Self.minPingInterval { return false }
        lastPing = now.seconds
        return true
    }

    /// The time until which the hub can be relied on to report new episodes; nil if it cannot.
    ///
    /// - Parameter addedAt: when the podcast got its last episode.
    mutating func reliance(addedAt: Timestamp?, now: Timestamp) -> Timestamp? {
        guard let until, isValid(now: now) else { return nil }
        let before = isReliable ?? false
        let after = HubRule.isReliable(
            before: before, verifiedAt: Timestamp(seconds: until - (lease ?? 0)),
            pingedAt: lastPing.map { Timestamp(seconds: $0) }, addedAt: addedAt)
        if after != before { isReliable = after }
        return after ? Timestamp(seconds: until) : nil
    }
}
