public import Domain

extension Library: DownloadRepository {
    public func downloads() throws -> [EpisodeID: DownloadEntry] {
        try tagTable().downloads
    }

    public func downloads(of episodes: [EpisodeID]) throws -> [EpisodeID: DownloadEntry] {
        let downloads = try tagTable().downloads
        var entries: [EpisodeID: DownloadEntry] = [:]
        for id in episodes { entries[id] = downloads[id] }
        return entries
    }

    /// A download adds one line to the log of tags, however many there are.
    public func store(_ entries: [DownloadEntry]) async throws {
        guard !entries.isEmpty else { return }
        try await write {
            let table = try tagTable()
            var changes = TagChanges()
            for entry in entries {
                let tags = table.tags[entry.episodeID] ?? []
                let edited = entry.file == nil ? tags.subtracting([.downloaded]) : tags.union([.downloaded])
                if edited != tags { changes.tags[entry.episodeID] = edited }
            }
            try applyTags(changes, downloads: entries)
        }
    }
}
