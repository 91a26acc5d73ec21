import Domain
import Testing
import Threads

@testable import Library

/// Comparisons read stored episodes beside the library's own thread.
@Suite(.timeLimit(.minutes(1))) struct ComparisonTests {
    private let folder = TemporaryFolder()
    private let podcast = samplePodcast()
    private var name: String { "podcasts/\(podcast.id).jsonl" }

    /// A library with one podcast, claimed by a run.
    private func claimed(revisions: Int = 1) async throws -> (library: Library, run: WorkRun) {
        let library = try await folder.open()
        var stored = podcast
        for revision in 1...revisions { stored = try await library.add([sampleEpisode(podcast, revision)], to: stored) }
        let run = try await library.work.begin(WorkRequest(mode: .all), now: someTime)
        #expect(try await library.work.claim(run.lease, limit: 10, now: someTime).map(\.id) == [podcast.id])
        return (library, run)
    }

    @Test func `read as the library does`() async throws {
        let (library, run) = try await claimed(revisions: 3)
        let ids = [3, 9, 1].map { sampleEpisode(podcast, $0).id }
        let (stored, episodes) = (try await library.episodes.stored(of: podcast.id), try await library.episodes.episodes(ids))
        #expect(stored.episodes.count == 3)
        #expect(episodes.count == 2)
        try await library.work.release(run.lease, times: nil)
        let again = try await library.episodes.stored(of: podcast.id)
        #expect(again.episodes.map(\.id) == stored.episodes.map(\.id))
        #expect(again.channel == stored.channel)
        #expect(again.revision == stored.revision)
        #expect(try await library.episodes.episodes(ids) == episodes)
    }

    @Test func `need not read the keys of known items`() async throws {
        let (library, _) = try await claimed(revisions: 3)
        let all = try await library.episodes.episodes(of: podcast.id)
        // The second item has changed in the feed.
        var items = all.map(\.item)
        items[1].title = "Changed"
        let feed = items.map { FeedItem($0) }
        let known = try await library.episodes.stored(of: podcast.id, knowing: KnownItems(feed, feed.map(\.digest)))
        #expect(known.episodes == (try await library.episodes.stored(of: podcast.id)).episodes)
        #expect(known.episodes.map(\.keys) == all.map { IdentityKeys(of: $0.item) })
    }

    @Test func `go on while a batch is written`() async throws {
        let (library, _) = try await claimed()
        let (isWriting, started) = AsyncStream<Void>.makeStream()
        let isRead = Semaphore()
        async let writing: Void = library.write(started, until: isRead)
        for await _ in isWriting {}
        #expect(try await library.episodes.stored(of: podcast.id).revision == 1)
        #expect(try await library.episodes.episodes([sampleEpisode(podcast, 1).id]).count == 1)
        #expect(try await library.episodes.episodes([]).isEmpty)
        isRead.signal()
        try await writing
    }

    @Test func `damage is reported as the library does`() async throws {
        let library = try await folder.open()
        let first = try await library.add([sampleEpisode(podcast, 1)], to: podcast)
        let before = try #require(try folder.bytes(name))
        try await library.add([sampleEpisode(podcast, 2)], to: first)
        let run = try await library.work.begin(WorkRequest(mode: .all), now: someTime)
        _ = try await library.work.claim(run.lease, limit: 10, now: someTime)
        try folder.write(name, before)
        await #expect(throws: Damage.older.failure(name)) { try await library.episodes.stored(of: podcast.id) }
        try folder.write(name, Array(before.dropLast(5)))
        await #expect(throws: LibraryFailure.self) { try await library.episodes.stored(of: podcast.id) }
        folder.clear(name)
        await #expect(throws: Damage.missing.failure(name)) { try await library.episodes.stored(of: podcast.id) }
    }

    @Test func `a new podcast has nothing`() async throws {
        let library = try await folder.open()
        try await library.save([podcast])
        let run = try await library.work.begin(WorkRequest(mode: .all), now: someTime)
        _ = try await library.work.claim(run.lease, limit: 10, now: someTime)
        #expect(try await library.episodes.stored(of: podcast.id).revision == 0)
    }
}

extension Library {
    /// Begins a batch, and ends it after the signal.
    fileprivate func write(_ started: AsyncStream<Void>.Continuation, until signal: Semaphore) async throws {
        try await writer.write {
            started.finish()
            signal.wait()
        }
    }
}
