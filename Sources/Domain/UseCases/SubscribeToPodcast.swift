/// What became of one URL that was given to `subscribe`.
public struct SubscribeOutcome: Sendable {
    public enum Kind: Sendable {
        case subscribed
        /// The library has it already.
        case known
        case failed(SubscribeFailure)
    }

    /// As the user typed it, without password.
    public var input: String
    public var kind: Kind
    public var podcast: Podcast?
    /// Other feeds that the web page names.
    public var alternatives: [FeedLink] = []

    public init(input: String, kind: Kind, podcast: Podcast? = nil) {
        self.input = input
        self.kind = kind
        self.podcast = podcast
    }
}

public enum SubscribeFailure: Error, Sendable {
    /// Not a URL jimmy can fetch.
    case badURL
    case fetch(FetchFailure)
    /// The document is no feed, and names none.
    case notAFeed(NotAFeed)
    case library(LibraryFailure)
    case directory(any Error)
}
