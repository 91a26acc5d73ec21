/// A chapter at which playing can begin.
public struct PlayableChapter: Equatable, Sendable {
    /// Seconds into the episode.
    public var start: Double
    public var title: String

    package init(start: Double, title: String) { (self.start, self.title) = (start, title) }
}
