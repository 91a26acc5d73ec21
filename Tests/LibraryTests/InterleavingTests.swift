import Domain
import Synchronization
import Testing

@testable import Library

/// However the tasks of a process take turns, and wherever they are killed, what becomes durable together is together.
@Suite(.timeLimit(.minutes(5))) struct InterleavingTests {
    private let folder = TemporaryFolder()
    private static let podcasts = 1...3

    /// An episode is in the queue if and only if it has the tag `queued`; each change is made with its step.
    private static func toggle(_ id: EpisodeID, _ library: Library, at time: Int64) async throws {
        try await library.undo.changeOwned(of: [id], undoable: UndoMark(.queueAdd, at: someTime + time)) { state in
            let isQueued = state.queue.contains { $0.episodeID == id }
            #expect(isQueued == (state.tags[id] ?? []).contains { $0.text == "queued" })
            state.queue.removeAll { $0.episodeID == id }
            if !isQueued { state.queue.append(QueueEntry(episodeID: id, addedAt: someTime)) }
            state.tag([id], try TagEdit([isQueued ? "-queued" : "+queued"]))
        }
    }

    /// Adds an episode with its validator, whatever others did meanwhile.
    private static func fetch(_ number: Int, episode: Int, _ library: Library) async throws {
        while let stored = try await library.podcasts.podcast(samplePodcast(number).id) {
            let before = try await library.episodes.stored(of: stored.id)
            var podcast = stored
            podcast.episodesRevision = before.revision + 1
            podcast.episodeCount = before.episodes.count + 1
            podcast.fetch.validators = Validators(url: podcast.feedURL, etag: "\(podcast.episodesRevision)")
            var changes = PodcastChanges(
                podcastID: podcast.id, revision: podcast.episodesRevision, channel: sampleChannel(podcast),
                added: [sampleEpisode(podcast, episode)], replaced: [])
            changes.new = changes.added.map(\.id)
            let settlement = Settlement(podcast, changes: changes)
            let result = try await library.writer.write { try library.podcasts.podcastWriter.settle([settlement]) }
            if result.first?.stored != nil { return }
        }
    }

    /// Unsubscribes with a step, and takes that back.
    private static func leaveAndReturn(_ number: Int, _ library: Library, at time: Int64) async throws {
        guard let podcast = try await library.podcasts.podcast(samplePodcast(number).id) else { return }
        var step = UndoStep(.unsubscribe, at: someTime + time)
        step.removed = [podcast]
        try await library.undo.record(step, keepingRedo: false)
        try await library.podcasts.remove([podcast.id], keepingEpisodes: false)
        let steps = try await library.undo.steps()
        guard let last = steps.first(where: { $0.step.removed.map(\.id) == [podcast.id] }) else { return }
        _ = try await library.undo.restore(last.step.removed, of: last.number)
    }

    private func prepare() async throws {
        let library = try await folder.open()
        for number in Self.podcasts {
            try await library.add([sampleEpisode(samplePodcast(number), 0)], to: samplePodcast(number))
        }
    }

    /// Many tasks on one library, and one on another of the same folder.
    private static func work(_ library: Library, _ other: Library, rounds: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in podcasts {
                group.addTask { for round in 1...rounds { try await fetch(number, episode: round, library) } }
                group.addTask { for round in 1...rounds { try await fetch(number, episode: 1_000 + round, other) } }
                if number < 3 {
                    group.addTask {
                        for round in 1...rounds { try await library.addTranscripts([round], of: samplePodcast(number).id) }
                    }
                }
                for id in 1...2 {
                    let id = sampleEpisode(samplePodcast(number), id).id
                    group.addTask { for round in 1...rounds { try await toggle(id, library, at: Int64(round)) } }
                }
            }
            group.addTask { for round in 1...rounds { try await leaveAndReturn(3, library, at: Int64(round)) } }
            group.addTask {
                for round in 1...rounds {
                    let id = sampleEpisode(samplePodcast(1), 1).id
                    try await library.positions.updatePositions(of: [id]) { positions in
                        positions[id] = PlayPosition(episodeID: id, seconds: Double(round), at: someTime)
                    }
                }
            }
            while case .failure(let error)? = await group.nextResult() { throw error }
            try await group.waitForAll()
        }
    }

    /// - Parameter comment: names the case.
    private func check(_ comment: String) async throws {
        let library = try await folder.open(.write(waitSeconds: 60))
        for podcast in try await library.allPodcasts() {
            let file = try await library.episodes.stored(of: podcast.id)
            let vouched = podcast.fetch.validators.flatMap { Int($0.etag?.filter(\.isNumber) ?? "") } ?? 0
            #expect(vouched <= file.revision, "\(comment): \(podcast.id)")
            #expect(podcast.episodesRevision <= file.revision, "\(comment): \(podcast.id)")
        }
        let steps = try await library.undo.steps().map(\.step)
        let (tagged, queued) = try await (tagged(library), Set(library.queue.entries().map(\.episodeID)))
        // A kill may fall between the two, but only after their step was stored.
        #expect(tagged.symmetricDifference(queued).isSubset(of: steps.flatMap(\.taggedEpisodes)), "\(comment)")
        for id in Self.podcasts.map({ samplePodcast($0).id }) where try await library.podcast(id) == nil {
            #expect(steps.contains { $0.removed.map(\.id) == [id] }, "\(comment): \(id)")
        }
        #expect(try await Library.verify(folder.disk(), waitSeconds: 60).filter { !$0.isLeftover } == [], "\(comment)")
    }

    private func tagged(_ library: Library) async throws -> Set<EpisodeID> {
        let tag = try #require(Tag("queued"))
        return Set(try await library.tags.episodes(tagged: [tag])[tag] ?? [])
    }

    @Test func `nothing comes between what belongs together`() async throws {
        try await prepare()
        let library = try await folder.open(.write(waitSeconds: 60))
        try await Self.work(library, folder.open(.write(waitSeconds: 60)), rounds: 8)
        try await check("end")
        #expect(try await tagged(library) == Set(library.queue.entries().map(\.episodeID)))
        // Each podcast's file has every episode that was reported as stored.
        for number in 1...2 {
            let all = Set(try await library.episodes.episodes(of: samplePodcast(number).id).map(\.id))
            for episode in Array(1...8) + (1_001...1_008) {
                #expect(all.contains(sampleEpisode(samplePodcast(number), episode).id))
            }
        }
    }

    @Test func `a kill among many tasks leaves each batch old or new`() async throws {
        try await prepare()
        let before = try folder.snapshot()
        var number = 0
        while number < 4_000 {
            try folder.restore(before)
            let calls = FailingCalls(at: number, .kill)
            do {
                let library = try await folder.open(.write(waitSeconds: 1), calls: calls.system)
                try await Self.work(library, library, rounds: 1)
            } catch {}
            guard calls.hasFailed else { return }
            try await check("call \(number)")
            number += 61
        }
    }
}
