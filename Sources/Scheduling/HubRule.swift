public import Domain

/// Decides how far to rely on a hub that promised to announce changes of a feed (W3C WebSub).
///
/// A promise alone changes nothing. Once a hub has announced an episode, its feed is fetched only once a day, until an
/// episode appears that the hub did not announce.
public enum HubRule {
    /// Seconds after a ping within which the announced episode must be in the feed.
    private static let maxDelay: Int64 = 600
    /// Seconds for which pings are relied on. If the server that receives them stops, feeds are fetched normally again
    /// a day later.
    private static let trusted = Schedule.day

    /// True if the hub announces new episodes.
    ///
    /// - Parameters:
    ///   - before: the previous result.
    ///   - verifiedAt: when the hub confirmed the subscription.
    ///   - addedAt: when the podcast got its last episode.
    public static func isReliable(
        before: Bool, verifiedAt: Timestamp, pingedAt: Timestamp?, addedAt: Timestamp?
    ) -> Bool {
        guard let addedAt, addedAt >= verifiedAt else { return before }
        guard let pingedAt else { return false }
        if addedAt < pingedAt { return before }
        return addedAt - pingedAt <= maxDelay
    }

    /// Sets until when the feed may be fetched less often. Small shifts are not stored, since each is a write.
    ///
    /// - Parameter until: the end of the hub's promise; nil if the hub is not relied on.
    public static func apply(_ until: Timestamp?, to podcast: inout Podcast, now: Timestamp) {
        let current = podcast.fetch.hubUntil.flatMap { $0 > now ? $0 : nil }
        let wanted = until.flatMap { $0 > now ? min($0, now + trusted) : nil }
        if let current, let wanted, current - now > trusted / 2 || current >= wanted { return }
        guard current != wanted else { return }
        podcast.fetch.hubUntil = wanted
        if wanted == nil, podcast.fetch.dueRule == .hub { (podcast.fetch.nextDueAt, podcast.fetch.dueRule) = (now, .cadence) }
    }
}
