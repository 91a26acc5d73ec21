public import Domain

/// Applies the podcasts' download settings: which episodes to download, and which files to delete.
public struct DownloadRetention: Sendable {
    private let podcasts: any PodcastRepository
    private let listing: ListEpisodes
    private let downloads: any DownloadRepository
    private let files: any MediaFiles
    private let journal: (any RunJournal)?

    /// - Parameter journal: notes what a replay needs; nil if the run is not recorded.
    public init(
        podcasts: any PodcastRepository, listing: ListEpisodes, downloads: any DownloadRepository, files: any MediaFiles,
        journal: (any RunJournal)? = nil
    ) {
        self.podcasts = podcasts
        self.listing = listing
        self.downloads = downloads
        self.files = files
        self.journal = journal
    }

    /// New episodes of podcasts with downloads enabled, except those deleted to make room.
    public func wanted() async throws -> [ListedEpisode] {
        var filter = ListEpisodes.Filter()
        filter.onlyNew = true
        let new = try await listing(filter).filter { $0.podcast.settings.download == true }
        let entries = try await downloads.downloads(of: new.map(\.episode.id))
        return new.filter { entries[$0.episode.id]?.isDropped != true }
    }

    /// Deletes files beyond the number that a podcast keeps, if the episode was played and is not starred, and the file
    /// is still as it was written.
    ///
    /// - Returns: the deleted files.
    public func dropPlayed() async throws -> [DownloadedFile] {
        let entries = try await downloads.downloads().filter { $0.value.file != nil }
        let byPodcast = Dictionary(grouping: entries.keys, by: \.podcastID)
        var gone: [DownloadedFile] = []
        for podcast in try await podcasts.podcasts(byPodcast.keys.sorted()) {
            guard let keep = podcast.settings.keep else { continue }
            let listed = ListEpisodes.newestFirst(try await listing.listed(byPodcast[podcast.id] ?? []))
            var dropped: [DownloadEntry] = []
            for episode in listed.dropFirst(keep) where episode.tags.contains(.played) && !episode.tags.contains(.starred) {
                guard let file = entries[episode.episode.id]?.file, try files.remove(file) else { continue }
                gone.append(file)
                var entry = DownloadEntry(episode.episode.id)
                entry.isDropped = true
                dropped.append(entry)
            }
            guard !dropped.isEmpty else { continue }
            journal?.noted(.downloads(dropped))
            try await downloads.store(dropped)
        }
        return gone
    }
}
