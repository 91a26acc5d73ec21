/// One search: the user's text as typed, and what the options add to it.
public struct SearchRequest: Equatable, Sendable {
    public enum Sort: String, Sendable, CaseIterable {
        /// `date` is newest first.
        case relevance, date, oldest
    }

    public var text: String
    public var podcast: PodcastID?
    public var since: Timestamp?
    public var until: Timestamp?
    public var sort = Sort.relevance
    /// At most `mostResults`.
    public var limit = 20 { didSet { limit = min(limit, Self.mostResults) } }
    /// Matches to pass over, in a list that is newest first: what ranks by relevance has no pages.
    public var offset = 0
    /// Archived episodes as well.
    public var includesArchived = false
    /// The play queue, for `in:queue`.
    public var queue: [EpisodeID] = []
    /// The episodes that have a tag of the owner, for the tags of `SearchQuery.ownTags`.
    public var tagged: [Tag: [EpisodeID]] = [:]
    /// Left out, whatever they match.
    public var hidden: [EpisodeID] = []
    /// Newer episodes rank a little higher; nil: age does not count.
    public var now: Timestamp?
    /// Each hit says why it ranks where it does.
    public var explains = false
    /// By what all matches are counted.
    public var facets: Set<SearchFacet> = []

    /// More than any library has.
    public static let mostResults = Int(Int32.max)

    public init(text: String) { self.text = text }
}

public struct SearchResults: Sendable {
    /// Best first.
    public var hits: [SearchHit]
    /// The nearest spelling in the index's vocabulary, if nothing matched.
    public var suggestion: String?
    /// How many episodes match, those beyond the limit included.
    public var total: MatchCount
    /// Podcasts whose title is exactly what was asked for.
    public var podcasts: [PodcastID] = []
    /// Of those that were asked for.
    public var facets: [SearchFacet: [FacetCount]] = [:]

    public init(hits: [SearchHit], suggestion: String? = nil, total: MatchCount? = nil) {
        self.hits = hits
        self.suggestion = suggestion
        self.total = total ?? MatchCount(hits.count)
    }
}

/// How many episodes match a search.
public struct MatchCount: Equatable, Sendable {
    public var count: Int
    /// False if the search stopped before the last match: there are at least `count`.
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
    /// For words of the query, folded, their other forms that the index has: a snippet marks these too.
    public var forms: [String: Set<String>]
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
    /// Higher is better, within one podcast or among the others.
    public var score: Double
    /// The words that both have, most telling first, in their usual spelling.
    public var terms: [String]

    public init(episodeID: EpisodeID, score: Double, terms: [String]) {
        self.episodeID = episodeID
        self.score = score
        self.terms = terms
    }
}

/// A piece of plain text around a match.
public struct Snippet: Equatable, Sendable {
    /// The field it is from, as in `jimmy parse`.
    public var field: String
    public var text: String
    /// The matches in it, as ranges of UTF-8 offsets, in order.
    public var matches: [Range<Int>]
    /// Seconds into the episode at which the first match is said; nil outside transcripts.
    public var start: Double?

    public init(field: String, text: String, matches: [Range<Int>]) {
        self.field = field
        self.text = text
        self.matches = matches
    }
}
