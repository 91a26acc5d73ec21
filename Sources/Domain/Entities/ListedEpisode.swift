/// An episode and the podcast it belongs to.
public struct ListedEpisode: Sendable {
    public var podcast: Podcast
    public var episode: Episode
    /// The owner's tags.
    public var tags: Set<Tag>

    public init(podcast: Podcast, episode: Episode, tags: Set<Tag> = []) {
        self.podcast = podcast
        self.episode = episode
        self.tags = tags
    }
}
