import Domain

/// What answers questions about the records: the catalogue, or the table of all records in memory.
protocol RecordSource {
    /// How many podcasts there are.
    var count: Int { get }
    var contentRevision: Int { get }
    var lastAddedAt: Timestamp? { get }
    /// What the log's last lines say was removed with its episodes.
    var lastRemoved: [PodcastID] { get }
    /// Podcasts that are unsubscribed and whose episodes were kept.
    var kept: Set<PodcastID> { get }

    func contains(_ id: PodcastID) -> Bool
    func podcasts(_ ids: [PodcastID]) throws -> [Podcast]
    func podcasts(at feedURLs: [String]) throws -> [Podcast]
    func podcasts(withIDPrefix prefix: String, limit: Int) throws -> [Podcast]
    func ids(withPrefix prefix: String) -> [PodcastID]
    func podcasts(titled name: TitleName, limit: Int) throws -> [Podcast]
    func page(of listing: PodcastListing, after last: Podcast?, limit: Int) throws -> [Podcast]
    func overview(now: Timestamp) -> LibraryOverview
    func changes(since revision: Int) -> LibraryChanges?
    func fileRecord(_ id: PodcastID) -> PodcastTable.FileRecord
    /// In id order, with the hash of the host's key.
    func forEachDue(_ body: (PodcastID, Schedule.DueFacts, _ host: UInt64) -> Void)
}
