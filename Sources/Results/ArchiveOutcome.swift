public import Domain

/// The result of reading the older pages of one feed.
public struct ArchiveOutcome: Sendable {
    /// As stored now.
    public var podcast: Podcast
    /// Pages read by this run.
    public var pages = 0
    public var added = 0
    public var changed = 0
    /// True if all pages were read, by this run or earlier ones.
    public var isComplete = false
    /// True if a page names one that was read before.
    public var isLoop = false
    /// The end of the pause that the server asked for.
    public var pausedUntil: Timestamp?
    /// Why a page could not be read.
    public var failure: FetchFailure?

    package init(podcast: Podcast) { self.podcast = podcast }
}
