import Domain
import Testing

/// What a removed podcast leaves to the step that can bring it back.
@Suite(.serialized) struct RemovalContractTests {
    private let id = podcast(1).id

    /// The titles of the stored episodes, after a check that the record fits them.
    private func titles(_ stores: Repositories) async throws -> [String] {
        let episodes = try await stores.episodes.episodes(of: id)
        if let podcast = try await stores.podcasts.podcast(id) {
            #expect(podcast.episodeCount == episodes.count)
            #expect(try await stores.episodes.stored(of: id).revision == podcast.episodesRevision)
        }
        #expect(try await stores.episodes.stored(of: id).episodes.count == episodes.count)
        return episodes.compactMap(\.item.title)
    }

    private func subscribe(_ stores: Repositories, _ numbers: Int...) async throws {
        try await stores.subscribe(podcast(1), numbers.map { episode($0, of: id) })
    }

    /// As `unsubscribe` does.
    ///
    /// - Returns: the step.
    private func remove(_ stores: Repositories, keepingEpisodes: Bool = false) async throws -> NumberedStep {
        let step = try await recordRemoval(stores, keepingEpisodes: keepingEpisodes)
        try await stores.podcasts.remove([id], keepingEpisodes: keepingEpisodes)
        return step
    }

    private func recordRemoval(_ stores: Repositories, keepingEpisodes: Bool = false) async throws -> NumberedStep {
        var step = UndoStep(.unsubscribe, at: noon)
        step.removed = try await stores.podcasts.podcasts([id])
        step.keepingEpisodes = keepingEpisodes ? [id] : []
        try await stores.undo.record(step, keepingRedo: false)
        return try #require(try await stores.undo.steps().first)
    }

    /// - Returns: the podcasts that came back.
    @discardableResult
    private func undo(_ stores: Repositories, _ step: NumberedStep) async throws -> [Podcast] {
        let back = try await stores.undo.restore(step.step.removed, of: step.number)
        try await stores.undo.changeOwned(of: [], settling: step.number) { _ in ((), nil) }
        return back
    }

    private func transcribe(_ stores: Repositories, _ text: String) async throws {
        let podcast = try #require(try await stores.podcasts.podcast(id))
        let episode = try #require(try await stores.episodes.episodes(of: id).first?.id)
        var settlement = TranscriptSettlement(podcast)
        var entry = TranscriptEntry(episodeID: episode, offer: 1, episodeChangedAt: noon, askedAt: noon)
        var source = TranscriptSource()
        (source.url, source.at, source.segments) = ("https://radio.example/\(text)", noon, 1)
        entry.stored = source
        settlement.entries = [entry]
        settlement.segments = [episode: [TranscriptSegment(start: 1, text: text)]]
        _ = try #require(try await stores.transcripts.settle([settlement])[0].stored)
    }

    private func transcripts(_ stores: Repositories) async throws -> [String] {
        let ids = try await stores.episodes.episodes(of: id).map(\.id)
        return try await stores.transcripts.segments(of: ids).values.flatMap { $0 }.map(\.text)
    }

    @Test(arguments: LibraryKind.allCases) func `a removed podcast is seen by nobody, and comes back with all it had`(
        kind: LibraryKind
    ) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        try await subscribe(stores, 1, 2)
        try await transcribe(stores, "Hello")
        let entries = try await stores.transcripts.entries(of: id).entries
        let step = try await remove(stores)
        #expect(try await titles(stores).isEmpty)
        #expect(try await stores.episodes.channel(of: id) == nil)
        #expect(try await stores.episodes.episodes([episode(1, of: id).id]).isEmpty)
        #expect(try await stores.episodes.episodes(of: [id], withOwnIDPrefix: "", limit: 5).isEmpty)
        #expect(try await stores.episodes.unsubscribed(withIDPrefix: "", limit: 5).isEmpty)
        #expect(try await stores.transcripts.entries(of: id).entries.isEmpty)
        #expect(try await stores.transcripts.segments(of: [episode(1, of: id).id]).isEmpty)

        #expect(try await undo(stores, step).map(\.id) == [id])
        #expect(try await titles(stores) == ["Episode 1", "Episode 2"])
        #expect(try await transcripts(stores) == ["Hello"])
        #expect(try await stores.transcripts.entries(of: id).entries == entries)
        #expect(try await stores.episodes.channel(of: id)?.title == "Radio")
    }

    @Test(arguments: LibraryKind.allCases) func `a new subscription begins with nothing of the removed one`(
        kind: LibraryKind
    ) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        try await subscribe(stores, 1, 2)
        try await transcribe(stores, "Hello")
        let step = try await remove(stores)
        // As an import does, without a fetch.
        try await stores.subscribe(podcast(1))
        #expect(try await titles(stores).isEmpty)
        #expect(try await stores.transcripts.entries(of: id).entries.isEmpty)
        let added = try #require(try await stores.podcasts.podcast(id))
        let (described, changes) = fetched(added, [episode(2, of: id), episode(3, of: id)])
        _ = try #require(try await stores.settle([Settlement(described, changes: changes)])[0].stored)
        #expect(try await titles(stores) == ["Episode 2", "Episode 3"])
        #expect(try await transcripts(stores).isEmpty)
        // It is subscribed to, so nothing comes back.
        #expect(try await undo(stores, step).isEmpty)
        #expect(try await titles(stores) == ["Episode 2", "Episode 3"])
    }

    @Test(arguments: LibraryKind.allCases, [true, false]) func `each of two removals brings back what it removed`(
        kind: LibraryKind, latestFirst: Bool
    ) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        try await subscribe(stores, 1, 2)
        try await transcribe(stores, "first")
        let first = try await remove(stores)
        try await subscribe(stores, 2, 3, 4)
        try await transcribe(stores, "second")
        let second = try await remove(stores)
        let contents = [
            first.number: (["Episode 1", "Episode 2"], "first"),
            second.number: (["Episode 2", "Episode 3", "Episode 4"], "second"),
        ]
        for step in latestFirst ? [second, first] : [first, second] {
            #expect(try await titles(stores).isEmpty)
            #expect(try await undo(stores, step).count == 1)
            #expect(try await titles(stores) == contents[step.number]?.0)
            #expect(try await transcripts(stores) == [contents[step.number]?.1])
            _ = try await remove(stores)
        }
        // Those that removed it again remember the same.
        for (step, earlier) in zip(try await stores.undo.steps(), latestFirst ? [first, second] : [second, first]) {
            #expect(try await undo(stores, step).count == 1)
            #expect(try await titles(stores) == contents[earlier.number]?.0)
            _ = try await remove(stores)
        }
    }

    @Test(arguments: LibraryKind.allCases) func `kept episodes make room for those of an earlier removal, and come back after it`(
        kind: LibraryKind
    ) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        try await subscribe(stores, 1)
        let first = try await remove(stores)
        try await subscribe(stores, 2, 3)
        let kept = try await remove(stores, keepingEpisodes: true)
        #expect(try await titles(stores) == ["Episode 2", "Episode 3"])
        #expect(try await undo(stores, first).count == 1)
        #expect(try await titles(stores) == ["Episode 1"])
        #expect(try await stores.episodes.unsubscribed(withIDPrefix: "", limit: 5).isEmpty)
        _ = try await remove(stores)
        #expect(try await undo(stores, kept).count == 1)
        #expect(try await titles(stores) == ["Episode 2", "Episode 3"])
    }

    @Test(arguments: LibraryKind.allCases) func `of two steps that remember one removal each brings it back`(
        kind: LibraryKind
    ) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        try await subscribe(stores, 1, 2)
        // The first command was killed, or overtaken.
        let killed = try await recordRemoval(stores)
        let step = try await remove(stores)
        #expect(try await undo(stores, killed).count == 1)
        #expect(try await titles(stores) == ["Episode 1", "Episode 2"])
        #expect(try await undo(stores, step).isEmpty)
        #expect(try await titles(stores) == ["Episode 1", "Episode 2"])
    }

    @Test(arguments: LibraryKind.allCases) func `a removal and its undoing may be repeated`(kind: LibraryKind) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        try await subscribe(stores, 1, 2)
        let step = try await remove(stores)
        try await stores.podcasts.remove([id], keepingEpisodes: false)
        for repetition in 1...2 {
            let back = try await library.open().undo.restore(step.step.removed, of: step.number)
            #expect(back.count == (repetition == 1 ? 1 : 0))
            #expect(try await titles(stores) == ["Episode 1", "Episode 2"])
        }
    }
}
