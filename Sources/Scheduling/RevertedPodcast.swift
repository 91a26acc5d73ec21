public import Domain

extension EditedPodcast {
    /// The podcast without the edit. What was changed since then, by a refresh or another edit, stays.
    ///
    /// - Parameter isTaken: true if the earlier URL was subscribed to since.
    public func reverted(_ podcast: Podcast, isTaken: Bool) -> Podcast {
        var podcast = podcast
        let settings = podcast.settings.reverted(from: after.settings, to: before.settings)
        let isBounded = podcast.settings != settings
        podcast.settings = settings
        let movesBack = before.feedURL != after.feedURL && podcast.feedURL == after.feedURL && !isTaken
        let signsBack = before.credentials != after.credentials && podcast.credentials == after.credentials
        if movesBack {
            if podcast.fetch.moves.first?.from == before.feedURL { podcast.fetch.moves.removeFirst() }
            podcast.moveTo(feedURL: before.feedURL, credentials: before.credentials)
        } else if signsBack {
            podcast.sign(with: before.credentials)
        }
        // If nothing was fetched since, what was known about the feed is true again.
        let isSameFeed = podcast.feedURL == before.feedURL && podcast.credentials == before.credentials
        if movesBack || signsBack, isSameFeed, podcast.fetch.lastAttemptAt == before.fetch.lastAttemptAt {
            podcast.fetch = before.fetch
        }
        if isBounded { Schedule.heedBounds(&podcast) }
        return podcast
    }
}
