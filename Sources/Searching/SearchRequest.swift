public import Domain

/// One search: the user's text as typed, and the options.
public struct SearchRequest: Equatable, Sendable {
    public enum Sort: String, Sendable, CaseIterable {
        /// `date` is newest first.
        case relevance, date, oldest
    }

    /// A query that every episode matches.
    public static let everyEpisode = "added:1970.."

    public var text: String
    public var podcast: PodcastID?
    public var since: Timestamp?
    public var until: Timestamp?
    public var sort = Sort.relevance
    /// At most `maxResults`.
    public var limit = 20 { didSet { limit = min(limit, Self.maxResults) } }
    /// Number of matches to skip in a list sorted by date; results by relevance have no pages.
    public var offset = 0 { didSet { offset = min(offset, Self.maxResults) } }
    /// Whether to include archived episodes.
    public var includesArchived = false
    /// The play queue, for `in:queue`.
    public var queue: [EpisodeID] = []
    /// The tagged episodes, for each tag in `SearchQuery.ownTags`.
    public var tagged: [Tag: [EpisodeID]] = [:]
    /// The tagged podcasts, likewise.
    public var taggedPodcasts: [Tag: [PodcastID]] = [:]
    /// The episodes with a bookmark, for each of `SearchQuery.noteWords`.
    public var marked: [NoteWords: [EpisodeID]] = [:]
    /// Episodes to leave out of the results.
    public var hidden: [EpisodeID] = []
    /// The current time, by which newer episodes rank a little higher; nil if age does not count.
    public var now: Timestamp?
    /// Whether hits carry an explanation of their rank.
    public var explains = false
    /// Properties by which all matches are counted.
    public var facets: [SearchFacet] = []

    /// More than any library has.
    public static let maxResults = Int(Int32.max)

    public init(text: String) { self.text = text }
}

public struct SearchResults: Sendable {
    /// Best first.
    public var hits: [SearchHit]
    /// The nearest spelling in the index's vocabulary, if nothing matched.
    public var suggestion: String?
    /// Number of matching episodes, including those beyond the limit.
    public var total: MatchCount
    /// True if nothing matched as typed, and the hits are transcripts in which something sounds like it.
    public var isBySound = false
    /// Podcasts whose title is exactly the text searched for.
    public var podcasts: [PodcastID] = []
    /// The counts of the requested facets.
    public var facets: [SearchFacet: [FacetCount]] = [:]

    public init(hits: [SearchHit], suggestion: String? = nil, total: MatchCount? = nil) {
        self.hits = hits
        self.suggestion = suggestion
        self.total = total ?? MatchCount(hits.count)
    }
}

/// The number of episodes that match a search.
public struct MatchCount: Equatable, Sendable {
    public var count: Int
    /// False if the search stopped early, so that at least `count` match.
    public var isExact: Bool

    public init(_ count: Int, isExact: Bool = true) {
        self.count = count
        self.isExact = isExact
    }
}

public struct SearchHit: Equatable, Sendable {
    public var episodeID: EpisodeID
    /// Higher is better.
    public var score: Double
    /// The field that matched best, as in `jimmy parse`; `description` stands for all long texts of an episode.
    public var field: String
    /// Seconds into the episode, for a transcript.
    public var start: Double?
    /// Other indexed forms of the query's words, by folded word. Snippets mark these too.
    public var forms: [String: Set<String>]
    /// True if not all words of the query are said close together, but most of them.
    public var hasMostWords = false
    public var explanation: HitExplanation?

    public init(
        episodeID: EpisodeID, score: Double, field: String, start: Double? = nil, forms: [String: Set<String>] = [:]
    ) {
        self.episodeID = episodeID
        self.score = score
        self.field = field
        self.start = start
        self.forms = forms
    }
}

/// An episode that is like another one.
public struct SimilarHit: Equatable, Sendable {
    public var episodeID: EpisodeID
    /// Higher is better. Comparable within one podcast, or among all others.
    public var score: Double
    /// The words that both have, most distinctive first, in their usual spelling.
    public var terms: [String]

    public init(episodeID: EpisodeID, score: Double, terms: [String]) {
        self.episodeID = episodeID
        self.score = score
        self.terms = terms
    }
}

/// A piece of plain text around a match.
public struct Snippet: Equatable, Sendable {
    /// The field that the text is from, as in `jimmy parse`.
    public var field: String
    public var text: String
    /// The matches in the text, as ranges of UTF-8 offsets, in order.
    public var matches: [Range<Int>]
    /// Seconds into the episode at which the first match is spoken; nil outside transcripts.
    public var start: Double?

    public init(field: String, text: String, matches: [Range<Int>]) {
        self.field = field
        self.text = text
        self.matches = matches
    }
}
