public import Domain

/// Records of downloads as a library stores them: paths are relative to the folder of downloads, so that the folder, or the
/// owner's home, can move. To everyone else paths are absolute.
public struct PlacedDownloads: DownloadRepository {
    private let stored: any DownloadRepository
    private let folder: String

    /// - Parameter folder: absolute.
    public init(_ stored: any DownloadRepository, in folder: String) {
        (self.stored, self.folder) = (stored, folder + "/")
    }

    public func downloads() async throws -> [EpisodeID: DownloadEntry] { try await stored.downloads().mapValues(placed) }

    public func downloads(of episodes: [EpisodeID]) async throws -> [EpisodeID: DownloadEntry] {
        try await stored.downloads(of: episodes).mapValues(placed)
    }

    public func store(_ entries: [DownloadEntry]) async throws {
        try await stored.store(
            entries.map { entry in
                var entry = entry
                if let path = entry.file?.path, path.hasPrefix(folder) { entry.file?.path = String(path.dropFirst(folder.count)) }
                return entry
            })
    }

    private func placed(_ entry: DownloadEntry) -> DownloadEntry {
        var entry = entry
        if let path = entry.file?.path, !path.hasPrefix("/") { entry.file?.path = folder + path }
        return entry
    }
}
