/// The index data of one episode, for libraries that store the terms themselves.
public struct EpisodeTerms: Equatable, Sendable {
    public var id: EpisodeID
    /// Seconds since 1970; 0 if there is no date.
    public var published: Int64
    /// Approximate bytes of its title, and of its other text.
    public var titleBytes: Int
    public var textBytes: Int
    /// XXH64 of each term, in order.
    public var terms: [UInt64]
    /// Ranking data of the terms, in the index's own format.
    public var summary: [UInt8]

    public init(
        id: EpisodeID, published: Int64, titleBytes: Int, textBytes: Int, terms: [UInt64], summary: [UInt8]
    ) {
        (self.id, self.published, self.titleBytes, self.textBytes) = (id, published, titleBytes, textBytes)
        (self.terms, self.summary) = (terms, summary)
    }
}

/// The index state of one podcast.
public struct IndexedState: Equatable, Sendable {
    /// The podcast's content revision; 0 while only a part of it is indexed.
    public var revision: Int
    /// Digest of the podcast's fields that every episode is indexed with.
    public var digest: UInt64
    /// ISO 639 code of two letters, or the index's value for an unknown language.
    public var language: String

    public init(revision: Int, digest: UInt64, language: String) {
        (self.revision, self.digest, self.language) = (revision, digest, language)
    }
}

/// Some episodes of one podcast that are being indexed.
public struct PodcastTerms: Sendable {
    public var podcast: PodcastID
    public var state: IndexedState
    public var episodes: [EpisodeTerms]
    /// Entries of the word list, in order.
    public var words: [[UInt8]]

    public init(podcast: PodcastID, state: IndexedState, episodes: [EpisodeTerms], words: [[UInt8]]) {
        (self.podcast, self.state, self.episodes, self.words) = (podcast, state, episodes, words)
    }
}

/// A necessary condition on an episode's terms: an episode that satisfies it may match a search, and no other does.
public indirect enum TermCondition: Equatable, Sendable {
    /// All of these terms.
    case terms([UInt64])
    /// One of these terms.
    case anyTerm([UInt64])
    case all([TermCondition])
    case any([TermCondition])
    case podcast(PodcastID)
    case episodes([EpisodeID])
    case every
}

/// Which episodes may match a search.
public struct CandidateRequest: Equatable, Sendable {
    public var condition: TermCondition
    /// Dates as in `EpisodeTerms`.
    public var published: ClosedRange<Int64>
    public var oldestFirst: Bool
    /// True if the condition is so common that scanning all episodes by date soon finds enough.
    public var isCommon: Bool
    /// The term of the exact title: its episodes are candidates whatever their age.
    public var exactTitle: UInt64?
    /// The term of all episodes whose podcast has exactly the title searched for.
    public var podcastTitle: UInt64?

    public init(
        _ condition: TermCondition, published: ClosedRange<Int64> = 0 ... .max, oldestFirst: Bool = false,
        isCommon: Bool = false, exactTitle: UInt64? = nil, podcastTitle: UInt64? = nil
    ) {
        (self.condition, self.published, self.oldestFirst) = (condition, published, oldestFirst)
        self.isCommon = isCommon
        (self.exactTitle, self.podcastTitle) = (exactTitle, podcastTitle)
    }
}

/// An episode that may match.
public struct SearchCandidate: Sendable {
    public var id: EpisodeID
    /// As in `EpisodeTerms`.
    public var published: Int64
    /// As in `EpisodeTerms`; empty if unknown.
    public var summary: [UInt8]

    public init(id: EpisodeID, published: Int64, summary: [UInt8]) {
        (self.id, self.published, self.summary) = (id, published, summary)
    }
}

/// A page of candidates in date order.
public struct CandidatePage: Sendable {
    public var candidates: [SearchCandidate]
    /// The start of the next page; nil after the last.
    public var next: Position?

    public struct Position: Equatable, Sendable {
        public var published: Int64
        public var id: EpisodeID

        public init(published: Int64, id: EpisodeID) { (self.published, self.id) = (published, id) }
    }

    public init(candidates: [SearchCandidate], next: Position?) { (self.candidates, self.next) = (candidates, next) }
}
