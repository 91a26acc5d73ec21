public import Domain

/// The result for one URL given to `subscribe`.
public struct SubscribeOutcome: Sendable {
    public enum Kind: Sendable {
        case subscribed
        /// The library already has the podcast.
        case existing
        case failed(SubscribeFailure)
    }

    /// As the user typed it, without password.
    public var input: String
    public var kind: Kind
    public var podcast: Podcast?
    /// True if it took over the episodes that an earlier unsubscription kept.
    public var hasKeptEpisodes = false
    /// Other feeds that the web page names.
    public var alternatives: [FeedLink] = []

    public init(input: String, kind: Kind, podcast: Podcast? = nil) {
        self.input = input
        self.kind = kind
        self.podcast = podcast
    }
}

/// A podcast before it is subscribed to.
public struct SubscribePreview: Sendable {
    public var podcast: Podcast
    public var channel: Channel
    /// In the order of the feed.
    public var episodes: [Episode]
    /// True if the library already has the podcast.
    public var isSubscribed: Bool
    /// Other feeds that the web page names.
    public var alternatives: [FeedLink]

    package init(
        podcast: Podcast, channel: Channel, episodes: [Episode], isSubscribed: Bool, alternatives: [FeedLink]
    ) {
        (self.podcast, self.channel, self.episodes) = (podcast, channel, episodes)
        (self.isSubscribed, self.alternatives) = (isSubscribed, alternatives)
    }
}
