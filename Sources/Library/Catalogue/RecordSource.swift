import Domain
import Scheduling

/// A source of answers about the records: the catalogue, or the table of all records in memory.
protocol RecordSource {
    /// Number of podcasts.
    var count: Int { get }
    var contentRevision: Int { get }
    var lastAddedAt: Timestamp? { get }
    /// Podcasts that the last lines of the log removed together with their episodes.
    var lastRemoved: [PodcastID] { get }
    /// Unsubscribed podcasts whose episodes are still stored.
    var unsubscribed: Set<PodcastID> { get }

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
