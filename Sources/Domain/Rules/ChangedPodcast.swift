package import Addresses

extension Podcast {
    /// True if data derived from the podcast, such as its index entries, must be derived again.
    public func hasContent(unlike other: Podcast) -> Bool {
        guard episodesRevision > 0 else { return false }
        return episodesRevision != other.episodesRevision || transcripts.revision != other.transcripts.revision
            || displayTitle != other.displayTitle || title != other.title || author != other.author
    }

    /// The same subscription under the next free id, as if it had never been fetched.
    public func unfetched(isTaken: (PodcastID) -> Bool) -> Podcast {
        var attempt = 0
        var id = self.id
        while isTaken(id) {
            attempt += 1
            id = PodcastID(feedURL: feedURL, attempt: attempt)
        }
        var podcast = Podcast(id: id, feedURL: feedURL, credentials: credentials, subscribedAt: subscribedAt)
        podcast.title = title
        podcast.settings = settings
        return podcast
    }

    /// Changes the credentials. Validators are dropped, because a server may send another feed to another user.
    package mutating func sign(with new: Credentials?) {
        guard new != credentials else { return }
        credentials = new
        fetch.validators = nil
        fetch.bodyHash = nil
        fetch.nextDueAt = nil
        fetch.dueRule = nil
    }

    /// Moves the subscription. State of the old address is dropped; the episodes stay.
    package mutating func moveTo(feedURL: String, credentials: Credentials?) {
        self.feedURL = feedURL
        self.credentials = credentials
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
