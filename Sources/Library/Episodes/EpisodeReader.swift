import Domain
import Records
import Synchronization
import Threads

/// Reads the episodes of claimed podcasts on a thread of its own, so that comparisons go on while the library writes a
/// batch.
///
/// It never says what is wrong: whatever it cannot answer, the library reads again itself.
actor EpisodeReader {
    private let files: EpisodeFiles
    private let thread: BlockingThread
    /// The claimed podcasts, each with the revision that its file must have reached.
    private nonisolated let claimed = Mutex<[PodcastID: Int]>([:])

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ files: EpisodeFiles) throws {
        self.files = files
        thread = try BlockingThread(for: .storing)
    }

    nonisolated func claim(_ podcasts: [Podcast]) {
        claimed.withLock { claimed in for podcast in podcasts { claimed[podcast.id] = podcast.episodesRevision } }
    }

    nonisolated func settle(_ podcasts: [PodcastID]) {
        claimed.withLock { claimed in for podcast in podcasts { claimed[podcast] = nil } }
    }

    func stored(of podcast: PodcastID, knowing items: KnownItems) -> StoredPodcast? {
        guard let revision = claimed.withLock({ $0[podcast] }) else { return nil }
        do {
            let file = try files.read(podcast, .lines, atLeast: revision, isAlone: false)
            return try file.map { try files.stored($0, knowing: items) } ?? (revision == 0 ? StoredPodcast() : nil)
        } catch {
            return nil
        }
    }

    /// - Parameter podcast: the podcast of all of these episodes.
    func episodes(_ ids: [EpisodeID], of podcast: PodcastID) -> [Episode]? {
        let wanted = Set(ids)
        guard let revision = claimed.withLock({ $0[podcast] }),
            let file = try? files.read(podcast, .only(wanted), atLeast: revision, isAlone: false),
            let byID = try? file.episodes(wanted)
        else { return nil }
        return ids.compactMap { byID[$0] }
    }
}
