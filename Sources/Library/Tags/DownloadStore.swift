import Domain

/// The state of downloads. Its entries are in the log of tags, so that an entry and the tag `downloaded` change together;
/// a download adds one line, however many there are.
struct DownloadStore: DownloadRepository {
    let tags: TagStore

    func downloads() async throws -> [EpisodeID: DownloadEntry] { try await tags.table().downloads }

    func downloads(of episodes: [EpisodeID]) async throws -> [EpisodeID: DownloadEntry] {
        let downloads = try await downloads()
        var entries: [EpisodeID: DownloadEntry] = [:]
        for id in episodes { entries[id] = downloads[id] }
        return entries
    }

    func store(_ entries: [DownloadEntry]) async throws { try await tags.store(entries) }
}
