import Composition
import Domain
import Presentation

/// A subscription at a hub, which promises to report changes of a feed (W3C WebSub), and its state.
struct PingSubscription: Codable, Sendable, Equatable {
    var hub: String
    /// The URL under which the hub knows the feed: the feed's own self link.
    var topic: String
    /// The secret end of the callback's address.
    var token: String
    /// The key with which the hub signs its pings.
    var secret: String
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
}

/// The subscriptions at hubs, in a file that outlives the process.
actor PingStore {
    private var file: StateFile<[String: PingSubscription]>
    private var subscriptions: [String: PingSubscription] = [:]

    /// Duration in seconds of the promise that a hub is asked for.
    static let lease: Int64 = 10 * 86_400
    /// Seconds until a hub that has not verified is asked again; doubled with each failure.
    private static let minRetryInterval: Int64 = 3_600
    /// Longest duration in seconds that is believed; afterwards the hub is asked again.
    private static let longestLease: Int64 = 30 * 86_400
    /// Seconds between two fetches caused by pings.
    private static let pause: Int64 = 60

    init(folder: String) { file = StateFile(folder + "/pings.json") }

    private func readIfChanged() {
        if let stored = file.readIfChanged() { subscriptions = stored }
    }

    private func save() {
        do {
            try file.write(subscriptions)
        } catch {
            for line in FailureLine(error, doing: file.path).lines { tell(line) }
        }
    }

    /// The subscription that a hub should be asked for now; nil if its promise is valid, or if it must be left alone
    /// for a while.
    func request(for podcast: PodcastID, hub: String, topic: String, now: Timestamp) -> PingSubscription? {
        readIfChanged()
        var subscription =
            subscriptions[podcast.text]
            ?? PingSubscription(hub: hub, topic: topic, token: Token.make(), secret: Token.make())
        if subscription.hub != hub || subscription.topic != topic {
            subscription = PingSubscription(hub: hub, topic: topic, token: Token.make(), secret: Token.make())
        }
        // A promise is renewed when a fifth of it remains.
        if let until = subscription.until, until - now.seconds > (subscription.lease ?? Self.lease) / 5 { return nil }
        if let asked = subscription.askedAt {
            let wait = Self.minRetryInterval << Int64(min(subscription.failures, 8))
            guard now.seconds - asked >= wait else { return nil }
            // The last request was not verified in time.
            subscription.failures += 1
        }
        subscription.askedAt = now.seconds
        subscriptions[podcast.text] = subscription
        save()
        return subscription
    }

    /// Handles a hub's verification of a request.
    ///
    /// - Returns: true if the request was meant.
    func verify(token: String, mode: String, topic: String, seconds: Int64?, now: Timestamp, isWanted: Bool) -> Bool {
        readIfChanged()
        guard let (id, stored) = subscriptions.first(where: { $0.value.token == token }), stored.topic == topic else {
            return false
        }
        var subscription = stored
        switch mode {
        case "subscribe":
            guard isWanted, subscription.askedAt != nil else { return false }
            let lease = min(max(seconds ?? Self.lease, 300), Self.longestLease)
            (subscription.until, subscription.lease) = (now.seconds + lease, lease)
            (subscription.askedAt, subscription.failures) = (nil, 0)
        case "unsubscribe":
            guard !isWanted else { return false }
            subscriptions[id] = nil
            save()
            return true
        case "denied":
            (subscription.until, subscription.failures) = (nil, 8)
            subscription.askedAt = now.seconds
        default: return false
        }
        subscriptions[id] = subscription
        save()
        return true
    }

    func podcast(of token: String) -> PodcastID? {
        readIfChanged()
        return subscriptions.first { $0.value.token == token }.map { PodcastID(text: $0.key) }
    }

    /// Handles a hub's message that a feed has changed.
    ///
    /// - Parameter signature: `METHOD=HEX`, computed over the body with our secret.
    /// - Returns: the podcast, if the message is authentic and its feed may be fetched again by now.
    func ping(token: String, body: [UInt8], signature: String?, now: Timestamp) -> PodcastID? {
        readIfChanged()
        guard let (id, subscription) = subscriptions.first(where: { $0.value.token == token }), let until = subscription.until,
            until > now.seconds, let signature, Self.isSigned(body, signature, subscription.secret)
        else { return nil }
        if let last = subscription.lastPing, now.seconds - last < Self.pause { return nil }
        subscriptions[id]?.lastPing = now.seconds
        save()
        return PodcastID(text: id)
    }

    /// The time until which the hub can be relied on to report new episodes; nil if it cannot.
    func countsOn(_ podcast: Podcast, now: Timestamp) -> Timestamp? {
        readIfChanged()
        guard let subscription = subscriptions[podcast.id.text], let until = subscription.until, until > now.seconds else {
            return nil
        }
        let isReliable = HubRule.isReliable(
            before: subscription.isReliable ?? false, verifiedAt: Timestamp(seconds: until - (subscription.lease ?? 0)),
            pingedAt: subscription.lastPing.map { Timestamp(seconds: $0) }, addedAt: podcast.lastAddedAt)
        if isReliable != subscription.isReliable ?? false {
            subscriptions[podcast.id.text]?.isReliable = isReliable
            save()
        }
        return isReliable ? Timestamp(seconds: until) : nil
    }

    private static func isSigned(_ body: [UInt8], _ signature: String, _ secret: String) -> Bool {
        let parts = signature.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, ["sha1", "sha256", "sha384", "sha512"].contains(parts[0]),
            let sum = Digest.authentication(parts[0].uppercased(), of: body, key: Array(secret.utf8))
        else { return false }
        let (received, wanted) = (Array(parts[1].lowercased().utf8), Array(Digest.hex(sum).utf8))
        guard received.count == wanted.count else { return false }
        return zip(received, wanted).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
