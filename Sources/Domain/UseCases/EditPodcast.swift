/// What the user decides about one podcast.
public struct EditPodcast: Sendable {
    public struct Changes: Sendable {
        /// An own title; empty: the feed's.
        public var title: String?
        /// Replaces all tags.
        public var tags: [String]?
        /// Sent to its server; empty: the program's own.
        public var userAgent: String?
        /// Where the feed is from now on; user and password in it are kept apart.
        public var feedURL: String?

        public init() {}
    }

    public enum Failure: Error, Sendable {
        case badURL(String)
        /// Another podcast has this URL.
        case taken(by: Podcast)
    }

    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository
    let index: any SearchIndex

    public init(podcasts: any PodcastRepository, episodes: any EpisodeRepository, index: any SearchIndex) {
        self.podcasts = podcasts
        self.episodes = episodes
        self.index = index
    }

    /// The podcast as it is kept now.
    ///
    /// - Throws: `EditPodcast.Failure`, `LibraryFailure`.
    public func callAsFunction(_ podcast: Podcast, _ changes: Changes, now: Timestamp) async throws -> Podcast {
        var edited = podcast
        if let title = changes.title { edited.settings.title = title.isEmpty ? nil : title }
        if let tags = changes.tags { edited.settings.tags = tags }
        if let agent = changes.userAgent { edited.settings.userAgent = agent.isEmpty ? nil : agent }
        if let url = changes.feedURL {
            guard let address = FeedURL.parse(url) else { throw Failure.badURL(url) }
            let others = try await podcasts.podcasts().filter { $0.id != podcast.id }
            if let other = others.first(where: { $0.feedURL == address.url }) { throw Failure.taken(by: other) }
            edited.move(to: address, now: now)
        }
        if edited != podcast { try await podcasts.save([edited]) }
        if edited.displayTitle != podcast.displayTitle, edited.revision > 0 {
            // Episodes are found by their podcast's title too.
            let channel = try await episodes.kept(of: podcast.id).channel
            try await index.apply([.whole(edited, channel, try await episodes.episodes(of: podcast.id))])
        }
        return edited
    }
}

extension Podcast {
    /// Nothing that the old address said holds at the new one; the episodes stay.
    fileprivate mutating func move(to address: FeedURL, now: Timestamp) {
        if address.url != feedURL {
            fetch.moves.insert(FeedMove(at: now, from: feedURL, reason: .edited), at: 0)
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
