import Domain
import Testing

@testable import Library

@Suite struct PositionStoreTests {
    let folder = TemporaryFolder()
    private let id = sampleEpisode(samplePodcast(), 1).id

    private func position(_ seconds: Double, at: Int64 = 100) -> PlayPosition {
        PlayPosition(episodeID: id, seconds: seconds, duration: 60, at: Timestamp(seconds: at))
    }

    @Test func `positions are read by the next process`() async throws {
        let (id, position) = (id, position(12.5))
        try await folder.open().positions.updatePositions(of: [id]) { $0[id] = position }
        #expect(try await folder.open(.read).positions.positions() == [id: position])
    }

    @Test func `a reader sees what another writes`() async throws {
        let (writer, reader) = (try await folder.open(), try await folder.open(.read))
        #expect(try await reader.positions.positions().isEmpty)
        let (id, position) = (id, position(1))
        try await writer.positions.updatePositions(of: [id]) { $0[id] = position }
        #expect(try await reader.positions.positions().count == 1)
        try await writer.positions.updatePositions(of: [id]) { $0[id] = nil }
        #expect(try await reader.positions.positions().isEmpty)
    }

    @Test func `bookmarks are read by the next process, and are repaired from their copy`() async throws {
        let bookmark = Bookmark(episodeID: id, seconds: 90, note: "the bell", at: Timestamp(seconds: 100))
        try await folder.open().bookmarks.updateBookmarks { $0.set(bookmark) }
        #expect(try await folder.open(.read).bookmarks.bookmarks() == [bookmark])
        let bytes = try #require(try folder.bytes("bookmarks.json"))
        try folder.write("bookmarks.json", Array(bytes.dropLast(9)))
        #expect(try await Library.verify(folder.path, waitSeconds: 0).map(\.file) == ["bookmarks.json"])
        _ = try await Library.repair(folder.path, waitSeconds: 0)
        #expect(try await folder.open(.read).bookmarks.bookmarks() == [bookmark])
    }

    @Test func `damage is found and repaired from the copy`() async throws {
        let (id, position) = (id, position(7))
        try await folder.open().positions.updatePositions(of: [id]) { $0[id] = position }
        let bytes = try #require(try folder.bytes("positions.json"))
        try folder.write("positions.json", Array(bytes.dropLast(9)))
        #expect(try await Library.verify(folder.path, waitSeconds: 0).map(\.file) == ["positions.json"])
        _ = try await Library.repair(folder.path, waitSeconds: 0)
        #expect(try await folder.open(.read).positions.positions() == [id: position])
    }
}
