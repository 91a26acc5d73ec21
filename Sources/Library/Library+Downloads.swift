public import Domain
import JSON
import Records

extension Library: DownloadRepository {
    public func downloads() throws -> [EpisodeID: DownloadEntry] {
        if !isWriting { marker = try LibraryMarker(reading: disk) }
        return try DownloadsFile.load(disk, marker.anchors).entries
    }

    public func store(_ entries: [DownloadEntry]) async throws {
        guard !entries.isEmpty else { return }
        try await write {
            var (all, revision) = try DownloadsFile.load(disk, marker.anchors)
            let before = all
            for entry in entries { all[entry.episodeID] = entry == DownloadEntry(entry.episodeID) ? nil : entry }
            let table = try tagTable()
            var changes = TagChanges()
            for entry in entries {
                let tags = table.tags[entry.episodeID] ?? []
                let edited = entry.file == nil ? tags.subtracting([.downloaded]) : tags.union([.downloaded])
                if edited != tags { changes.tags[entry.episodeID] = edited }
            }
            if all != before {
                try DownloadsFile.write(all, revision: revision + 1, disk)
                try marker.note(revisions: [DownloadsFile.document.name: revision + 1], disk)
            }
            try applyTags(changes)
        }
    }
}

/// What was downloaded, and what failed: `downloads.json`.
enum DownloadsFile {
    static let document = Document(name: "downloads.json")

    static func load(
        _ disk: Disk, _ anchors: LibraryMarker.Anchors
    ) throws -> (entries: [EpisodeID: DownloadEntry], revision: Int) {
        var entries: [EpisodeID: DownloadEntry] = [:]
        let revision = try document.read(disk, atLeast: anchors.revisions[document.name]) { json, key in
            guard key == "entries" else {
                try json.skip()
                return
            }
            for entry in try json.list({ try DownloadEntry(from: &$0) }) { entries[entry.episodeID] = entry }
        }
        return (entries, revision)
    }

    static func write(_ entries: [EpisodeID: DownloadEntry], revision: Int, _ disk: Disk) throws {
        try disk.replace(count: 2) { batch in
            try document.write(to: &batch, revision: revision) { json in
                json.array("entries") { json in
                    for (_, entry) in entries.sorted(by: { $0.key < $1.key }) {
                        json.object { entry.write(to: &$0) }
                    }
                }
            }
        }
    }
}
