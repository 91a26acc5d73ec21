import Domain
import Testing

@testable import Library

/// What is written is decided by values, without a library.
@Suite struct PreparedWritesTests {
    private func stored(_ number: Int, revision: Int) -> Podcast {
        var podcast = samplePodcast(number)
        (podcast.revision, podcast.contentRevision, podcast.episodesRevision) = (revision, 3, 1)
        return podcast
    }

    private func prepare(_ settlements: [Settlement], over podcasts: [Podcast]) -> PreparedSettlements {
        PreparedSettlements(
            settlements, over: Dictionary(uniqueKeysWithValues: podcasts.map { ($0.id, $0) }), contentRevision: 9)
    }

    @Test func `a settlement wins with the stored revision, once`() {
        let (current, newer) = (stored(1, revision: 4), stored(2, revision: 7))
        let prepared = prepare(
            [Settlement(current), Settlement(current), Settlement(stored(2, revision: 6)), Settlement(stored(3, revision: 1))],
            over: [current, newer])
        #expect(prepared.results.map { $0.stored?.revision } == [5, nil, nil, nil])
        #expect(prepared.records.map(\.podcast.id) == [current.id])
        guard case .lost(let loser) = prepared.results[2], case .lost(nil) = prepared.results[3] else {
            Issue.record("\(prepared.results)")
            return
        }
        #expect(loser == newer)
    }

    @Test func `the content revision grows with content alone`() {
        var (fetched, renamed) = (stored(1, revision: 1), stored(2, revision: 1))
        let before = [fetched, renamed]
        fetched.fetch.lastAttemptAt = someTime
        renamed.title = "Another"
        let prepared = prepare([Settlement(fetched), Settlement(renamed)], over: before)
        #expect(prepared.results.map { $0.stored?.contentRevision } == [3, 9])
        #expect(prepared.episodes.isEmpty)
    }

    @Test func `episodes are written only for records that are`() {
        let current = stored(1, revision: 1)
        let changes = PodcastChanges(
            podcastID: current.id, revision: 1, channel: nil, added: [sampleEpisode(current, 1)], replaced: [])
        #expect(prepare([Settlement(current, changes: changes)], over: [current]).episodes.count == 1)
        #expect(prepare([Settlement(current, changes: changes)], over: [stored(1, revision: 2)]).episodes.isEmpty)
    }

    @Test func `tags follow downloads, edits and new episodes`() throws {
        let folder = TemporaryFolder()
        let table = try TagTable(folder.disk(), LibraryMarker.Anchors())
        let ids = (1...2).map { sampleEpisode(samplePodcast(), $0).id }
        let edit = table.changes(by: try TagEdit(["+starred"]), of: ids)
        #expect(edit.changes.tags == [ids[0]: [.starred], ids[1]: [.starred]])
        #expect(edit.before == [ids[0]: [], ids[1]: []])
        #expect(try table.changes(by: TagEdit(["-starred"]), of: ids).changes.isEmpty)
        var entry = DownloadEntry(ids[0])
        #expect(table.changes(storing: [entry]).isEmpty)
        entry.file = DownloadedFile(path: "/a.mp3", bytes: 1, modifiedAt: someTime)
        #expect(table.changes(storing: [entry]).tags == [ids[0]: [.downloaded]])
        var changes = PodcastChanges(
            podcastID: samplePodcast().id, revision: 1, channel: nil, added: [sampleEpisode(samplePodcast(), 1)], replaced: [])
        changes.new = [ids[0]]
        changes.isPending = true
        #expect(table.changes(adding: [changes]).tags == [ids[0]: [.new]])
        #expect(table.changes(adding: [changes]).pending == [ids[0]])
    }
}
