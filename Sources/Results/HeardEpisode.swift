public import Domain

/// One time of listening to an episode.
public struct HeardEpisode: Sendable {
    public var listed: ListedEpisode
    public var span: HeardSpan

    public init(_ listed: ListedEpisode, _ span: HeardSpan) { (self.listed, self.span) = (listed, span) }
}
