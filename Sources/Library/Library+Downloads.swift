public import Domain
import JSON
import Records

extension Library: DownloadRepository {
    public func downloads() throws -> [EpisodeID: DownloadEntry] {
        try earlierDownloads().merging(try tagTable().downloads) { $1 }
    }

    public func downloads(of episodes: [EpisodeID]) throws -> [EpisodeID: DownloadEntry] {
        let (table, earlier) = (try tagTable(), try earlierDownloads())
        var entries: [EpisodeID: DownloadEntry] = [:]
        for id in episodes { if let entry = table.downloads[id] ?? earlier[id] { entries[id] = entry } }
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

    /// Downloads that earlier programs stored in a file of their own. It is read and never written.
    private func earlierDownloads() throws -> [EpisodeID: DownloadEntry] {
        guard try disk.exists(DownloadsFile.document.name) else { return [:] }
        if !isWriting { marker = try LibraryMarker(reading: disk) }
        return try DownloadsFile.load(disk, marker.anchors)
    }
}

/// `downloads.json` of earlier programs.
enum DownloadsFile {
    static let document = Document(name: "downloads.json")

    static func load(_ disk: Disk, _ anchors: LibraryMarker.Anchors) throws -> [EpisodeID: DownloadEntry] {
        var entries: [EpisodeID: DownloadEntry] = [:]
        _ = try document.read(disk, atLeast: anchors.revisions[document.name]) { json, key in
            guard key == "entries" else {
                try json.skip()
                return
            }
            for entry in try json.list({ try DownloadEntry(of: nil, from: &$0) }) { entries[entry.episodeID] = entry }
        }
        return entries
    }
}
