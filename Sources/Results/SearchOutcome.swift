public import Domain
public import Searching

/// One result of a search.
public struct FoundEpisode: Sendable {
    public var episode: Episode
    public var podcast: Podcast
    /// Higher is better.
    public var score: Double
    /// The matching field, as in `jimmy parse`.
    public var field: String
    public var snippet: Snippet
    /// Seconds into the episode, for a transcript.
    public var start: Double?
    /// All places of the transcript that match as well, in order of time; only some of them if there are many.
    public var moments: [Snippet] = []
    /// How many there are.
    public var momentCount = 0
    /// True if not all words of the query are said close together, but most of them.
    public var hasMostWords = false
    /// The owner's tags.
    public var tags: Set<Tag> = []
    /// Matching copies of the episode in other podcasts.
    public var others: [OtherListing] = []
    public var explanation: HitExplanation?

    /// Another podcast that lists the same episode.
    public struct OtherListing: Sendable {
        public var id: EpisodeID
        public var podcast: Podcast

        package init(id: EpisodeID, podcast: Podcast) { (self.id, self.podcast) = (id, podcast) }
    }

    public init(episode: Episode, podcast: Podcast, score: Double, field: String, snippet: Snippet, start: Double? = nil) {
        self.episode = episode
        self.podcast = podcast
        self.score = score
        self.field = field
        self.snippet = snippet
        self.start = start
    }
}

/// The result of a search.
public struct SearchOutcome: Sendable {
    /// Best first.
    public var episodes: [FoundEpisode]
    /// If nothing was found: the nearest spelling that has matches.
    public var suggestion: String?
    /// True if nothing matched as typed, and the episodes are those in which something sounds like it.
    public var isBySound = false
    /// Why the index could not be reconciled, so that results may be missing.
    public var indexFailure: IndexFailure?
    public var unreadable: [UnreadablePodcast] = []
    /// Number of changed podcasts that are not indexed yet because that would take long. The next refresh indexes them.
    public var postponed = 0
    /// Podcasts whose title is exactly the text searched for.
    public var podcasts: [Podcast] = []
    public var facets: [SearchFacet: [FacetCount]] = [:]
    /// Titles of the podcasts in `facets`.
    public var titles: [String: String] = [:]
    /// Number of matching episodes, including those beyond the limit.
    public var total = MatchCount(0)
    /// Parts of the query that look like conditions and are searched as words.
    public var unknown: [UnknownCondition] = []

    public init(episodes: [FoundEpisode]) { self.episodes = episodes }
}

/// A podcast that could not be read, and so stays as it was indexed before.
public struct UnreadablePodcast: Sendable {
    public var id: PodcastID
    public var failure: LibraryFailure

    public init(id: PodcastID, failure: LibraryFailure) {
        self.id = id
        self.failure = failure
    }
}

extension SearchOutcome {
    /// True if nothing was found.
    public var isEmpty: Bool { episodes.isEmpty && podcasts.isEmpty }
}
