public import Domain

/// Applies the podcasts' download settings: which episodes to download, and which files to delete.
public struct DownloadRetention: Sendable {
    private let podcasts: any PodcastRepository
    private let listing: ListEpisodes
    private let downloads: any DownloadRepository
    private let files: any MediaFiles
    private let journal: (any RunJournal)?

    /// - Parameter journal: notes what a replay needs; nil if the run is not recorded.
    public init(_ library: Repositories, listing: ListEpisodes, files: any MediaFiles, journal: (any RunJournal)? = nil) {
        podcasts = library.podcasts
        self.listing = listing
        downloads = library.downloads
        self.files = files
        self.journal = journal
    }

    /// New episodes of podcasts with downloads enabled, except those whose files were deleted.
    public func wanted() async throws -> [ListedEpisode] {
        try await undeleted(new().filter { $0.podcast.settings.download == true })
    }

    /// New episodes of one podcast, except those whose files were deleted.
    public func new(of podcast: PodcastID) async throws -> [ListedEpisode] { try await undeleted(new(of: [podcast])) }

    private func new(of podcasts: Set<PodcastID>? = nil) async throws -> [ListedEpisode] {
        var filter = ListEpisodes.Filter()
        filter.onlyNew = true
        filter.podcasts = podcasts
        return try await listing(filter)
    }

    /// Leaves out episodes whose files were deleted, by jimmy or by their owner.
    private func undeleted(_ listed: [ListedEpisode]) async throws -> [ListedEpisode] {
        let entries = try await downloads.downloads(of: listed.map(\.episode.id))
        return try listed.filter { episode in
            guard let entry = entries[episode.episode.id] else { return true }
            return try !entry.isDropped && entry.file.map { try files.file(at: $0.path) != nil } ?? true
        }
    }

    /// Deletes the files of these episodes if they are still as they were written; they are not downloaded again unless
    /// they are named.
    ///
    /// - Returns: the deleted files, and the episodes whose files were changed.
    public func remove(_ ids: [EpisodeID]) async throws -> (gone: [DownloadedFile], changed: [DownloadedFile]) {
        let entries = try await downloads.downloads(of: ids)
        var (gone, changed) = ([DownloadedFile](), [DownloadedFile]())
        var dropped: [DownloadEntry] = []
        for id in ids {
            guard let file = entries[id]?.file else { continue }
            if try files.file(at: file.path) != nil, try !files.remove(file) {
                changed.append(file)
                continue
            }
            gone.append(file)
            var entry = DownloadEntry(id)
            entry.isDropped = true
            dropped.append(entry)
        }
        if !dropped.isEmpty { try await downloads.store(dropped) }
        return (gone, changed)
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
            let listed = try await listing.order(try await listing.listed(byPodcast[podcast.id] ?? []))
            var dropped: [DownloadEntry] = []
            for episode in listed.dropFirst(keep) where episode.tags.contains(.played) && !episode.tags.contains(.starred) {
                // A missing file may be on a disk that is not mounted.
                guard let file = entries[episode.episode.id]?.file, try files.file(at: file.path) != nil, try files.remove(file)
                else { continue }
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
