public import Domain

/// The state of the whole library.
public struct LibraryStatus: Sendable {
    public var overview: LibraryOverview
    /// By title; only in `LoadStatus.detailed`.
    public var podcasts: [(podcast: Podcast, health: Health)] = []
    public var queued: Int
    /// Podcasts that are due; only in `LoadStatus.detailed`.
    public var backlog = 0
    /// nil if the library cannot be shared.
    public var activity: WorkActivity?
    public var lastRefresh: RefreshTimes
    /// Episodes whose spoken words are searchable, by who made the transcript; nil if the index was not asked.
    public var transcribed: (published: Int, home: Int)?
    /// Number of podcasts whose changes are not indexed; nil if the index could not be read or was not asked.
    public var outdatedInIndex: Int?
    /// Bytes on disk, without the index.
    public var librarySize: Int?
    public var indexSize: Int?

    package init(overview: LibraryOverview, queued: Int, lastRefresh: RefreshTimes) {
        (self.overview, self.queued, self.lastRefresh) = (overview, queued, lastRefresh)
    }
}

/// A summary of the day: new episodes, failing podcasts, and the next fetch.
public struct Today: Sendable {
    public var status: LibraryStatus
    /// Episodes with the tag `new`, newest first; not all of them if only some were asked for.
    public var new: [ListedEpisode]
    /// The number of all of them.
    public var newCount: Int
    /// Some podcasts that need attention.
    public var needingAttention: [Podcast]

    package init(status: LibraryStatus, new: [ListedEpisode], newCount: Int, needingAttention: [Podcast]) {
        (self.status, self.new, self.newCount, self.needingAttention) = (status, new, newCount, needingAttention)
    }
}
