/// The facts that a listing needs of a podcast.
public protocol Listed {
    var id: PodcastID { get }
    var latestEpisodeAt: Timestamp? { get }
    var episodeCount: Int { get }
    var episodesRevision: Int { get }
    var isPaused: Bool { get }
    /// nil if the general setting decides.
    func wants(_ text: EpisodeText) -> Bool?
    func isDue(_ text: EpisodeText, _ now: Timestamp) -> Bool
}

extension Podcast: Listed {
    public var isPaused: Bool { settings.isPaused }
    public func wants(_ text: EpisodeText) -> Bool? { settings.wants(text) }

    /// True if transcripts, or chapters, were not looked for since the episodes changed, or if some are waiting for
    /// this time.
    public func isDue(_ text: EpisodeText, _ now: Timestamp) -> Bool {
        // A time further away than any wait was written by a clock that has jumped.
        let isTime = transcripts.dueAt(text).map { $0 <= now || $0 - now > CachingHeaders.longestRetryAfter } ?? false
        return transcripts.seen(text) != episodesRevision || isTime
    }

    /// True if the last fetch failed or the server answered 410.
    public var isFailing: Bool { fetch.failure != nil || fetch.isGone }
}

extension PodcastSettings {
    /// nil if the general setting decides.
    public func wants(_ text: EpisodeText) -> Bool? { text == .transcript ? transcripts : chapters }
}

extension PodcastListing {
    public func includes(_ podcast: some Listed) -> Bool {
        switch self {
        case .all: return true
        case .latestEpisodes(let publishedSince):
            if let publishedSince, let latest = podcast.latestEpisodeAt, latest < publishedSince { return false }
            return podcast.episodeCount > 0
        case .transcripts(let text, let now, let byDefault, let all):
            return podcast.episodesRevision > 0 && !podcast.isPaused && podcast.wants(text) ?? byDefault
                && (all || podcast.isDue(text, now))
        }
    }

    public func isBefore(_ a: some Listed, _ b: some Listed) -> Bool {
        switch self {
        case .all: return a.id < b.id
        case .latestEpisodes: return isNewer(a, b, undated: .max)
        case .transcripts: return isNewer(a, b, undated: .min)
        }
    }

    private func isNewer(_ a: some Listed, _ b: some Listed, undated: Int64) -> Bool {
        let (first, second) = (a.latestEpisodeAt?.seconds ?? undated, b.latestEpisodeAt?.seconds ?? undated)
        return first == second ? a.id < b.id : first > second
    }
}

extension LibraryOverview {
    /// Counts one podcast. The list of podcasts that need attention is set separately.
    public mutating func count(_ health: Health, episodes: Int, isFailing: Bool, dueAt: Timestamp?) {
        podcasts += 1
        self.episodes += episodes
        self.health[health, default: 0] += 1
        if isFailing { failing += 1 }
        if let dueAt { nextDueAt = min(nextDueAt ?? dueAt, dueAt) }
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
