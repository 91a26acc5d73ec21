package import Addresses

extension PodcastListing {
    public func includes(_ podcast: some PodcastFacts) -> Bool {
        switch self {
        case .all: return true
        case .latestEpisodes(let publishedSince):
            if let publishedSince, let latest = podcast.latestEpisodeAt, latest < publishedSince { return false }
            return podcast.episodeCount > 0
        case .transcripts(let text, let now, let byDefault, let all):
            return podcast.episodesRevision > 0 && !podcast.isPaused && podcast.facts(of: text).isWanted ?? byDefault
                && (all || podcast.isDue(text, now))
        }
    }

    public func isBefore(_ a: some PodcastFacts, _ b: some PodcastFacts) -> Bool {
        switch self {
        case .all: return a.id < b.id
        case .latestEpisodes: return isNewer(a, b, undated: .max)
        case .transcripts: return isNewer(a, b, undated: .min)
        }
    }

    private func isNewer(_ a: some PodcastFacts, _ b: some PodcastFacts, undated: Int64) -> Bool {
        let (first, second) = (a.latestEpisodeAt?.seconds ?? undated, b.latestEpisodeAt?.seconds ?? undated)
        return first == second ? a.id < b.id : first > second
    }
}

extension LibraryOverview {
    /// Counts one podcast. The list of podcasts that need attention is set separately.
    ///
    /// - Returns: true if it needs attention.
    public mutating func count(_ podcast: some PodcastFacts, now: Timestamp) -> Bool {
        let facts = podcast.health
        let health = Health(of: facts, now: now)
        podcasts += 1
        episodes += podcast.episodeCount
        self.health[health, default: 0] += 1
        if facts.isFailing { failing += 1 }
        if let dueAt = podcast.dueAt { nextDueAt = min(nextDueAt ?? dueAt, dueAt) }
        return health.needsAttention
    }

    public mutating func setNeedingAttention(_ troubled: [(title: String, id: PodcastID)]) {
        needingAttention = troubled.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
            .prefix(LibraryOverview.attentionLimit).map(\.id)
    }
}

extension TitleName {
    /// How well the user's or the channel's title fits.
    public func fit(_ podcast: Podcast) -> Fit? { [podcast.displayTitle, podcast.title].compactMap { $0.flatMap(fit) }.min() }
}

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
