import Domain
import JSON
import Records

/// The state of downloads, in one document; the tag `downloaded` follows it.
struct DownloadStore: DownloadRepository {
    let owner: OwnerWriter

    func downloads() async throws -> [EpisodeID: DownloadEntry] {
        try Self.downloads(try await owner.read(OwnerDocument.downloads.read))
    }

    func downloads(of episodes: [EpisodeID]) async throws -> [EpisodeID: DownloadEntry] {
        guard !episodes.isEmpty else { return [:] }
        let wanted = Set(episodes)
        return try await downloads().filter { wanted.contains($0.key) }
    }

    func store(_ entries: [DownloadEntry]) async throws {
        guard !entries.isEmpty else { return }
        let ids = entries.map(\.episodeID)
        try await owner.write(reading: [OwnerDocument.downloads.read, TagStore.readTags(ids)]) { rows in
            let before = try Self.downloads(rows[0])
            var all = before
            for entry in entries { all[entry.episodeID] = entry == DownloadEntry(entry.episodeID) ? nil : entry }
            let own = TagStore.tagRows(rows[1])
            var edited: [EpisodeID: TagStore.TagRow] = [:]
            for entry in entries {
                var row = own[entry.episodeID] ?? TagStore.TagRow()
                if entry.file == nil { row.tags.remove(.downloaded) } else { row.tags.insert(.downloaded) }
                edited[entry.episodeID] = row
            }
            let sorted = all.values.sorted { $0.episodeID < $1.episodeID }
            let document = OwnerDocument.downloads.write { json in
                json.entries(sorted) { entry, json in
                    json.text("episode", entry.episodeID.text)
                    entry.write(to: &json)
                }
            }
            return ((all == before ? [] : [document]) + TagStore.writeTags(edited, over: own), ())
        }
    }

    private static func downloads(_ rows: Rows) throws -> [EpisodeID: DownloadEntry] {
        let entries = try OwnerDocument.downloads.list(rows) { try DownloadEntry(of: nil, from: &$0) }
        return Dictionary(entries.map { ($0.episodeID, $0) }) { $1 }
    }
}
