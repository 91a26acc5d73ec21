/// What the user decides about one podcast.
public struct EditPodcast: Sendable {
    public struct Changes: Sendable {
        /// What is kept for it from now on, where that differs.
        public var settings: PodcastSettings
        /// Where the feed is from now on; user and password in it are kept apart.
        public var feedURL: String?
        /// Sent to its server from now on; `.some(nil)`: none.
        public var credentials: Credentials??

        public init(_ settings: PodcastSettings) { self.settings = settings }
    }

    public enum Failure: Error, Sendable {
        case badURL(String)
        /// Another podcast has this URL.
        case taken(by: Podcast)
    }

    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository
    let transcripts: any TranscriptRepository
    let index: any SearchIndex

    public init(
        podcasts: any PodcastRepository, episodes: any EpisodeRepository, transcripts: any TranscriptRepository,
        index: any SearchIndex
    ) {
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.index = index
    }

    /// The podcast as it is kept now.
    ///
    /// - Throws: `EditPodcast.Failure`, `LibraryFailure`.
    public func callAsFunction(_ podcast: Podcast, _ changes: Changes, now: Timestamp) async throws -> Podcast {
        var edited = podcast
        edited.settings = changes.settings
        if let url = changes.feedURL {
            guard let address = FeedURL.parse(url) else { throw Failure.badURL(url) }
            let others = try await podcasts.podcasts().filter { $0.id != podcast.id }
            if let other = others.first(where: { $0.feedURL == address.url }) { throw Failure.taken(by: other) }
            edited.move(to: address, now: now)
        }
        if let credentials = changes.credentials { edited.sign(with: credentials) }
        if edited.settings != podcast.settings { Schedule.heedBounds(&edited) }
        if edited != podcast { try await podcasts.save([edited]) }
        if edited.displayTitle != podcast.displayTitle, edited.revision > 0 {
            // Episodes are found by their podcast's title too.
            try await index.add(whole: edited, episodes, transcripts)
            try await index.save()
        }
        return edited
    }
}

extension Podcast {
    /// A server may show another feed, or a feed at all, to another user.
    fileprivate mutating func sign(with new: Credentials?) {
        guard new != credentials else { return }
        credentials = new
        fetch.validators = nil
        fetch.bodyHash = nil
        fetch.nextDueAt = nil
        fetch.dueRule = nil
    }

    /// Nothing that the old address said holds at the new one; the episodes stay.
    fileprivate mutating func move(to address: FeedURL, now: Timestamp) {
        if address.url != feedURL {
            fetch.record(FeedMove(at: now, from: feedURL, reason: .edited))
        }
        feedURL = address.url
        credentials = address.credentials
        fetch.validators = nil
        fetch.bodyHash = nil
        fetch.contentDigest = nil
        fetch.nextDueAt = nil
        fetch.dueRule = nil
        fetch.retryAfter = nil
        fetch.isGone = false
        fetch.failure = nil
    }
}
