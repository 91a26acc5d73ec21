/// The contents of a copied library.
public struct CopyOutcome: Equatable, Sendable {
    public var podcasts = 0
    public var episodes = 0

    package init(podcasts: Int = 0, episodes: Int = 0) { (self.podcasts, self.episodes) = (podcasts, episodes) }
}
