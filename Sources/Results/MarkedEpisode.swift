public import Domain

/// A bookmark with its episode.
public struct MarkedEpisode: Sendable {
    public var listed: ListedEpisode
    public var bookmark: Bookmark

    public init(_ listed: ListedEpisode, _ bookmark: Bookmark) { (self.listed, self.bookmark) = (listed, bookmark) }
}
