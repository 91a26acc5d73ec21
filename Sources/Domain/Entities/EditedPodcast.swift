public import Addresses

/// The subscription and the user's settings before and after an edit.
public struct EditedPodcast: Equatable, Sendable {
    public struct State: Equatable, Sendable {
        public var feedURL: String
        public var credentials: Credentials?
        public var settings: PodcastSettings
        /// What earlier requests left, which an edit of URL or credentials drops.
        public var fetch: FetchState

        public init(_ podcast: Podcast) {
            (feedURL, credentials, settings) = (podcast.feedURL, podcast.credentials, podcast.settings)
            fetch = podcast.fetch
        }
    }

    public var id: PodcastID
    public var before: State
    public var after: State

    public init(id: PodcastID, before: State, after: State) {
        (self.id, self.before, self.after) = (id, before, after)
    }
}
