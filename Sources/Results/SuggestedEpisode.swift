public import Domain

/// An episode that its owner may want to hear next, and why.
public struct SuggestedEpisode: Sendable {
    public enum Reason: Equatable, Sendable {
        case starred
        /// The owner starred, played or queued this many other episodes of the podcast.
        case podcast(starred: Int, played: Int, queued: Int)
        /// Similar to an episode that the owner liked, by these words.
        case like(title: String, terms: [String])
        /// The newest unheard episode of its podcast.
        case newest
        case unheard
        /// Published this many days ago.
        case fresh(days: Int)
        /// The podcast publishes once in this many days.
        case rare(days: Int)
    }

    public var listed: ListedEpisode
    public var score: Double
    /// Most important first; never empty.
    public var reasons: [Reason]

    package init(listed: ListedEpisode, score: Double, reasons: [Reason]) {
        (self.listed, self.score, self.reasons) = (listed, score, reasons)
    }
}

/// An episode that is like another one, and why.
public struct SimilarEpisode: Sendable {
    public var listed: ListedEpisode
    public var score: Double
    /// The words that both have, most distinctive first.
    public var terms: [String]

    package init(listed: ListedEpisode, score: Double, terms: [String]) {
        (self.listed, self.score, self.terms) = (listed, score, terms)
    }
}
