import Domain

/// What answers questions about the records: the catalogue, or the table of all records in memory.
protocol RecordSource {
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

/// What a listing is made from.
protocol Listed {
    var id: PodcastID { get }
    var latestEpisodeAt: Timestamp? { get }
    var episodeCount: Int { get }
    var episodesRevision: Int { get }
    var isPaused: Bool { get }
    var wantsTranscripts: Bool? { get }
    func hasTranscriptsDue(_ now: Timestamp) -> Bool
}

extension Podcast: Listed {
    var isPaused: Bool { settings.isPaused }
    var wantsTranscripts: Bool? { settings.transcripts }
}

extension PodcastListing {
    func includes(_ podcast: some Listed) -> Bool {
        switch self {
        case .all: return true
        case .latestEpisodes(let publishedSince):
            if let publishedSince, let latest = podcast.latestEpisodeAt, latest < publishedSince { return false }
            return podcast.episodeCount > 0
        case .transcripts(let now, let byDefault, let all):
            return podcast.episodesRevision > 0 && !podcast.isPaused && podcast.wantsTranscripts ?? byDefault
                && (all || podcast.hasTranscriptsDue(now))
        }
    }

    func isBefore(_ a: some Listed, _ b: some Listed) -> Bool {
        switch self {
        case .all: return a.id < b.id
        case .latestEpisodes: return isNewer(a, b, undated: .max)
        case .transcripts: return isNewer(a, b, undated: .min)
        }
    }

    private func isNewer(_ a: some Listed, _ b: some Listed, undated: Int64) -> Bool {
        let (first, second) = (a.latestEpisodeAt?.seconds ?? undated, b.latestEpisodeAt?.seconds ?? undated)
        return first == second ? a.id < b.id : first > second
    }
}

extension LibraryOverview {
    /// Counts one podcast, except for the list of those that need attention.
    mutating func count(_ health: Health, episodes: Int, isFailing: Bool, dueAt: Timestamp?) {
        podcasts += 1
        self.episodes += episodes
        self.health[health, default: 0] += 1
        if isFailing { failing += 1 }
        if let dueAt { nextDueAt = min(nextDueAt ?? dueAt, dueAt) }
    }

    mutating func setNeedingAttention(_ troubled: [(title: String, id: PodcastID)]) {
        needingAttention = troubled.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
            .prefix(LibraryOverview.attentionLimit).map(\.id)
    }
}
