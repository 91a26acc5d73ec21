import Composition
import Domain
import Presentation

/// The subscriptions at hubs, in a file that outlives the process.
actor PingStore {
    private var file: StateFile<[String: HubSubscription]>
    private var stored: [String: HubSubscription] = [:]

    init(folder: String) { file = StateFile(folder + "/pings.json") }

    private var subscriptions: [String: HubSubscription] {
        get {
            if let changed = file.readIfChanged() { stored = changed }
            return stored
        }
        set {
            guard newValue != stored else { return }
            stored = newValue
            do {
                try file.write(stored)
            } catch {
                for line in FailureLine(error, doing: file.path).lines { tell(line) }
            }
        }
    }

    /// The subscription that a hub should be asked for now; nil if its promise is valid, or if it must be left alone
    /// for a while.
    func request(for podcast: PodcastID, hub: String, topic: String, now: Timestamp) -> HubSubscription? {
        var subscription =
            subscriptions[podcast.text].flatMap { $0.hub == hub && $0.topic == topic ? $0 : nil }
            ?? HubSubscription(hub: hub, topic: topic, token: Token.make(), secret: Token.make())
        guard subscription.ask(now: now) else { return nil }
        subscriptions[podcast.text] = subscription
        return subscription
    }

    private func subscription(with token: String) -> (podcast: String, subscription: HubSubscription)? {
        subscriptions.first { $0.value.token == token }.map { ($0.key, $0.value) }
    }

    /// Handles a hub's verification of a request.
    ///
    /// - Returns: true if the request was meant.
    func verify(token: String, mode: String, topic: String, seconds: Int64?, now: Timestamp, isWanted: Bool) -> Bool {
        guard let (podcast, stored) = subscription(with: token) else { return false }
        var subscription = stored
        switch subscription.verify(mode: mode, topic: topic, seconds: seconds, isWanted: isWanted, now: now) {
        case .accepted: subscriptions[podcast] = subscription
        case .ended: subscriptions[podcast] = nil
        case .refused: return false
        }
        return true
    }

    func podcast(of token: String) -> PodcastID? { subscription(with: token).map { PodcastID(text: $0.podcast) } }

    /// Handles a hub's message that a feed has changed.
    ///
    /// - Parameter signature: `METHOD=HEX`, computed over the body with our secret.
    /// - Returns: the podcast, if the message is authentic and its feed may be fetched again by now.
    func ping(token: String, body: [UInt8], signature: String?, now: Timestamp) -> PodcastID? {
        guard let (podcast, stored) = subscription(with: token), stored.isValid(now: now), let signature,
            Self.isSigned(body, signature, stored.secret)
        else { return nil }
        var subscription = stored
        guard subscription.ping(now: now) else { return nil }
        subscriptions[podcast] = subscription
        return PodcastID(text: podcast)
    }

    /// The time until which the hub can be relied on to report new episodes; nil if it cannot.
    func reliance(on podcast: Podcast, now: Timestamp) -> Timestamp? {
        subscriptions[podcast.id.text]?.reliance(addedAt: podcast.lastAddedAt, now: now)
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
