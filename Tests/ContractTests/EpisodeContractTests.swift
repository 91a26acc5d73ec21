import Domain
import Testing

@Suite(.serialized) struct EpisodeContractTests {
    @Test(arguments: LibraryKind.allCases) func `episodes come back as they were stored`(kind: LibraryKind) async throws {
        let library = try kind.make()
        let writer = try await library.open()
        var odd = episode(1, of: podcast(1).id)
        odd.item.title = "a\u{0}b\u{1F399}\u{202E}\u{FEFF}\u{FFFF}\" \\ \n\t</script>"
        odd.item.description = String(repeating: "été 日本 ", count: 100_000)
        odd.withdrawnAt = noon + 1
        odd.history = [EpisodeEdit(at: noon, kind: .changed, fields: ["title"], formerTitle: "before")]
        let others = (2...4).map { episode($0, of: podcast(1).id) }
        let stored = try await writer.subscribe(podcast(1), [odd] + others)
        let stores = try await library.open()
        #expect(try await stores.episodes.episodes(of: stored.id) == [odd] + others)
        #expect(try await stores.episodes.episodes([others[2].id, episode(9, of: stored.id).id, odd.id]) == [others[2], odd])
        #expect(try await stores.episodes.channel(of: stored.id)?.title == "Radio")
        let comparison = try await stores.episodes.stored(of: stored.id)
        #expect(comparison.revision == 1 && comparison.episodes.map(\.id) == ([odd] + others).map(\.id))
        #expect(comparison.episodes.map(\.digest) == ([odd] + others).map(\.digest))
        #expect(comparison.episodes.map(\.isWithdrawn) == [true, false, false, false])
        #expect(comparison.episodes[1].keys == IdentityKeys(of: others[0].item))
    }

    @Test(arguments: LibraryKind.allCases) func `a difference adds and replaces, and leaves the rest`(kind: LibraryKind)
        async throws
    {
        let library = try kind.make()
        let stores = try await library.open()
        let stored = try await stores.subscribe(podcast(1), (1...3).map { episode($0, of: podcast(1).id) })
        var changed = episode(2, of: stored.id)
        changed.item.title = "Corrected"
        let (described, changes) = fetched(stored, [episode(4, of: stored.id)], replacing: [changed])
        let after = try #require(try await stores.settle([Settlement(described, changes: changes)])[0].stored)
        #expect(after.episodeCount == 4 && after.episodesRevision == 2)
        #expect(
            try await library.open().episodes.episodes(of: stored.id).map(\.item.title)
                == ["Episode 1", "Corrected", "Episode 3", "Episode 4"])
    }

    @Test(arguments: LibraryKind.allCases) func `transcripts are kept with their list`(kind: LibraryKind) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        let stored = try await stores.subscribe(podcast(1), [episode(1, of: podcast(1).id), episode(2, of: podcast(1).id)])
        let ids = try await stores.episodes.episodes(of: stored.id).map(\.id)
        var settlement = TranscriptSettlement(stored)
        var succeeded = TranscriptEntry(episodeID: ids[0], offer: .max, episodeChangedAt: noon, askedAt: noon)
        var source = TranscriptSource()
        (source.url, source.at, source.segments) = ("https://radio.example/1.vtt", noon, 2)
        succeeded.stored = source
        let speech = [
            TranscriptSegment(start: 0.5, text: "Hello\u{0}", speaker: "Ada"), TranscriptSegment(start: nil, text: "Bye"),
        ]
        var failed = TranscriptEntry(episodeID: ids[1], offer: 2, episodeChangedAt: noon, askedAt: noon)
        failed.retryAt = noon + 60
        settlement.entries = [succeeded, failed]
        settlement.segments = [ids[0]: speech]
        let revision = try await stores.podcasts.revision()
        let result = try #require(try await stores.transcripts.settle([settlement])[0].stored)
        #expect(result.transcripts.revision > stored.transcripts.revision)
        #expect(try await stores.podcasts.revision() > revision)
        let reader = try await library.open()
        #expect(try await reader.transcripts.segments(of: ids) == [ids[0]: speech])
        #expect(try await reader.transcripts.transcribed(of: stored.id) == [ids[0]])
        #expect(try await reader.transcripts.transcribed(of: podcast(2).id) == [])
        #expect(try await reader.transcripts.transcript(of: ids[0])?.segments == speech)
        #expect(try await reader.transcripts.transcript(of: ids[1]) == nil)
        let entries = try await reader.transcripts.entries(of: stored.id).entries
        #expect(entries.count == 2 && entries[ids[1]]?.retryAt == noon + 60 && entries[ids[0]]?.stored?.url == source.url)
        // A change is found again by those who saw the revision before it.
        if let changed = try await reader.episodes.episodes(of: stored.id, changedAfter: stored.contentRevision) {
            #expect(changed.map(\.id) == [ids[0]])
            #expect(try await reader.episodes.episodes(of: stored.id, changedAfter: result.contentRevision) == [])
            #expect(try await reader.episodes.episodes(of: stored.id, changedAfter: stored.contentRevision - 1) == nil)
        }
        // Another writer was faster.
        #expect(try await stores.transcripts.settle([settlement])[0].stored == nil)
    }

    /// Failures to make a transcript wait on all machines, until one succeeds.
    @Test(arguments: LibraryKind.allCases) func `when to try a transcription again is known to all`(kind: LibraryKind)
        async throws
    {
        let library = try kind.make()
        let stores = try await library.open()
        let stored = try await stores.subscribe(podcast(1), [episode(1, of: podcast(1).id)])
        let id = try #require(try await stores.episodes.episodes(of: stored.id).first?.id)
        var entry = TranscriptEntry(episodeID: id, offer: 0, episodeChangedAt: noon, askedAt: noon)
        func settle(_ segments: [TranscriptSegment]?) async throws -> TranscriptEntry? {
            let podcast = try #require(try await library.open().podcasts.podcast(stored.id))
            var settlement = TranscriptSettlement(podcast)
            settlement.entries = [entry]
            settlement.segments[id] = segments
            _ = try #require(try await library.open().transcripts.settle([settlement])[0].stored)
            return try await stores.transcripts.entries(of: stored.id).entries[id]
        }
        for failures in 1...2 {
            entry.attempts = TranscriptionAttempts(failures: failures, retryAt: noon + Int64(failures) * 86_400)
            #expect(try await settle(nil) == entry)
            #expect(try await stores.transcripts.transcribed(of: stored.id) == [])
        }
        // A piece failed, so that the transcript is made again later.
        var source = TranscriptSource()
        source.making = TranscriptMaking(program: "recognizer", audio: AudioFacts(bytes: 7, hash: .max))
        source.making?.missingPieces = 1
        entry.stored = source
        let partial = try await settle([TranscriptSegment(start: 0, text: "Hello")])
        #expect(partial?.attempts == entry.attempts && partial?.stored?.making == source.making)
        entry.attempts = nil
        #expect(try await settle([TranscriptSegment(start: 0, text: "Hello all")])?.attempts == nil)
    }

    @Test(arguments: LibraryKind.allCases) func `chapters are kept beside transcripts`(kind: LibraryKind) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        var stored = try await stores.subscribe(podcast(1), [episode(1, of: podcast(1).id)])
        let id = try #require(try await stores.episodes.episodes(of: stored.id).first).id
        for (text, words) in [(EpisodeText.transcript, "Hello"), (.chapters, "Intro")] {
            var settlement = TranscriptSettlement(stored, text)
            var entry = TranscriptEntry(episodeID: id, offer: 1, episodeChangedAt: noon, askedAt: noon)
            var source = TranscriptSource()
            (source.url, source.at, source.segments) = ("https://radio.example/\(text)", noon, 1)
            entry.stored = source
            settlement.entries = [entry]
            settlement.segments = [id: [TranscriptSegment(start: 1, text: words, isChapter: text == .chapters)]]
            stored = try #require(try await stores.transcripts.settle([settlement])[0].stored)
        }
        let reader = try await library.open()
        #expect(
            try await reader.transcripts.segments(of: [id])[id] == [
                TranscriptSegment(start: 1, text: "Intro", isChapter: true), TranscriptSegment(start: 1, text: "Hello"),
            ])
        #expect(try await reader.transcripts.chapters(of: id)?.segments.map(\.text) == ["Intro"])
        #expect(try await reader.transcripts.transcript(of: id)?.segments.map(\.text) == ["Hello"])
        let lists = try await reader.transcripts.entries(of: stored.id)
        #expect(lists.entries[id]?.stored?.url.hasSuffix("transcript") == true)
        #expect(lists.entries(.chapters)[id]?.stored?.url.hasSuffix("chapters") == true)
        let due = PodcastListing.transcripts(of: .chapters, now: noon, byDefault: false, all: true)
        #expect(try await reader.podcasts.page(of: due, after: nil, limit: 9).isEmpty)
        stored.settings.chapters = true
        _ = try await stores.podcasts.update([stored])
        #expect(try await reader.podcasts.page(of: due, after: nil, limit: 9).map(\.id) == [stored.id])
    }

    @Test(arguments: LibraryKind.allCases) func `no change of the queue is lost`(kind: LibraryKind) async throws {
        let library = try kind.make()
        let owner = podcast(1).id
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let stores = try await library.open()
                    for number in 0..<10 {
                        let entry = QueueEntry(episodeID: episode(writer * 10 + number, of: owner).id, addedAt: noon)
                        try await stores.queue.update { $0.append(entry) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let entries = try await library.open().queue.entries()
        #expect(Set(entries.map(\.episodeID)) == Set((0..<40).map { episode($0, of: owner).id }) && entries.count == 40)
        struct Refused: Error {}
        await #expect(throws: Refused.self) {
            try await library.open().queue.update { entries in
                entries = []
                throw Refused()
            }
        }
        #expect(try await library.open().queue.entries() == entries)
    }

    @Test(arguments: LibraryKind.allCases) func `tags are changed together, and told apart`(kind: LibraryKind) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        let ids = (1...3).map { episode($0, of: podcast(1).id).id }.sorted()
        let starred = try #require(Tag("starred"))
        let before = try await stores.tags.edit(TagEdit(adding: [starred, .new]), of: ids)
        #expect(before == Dictionary(uniqueKeysWithValues: ids.map { ($0, []) }))
        let after = try await library.open().tags.edit(TagEdit(removing: [.new]), of: [ids[0]])
        #expect(after == [ids[0]: [starred, .new]])
        let reader = try await library.open()
        #expect(try await reader.tags.tags(of: ids) == [ids[0]: [starred], ids[1]: [starred, .new], ids[2]: [starred, .new]])
        #expect(try await reader.tags.episodes(tagged: [.new]) == [.new: Array(ids[1...])])
        #expect(try await reader.tags.taggedEpisodes().map(\.id) == ids)
        #expect(try await stores.tags.edit(TagEdit(adding: [starred]), of: ids).isEmpty)
    }

    @Test(arguments: LibraryKind.allCases) func `a position is read and changed by its episode`(kind: LibraryKind) async throws {
        let library = try kind.make()
        let (one, other) = (try await library.open(), try await library.open())
        let ids = (1...3).map { episode($0, of: podcast(1).id).id }
        var position = PlayPosition(episodeID: ids[0], seconds: 12.5, duration: 60, at: noon)
        position.heard = [HeardSpan(at: noon, seconds: 12.5)]
        let stored = position
        try await one.positions.updatePositions(of: [ids[0]]) { positions in
            #expect(positions.isEmpty)
            positions[ids[0]] = stored
            // Nobody asked for this one.
            positions[ids[2]] = PlayPosition(episodeID: ids[2], seconds: 1, at: noon)
        }
        try await other.positions.updatePositions(of: [ids[1]]) { positions in
            #expect(positions.isEmpty)
            positions[ids[1]] = PlayPosition(episodeID: ids[1], seconds: 3, at: noon + 1)
        }
        let reader = try await library.open()
        #expect(try await reader.positions.positions().mapValues(\.seconds) == [ids[0]: 12.5, ids[1]: 3])
        #expect(try await reader.positions.positions(of: [ids[0], ids[2]]) == [ids[0]: stored])
        #expect(try await reader.positions.positions(of: []).isEmpty)
        try await one.positions.updatePositions(of: [ids[0]]) { $0[ids[0]] = nil }
        #expect(try await other.positions.position(of: ids[0]) == nil)
        #expect(try await other.positions.position(of: ids[1])?.seconds == 3)
    }

    @Test(arguments: LibraryKind.allCases) func `players on two machines keep each other's places, and so does undo`(
        kind: LibraryKind
    ) async throws {
        let library = try kind.make()
        let machines = [try await library.open(), try await library.open()]
        let ids = (1...4).map { episode($0, of: podcast(1).id).id }
        let rounds = 12
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, id) in ids.enumerated() {
                let stores = machines[number % 2]
                group.addTask {
                    for round in 1...rounds {
                        let step: @Sendable (inout [EpisodeID: PlayPosition]) -> Void = { positions in
                            var position = positions[id] ?? PlayPosition(episodeID: id, seconds: 0, at: noon)
                            position.seconds += 1
                            position.at = noon + Int64(round)
                            positions[id] = position
                        }
                        // One of them leaves steps of undo.
                        if number == 3 {
                            try await stores.undo.changeOwned(of: [id], undoable: UndoMark(.play, at: noon)) {
                                step(&$0.positions)
                            }
                        } else {
                            try await stores.positions.updatePositions(of: [id], step)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let stored = try await library.open().positions.positions()
        #expect(stored.mapValues(\.seconds) == Dictionary(uniqueKeysWithValues: ids.map { ($0, Double(rounds)) }))
    }
}
