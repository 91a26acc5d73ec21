/// The subscription and the user's settings before and after an edit.
public struct EditedPodcast: Equatable, Sendable {
    public struct State: Equatable, Sendable {
        public var feedURL: String
        public var credentials: Credentials?
        public var settings: PodcastSettings

        public init(_ podcast: Podcast) {
            (feedURL, credentials, settings) = (podcast.feedURL, podcast.credentials, podcast.settings)
        }
    }

    public var id: PodcastID
    public var before: State
    public var after: State

    public init(id: PodcastID, before: State, after: State) {
        (self.id, self.before, self.after) = (id, before, after)
    }

    /// The podcast without the edit. What was changed since then, by a refresh or another edit, stays.
    ///
    /// - Parameter isTaken: true if the earlier URL was subscribed to since.
    public func reverted(_ podcast: Podcast, isTaken: Bool) -> Podcast {
        var podcast = podcast
        let settings = podcast.settings.reverted(from: after.settings, to: before.settings)
        if podcast.settings != settings {
            podcast.settings = settings
            Schedule.heedBounds(&podcast)
        }
        let movesBack = before.feedURL != after.feedURL && podcast.feedURL == after.feedURL && !isTaken
        if movesBack {
            if podcast.fetch.moves.first?.from == before.feedURL { podcast.fetch.moves.removeFirst() }
            podcast.moveTo(feedURL: before.feedURL, credentials: before.credentials)
        } else if before.credentials != after.credentials, podcast.credentials == after.credentials {
            podcast.sign(with: before.credentials)
        }
        return podcast
    }
}
