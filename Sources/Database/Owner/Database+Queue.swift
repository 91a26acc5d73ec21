public import Domain
import JSON
import Records

extension Database: QueueRepository {
    public func entries() async throws -> [QueueEntry] {
        try Self.queue(try await session.read([Transaction([Document.queue.read])])[0])
    }

    public func update<T: Sendable>(_ change: @Sendable (inout [QueueEntry]) throws -> T) async throws -> T {
        try await changeOwner(reading: [Document.queue.read]) { rows in
            let before = try Self.queue(rows[0])
            var entries = before
            let result = try change(&entries)
            return (entries == before ? [] : [Self.write(entries)], result)
        }
    }

    static func queue(_ rows: Rows) throws -> [QueueEntry] {
        try Document.queue.list(rows) { try QueueEntry(from: &$0) }
    }

    static func write(_ entries: [QueueEntry]) -> Call {
        Document.queue.write { $0.entries(entries) { $0.write(to: &$1) } }
    }
}

extension Database: DownloadRepository {
    public func downloads() async throws -> [EpisodeID: DownloadEntry] {
        try Self.downloads(try await session.read([Transaction([Document.downloads.read])])[0])
    }

    public func downloads(of episodes: [EpisodeID]) async throws -> [EpisodeID: DownloadEntry] {
        let wanted = Set(episodes)
        return try await downloads().filter { wanted.contains($0.key) }
    }

    public func store(_ entries: [DownloadEntry]) async throws {
        guard !entries.isEmpty else { return }
        let ids = entries.map(\.episodeID)
        try await changeOwner(reading: [Document.downloads.read, Self.readTags(ids)]) { rows in
            let before = try Self.downloads(rows[0])
            var all = before
            for entry in entries { all[entry.episodeID] = entry == DownloadEntry(entry.episodeID) ? nil : entry }
            let own = Self.tagRows(rows[1])
            var edited: [EpisodeID: TagRow] = [:]
            for entry in entries {
                var row = own[entry.episodeID] ?? TagRow()
                if entry.file == nil { row.tags.remove(.downloaded) } else { row.tags.insert(.downloaded) }
                edited[entry.episodeID] = row
            }
            let sorted = all.values.sorted { $0.episodeID < $1.episodeID }
            let document = Document.downloads.write { json in
                json.entries(sorted) { entry, json in
                    json.text("episode", entry.episodeID.text)
                    entry.write(to: &json)
                }
            }
            return ((all == before ? [] : [document]) + Self.writeTags(edited, over: own), ())
        }
    }

    private static func downloads(_ rows: Rows) throws -> [EpisodeID: DownloadEntry] {
        let entries = try Document.downloads.list(rows) { try DownloadEntry(of: nil, from: &$0) }
        return Dictionary(entries.map { ($0.episodeID, $0) }) { $1 }
    }
}

extension Database: PositionRepository {
    public func positions() async throws -> [EpisodeID: PlayPosition] {
        try Self.positions(try await session.read([Transaction([Document.positions.read])])[0])
    }

    public func updatePositions<Result: Sendable>(
        _ change: @Sendable (inout [EpisodeID: PlayPosition]) throws -> Result
    ) async throws -> Result {
        try await changeOwner(reading: [Document.positions.read]) { rows in
            let before = try Self.positions(rows[0])
            var positions = before
            let result = try change(&positions)
            return (positions == before ? [] : [Self.write(positions)], result)
        }
    }

    static func write(_ positions: [EpisodeID: PlayPosition]) -> Call {
        let sorted = positions.values.sorted { $0.episodeID < $1.episodeID }
        return Document.positions.write { $0.entries(sorted) { $0.write(to: &$1) } }
    }

    static func positions(_ rows: Rows) throws -> [EpisodeID: PlayPosition] {
        let positions = try Document.positions.list(rows) { try PlayPosition(from: &$0) }
        return Dictionary(positions.map { ($0.episodeID, $0) }) { $1 }
    }
}
