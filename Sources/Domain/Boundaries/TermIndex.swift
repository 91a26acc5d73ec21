/// What an index has to know of an episode so that searches find it: for libraries that keep the terms themselves.
public struct EpisodeTerms: Equatable, Sendable {
    public var id: EpisodeID
    /// Seconds since 1970; 0 if there is no date.
    public var published: Int64
    /// About the bytes of its title, and of its other text.
    public var titleBytes: Int
    public var textBytes: Int
    /// XXH64 of each term, in order.
    public var terms: [UInt64]
    /// What ranking needs to know of them, as the index wrote it.
    public var summary: [UInt8]

    public init(
        id: EpisodeID, published: Int64, titleBytes: Int, textBytes: Int, terms: [UInt64], summary: [UInt8]
    ) {
        (self.id, self.published, self.titleBytes, self.textBytes) = (id, published, titleBytes, textBytes)
        (self.terms, self.summary) = (terms, summary)
    }
}

/// How far the index has come with a podcast.
public struct IndexedState: Equatable, Sendable {
    /// The podcast's content revision; 0 while only a part of it is indexed.
    public var revision: Int
    /// Of what every episode of the podcast is indexed with.
    public var digest: UInt64
    /// ISO 639 code of two letters, or what stands for none.
    public var language: String

    public init(revision: Int, digest: UInt64, language: String) {
        (self.revision, self.digest, self.language) = (revision, digest, language)
    }
}

/// Some episodes of one podcast, on their way into the index.
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

/// What the terms of an episode must be for it to match a search: perhaps it does not match then, but no other does.
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
    /// True if so many episodes satisfy the condition that going through all of them by date soon finds enough.
    public var isCommon: Bool
    /// Episodes with this term are among the best, whatever their age.
    public var exactTitle: UInt64?
    /// Podcasts whose episodes have this term have the title that was asked for.
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
    /// As in `EpisodeTerms`; empty if it is not known.
    public var summary: [UInt8]

    public init(id: EpisodeID, published: Int64, summary: [UInt8]) {
        (self.id, self.published, self.summary) = (id, published, summary)
    }
}

/// Candidates in the order of their dates.
public struct CandidatePage: Sendable {
    public var candidates: [SearchCandidate]
    /// Where the next page begins; nil after the last.
    public var next: Place?

    public struct Place: Equatable, Sendable {
        public var published: Int64
        public var id: EpisodeID

        public init(published: Int64, id: EpisodeID) { (self.published, self.id) = (published, id) }
    }

    public init(candidates: [SearchCandidate], next: Place?) { (self.candidates, self.next) = (candidates, next) }
}
