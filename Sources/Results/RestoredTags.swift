public import Domain

/// The result of restoring tags.
public struct RestoredTags: Sendable {
    /// Number of episodes that matched.
    public var episodes: Int
    /// Lines that no episode matches yet.
    public var waiting: [TagLine]

    package init(episodes: Int, waiting: [TagLine]) { (self.episodes, self.waiting) = (episodes, waiting) }
}

/// Thrown if a line of tags cannot be read. Nothing was changed.
public struct MalformedTagLine: Error, Equatable, Sendable {
    public var number: Int

    public init(number: Int) { self.number = number }
}
