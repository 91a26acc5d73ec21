/// What is expected of hubs that promised to say when a feed changes (W3C WebSub).
///
/// A promise alone changes nothing. Once a hub has told of an episode, its feed is asked once a day, until an episode comes
/// of which it has told nothing.
public enum HubRule {
    /// Seconds after a ping within which the feed brings what the ping was about.
    private static let patience: Int64 = 600
    /// How long pings are counted on: if the server stops that hears them, feeds are asked as before a day later.
    private static let trusted = Schedule.day

    /// Whether the hub tells of new episodes.
    ///
    /// - Parameters:
    ///   - before: whether it did until now.
    ///   - verifiedAt: since when it should.
    ///   - addedAt: when the podcast got its last episode.
    public static func isReliable(
        before: Bool, verifiedAt: Timestamp, pingedAt: Timestamp?, addedAt: Timestamp?
    ) -> Bool {
        guard let addedAt, addedAt >= verifiedAt else { return before }
        guard let pingedAt else { return false }
        if addedAt < pingedAt { return before }
        return addedAt - pingedAt <= patience
    }

    /// Sets until when the feed may be asked less often; not each time by some minutes, since that is a write.
    ///
    /// - Parameter until: the end of the hub's promise; nil if it is not counted on.
    public static func apply(_ until: Timestamp?, to podcast: inout Podcast, now: Timestamp) {
        let current = podcast.fetch.hubUntil.flatMap { $0 > now ? $0 : nil }
        let wanted = until.flatMap { $0 > now ? min($0, now + trusted) : nil }
        if let current, let wanted, current - now > trusted / 2 || current >= wanted { return }
        guard current != wanted else { return }
        podcast.fetch.hubUntil = wanted
        if wanted == nil, podcast.fetch.dueRule == .hub { (podcast.fetch.nextDueAt, podcast.fetch.dueRule) = (now, .cadence) }
    }
}
