import Composition
import Domain
import FoundationEssentials
import Glibc
import Presentation

/// A hub's promise to say when a feed changes (W3C WebSub), and how far it is kept.
struct PingSubscription: Codable, Sendable, Equatable {
    var hub: String
    /// The feed as the hub knows it: its own self link.
    var topic: String
    /// The end of the callback's address; nobody else knows it.
    var token: String
    /// Signs what the hub sends.
    var secret: String
    /// Seconds since 1970, as all times here.
    var askedAt: Int64?
    /// When the hub's promise ends; nil until it is verified.
    var until: Int64?
    /// How long the promise is.
    var lease: Int64?
    var lastPing: Int64?
    /// It has told of new episodes.
    var isReliable: Bool?
    /// Requests that the hub did not take or did not verify, since the last that it did.
    var failures = 0
}

/// The subscriptions at hubs, in a file that outlives the process.
actor PingStore {
    private let path: String
    private var subscriptions: [String: PingSubscription] = [:]

    /// Seconds that a hub is asked to keep its promise.
    static let lease: Int64 = 10 * 86_400
    /// A hub that has not verified by then is asked again later.
    private static let patience: Int64 = 3_600
    /// Longer promises are not believed: the hub is asked again.
    private static let longestLease: Int64 = 30 * 86_400
    /// Between two fetches that pings cause.
    private static let pause: Int64 = 60

    init(folder: String) {
        path = folder + "/pings.json"
        if access(path, F_OK) == 0, let bytes = try? UserFile(path).read(),
            let stored = try? JSONDecoder().decode([String: PingSubscription].self, from: Data(bytes))
        {
            subscriptions = stored
        }
    }

    private func save() {
        makeFolders(above: path)
        guard let data = try? JSONEncoder().encode(subscriptions) else { return }
        do {
            try UserFile(path).replace(with: [UInt8](data))
        } catch {
            for line in FailureLine(error, doing: path).lines { tell(line) }
        }
    }

    /// What a hub should be asked now; nil if its promise holds or it has to be left alone for a while.
    func request(for podcast: PodcastID, hub: String, topic: String, now: Timestamp) -> PingSubscription? {
        var subscription =
            subscriptions[podcast.text]
            ?? PingSubscription(hub: hub, topic: topic, token: Token.make(), secret: Token.make())
        if subscription.hub != hub || subscription.topic != topic {
            subscription = PingSubscription(hub: hub, topic: topic, token: Token.make(), secret: Token.make())
        }
        // A promise is renewed when a fifth of it remains.
        if let until = subscription.until, until - now.seconds > (subscription.lease ?? Self.lease) / 5 { return nil }
        if let asked = subscription.askedAt {
            let wait = Self.patience << Int64(min(subscription.failures, 8))
            guard now.seconds - asked >= wait else { return nil }
            // It was not verified in time.
            subscription.failures += 1
        }
        subscription.askedAt = now.seconds
        subscriptions[podcast.text] = subscription
        save()
        return subscription
    }

    /// The hub asks whether we want what it was asked for.
    ///
    /// - Returns: false if we do not.
    func verify(token: String, mode: String, topic: String, seconds: Int64?, now: Timestamp, isWanted: Bool) -> Bool {
        guard let (id, found) = subscriptions.first(where: { $0.value.token == token }), found.topic == topic else {
            return false
        }
        var subscription = found
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
        subscriptions.first { $0.value.token == token }.map { PodcastID(text: $0.key) }
    }

    /// A hub says that a feed changed.
    ///
    /// - Parameter signature: `METHOD=HEX`, over the body, with our secret.
    /// - Returns: the podcast, if the hub said so and it is time to ask for its feed again.
    func ping(token: String, body: [UInt8], signature: String?, now: Timestamp) -> PodcastID? {
        guard let (id, found) = subscriptions.first(where: { $0.value.token == token }), let until = found.until,
            until > now.seconds, let signature, Self.isSigned(body, signature, found.secret)
        else { return nil }
        if let last = found.lastPing, now.seconds - last < Self.pause { return nil }
        subscriptions[id]?.lastPing = now.seconds
        save()
        return PodcastID(text: id)
    }

    /// Until when the hub can be counted on to tell of new episodes; nil if it cannot.
    func countsOn(_ podcast: Podcast, now: Timestamp) -> Timestamp? {
        guard let found = subscriptions[podcast.id.text], let until = found.until, until > now.seconds else { return nil }
        let isReliable = HubRule.isReliable(
            before: found.isReliable ?? false, verifiedAt: Timestamp(seconds: until - (found.lease ?? 0)),
            pingedAt: found.lastPing.map { Timestamp(seconds: $0) }, addedAt: podcast.lastAddedAt)
        if isReliable != found.isReliable ?? false {
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
        let (found, wanted) = (Array(parts[1].lowercased().utf8), Array(Digest.hex(sum).utf8))
        guard found.count == wanted.count else { return false }
        return zip(found, wanted).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
