/// The boundaries that one library implements, in a folder or in a database. Use cases take this one value.
public struct Repositories: Sendable {
    public var podcasts: any PodcastRepository
    public var episodes: any EpisodeRepository
    public var transcripts: any TranscriptRepository
    public var work: any WorkSource
    public var queue: any QueueRepository
    public var tags: any TagRepository
    public var positions: any PositionRepository
    public var bookmarks: any BookmarkRepository
    public var downloads: any DownloadRepository
    public var undo: any UndoRepository

    public init(
        podcasts: any PodcastRepository, episodes: any EpisodeRepository, transcripts: any TranscriptRepository,
        work: any WorkSource, queue: any QueueRepository, tags: any TagRepository, positions: any PositionRepository,
        bookmarks: any BookmarkRepository, downloads: any DownloadRepository, undo: any UndoRepository
    ) {
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.work = work
        self.queue = queue
        self.tags = tags
        self.positions = positions
        self.bookmarks = bookmarks
        self.downloads = downloads
        self.undo = undo
    }
}
