import Addresses
import Domain
import Synchronization
import Testing

@testable import Library

/// The writer always wins the race: it acts right before the reader opens the file in question.
@Suite struct RaceTests {
    let folder = TemporaryFolder()
    let podcast = samplePodcast()

    private typealias Act = (Library) async throws -> Void

    /// Performs the acts, and returns a snapshot of the library after each.
    private func stages(_ acts: [Act]) async throws -> [[String: [UInt8]]] {
        let library = try await folder.open()
        var stages: [[String: [UInt8]]] = []
        for act in acts {
            try await act(library)
            stages.append(try folder.snapshot())
        }
        return stages
    }

    /// System calls of a reader for whom the library goes through `stages`. It moves on to the next stage right before a
    /// file is opened for which `moves` returns true.
    private func reader(
        _ stages: [[String: [UInt8]]], moves: @escaping @Sendable (_ file: String, _ stage: Int) -> Bool
    ) throws -> SystemCalls {
        let folder = folder
        try folder.restore(stages[0])
        let stage = Mutex(0)
        var calls = SystemCalls()
        let real = calls
        calls.open = { path, flags, mode in
            stage.withLock { stage in
                guard stage + 1 < stages.count, moves(String(path.dropFirst(folder.path.count + 1)), stage) else { return }
                stage += 1
                try? folder.restore(stages[stage])
            }
            return real.open(path, flags, mode)
        }
        return calls
    }

    private func subscribe(_ library: Library) async throws {
        let stored = try await library.episodes.stored(of: podcast.id)
        if stored.revision == 0 {
            try await library.add([sampleEpisode(podcast, 1), sampleEpisode(podcast, 2)], to: podcast)
        } else {
            var podcast = podcast
            (podcast.episodesRevision, podcast.episodeCount) = (stored.revision, stored.episodes.count)
            try await library.save([podcast])
        }
    }

    private func unsubscribe(_ library: Library) async throws {
        try await library.podcasts.remove([podcast.id], keepingEpisodes: true)
    }

    /// Each time the reader opens the file, it has just moved to the other folder.
    @Test(arguments: [0, 1]) func `a file that moves to and fro is found`(first: Int) async throws {
        let acts: [Act] = [subscribe, unsubscribe]
        let all = try await stages(acts + acts + acts + acts + acts)
        let name = "\(podcast.id).jsonl"
        let calls = try reader(Array(all[first...])) { file, stage in
            file == ((stage + first) % 2 == 0 ? "podcasts/\(name)" : "kept/\(name)")
        }
        let library = try await folder.open(.read, calls: calls)
        let podcasts = first == 0 ? try await library.allPodcasts() : try await library.unsubscribed()
        #expect(podcasts.map(\.id) == [podcast.id])
        #expect(try await library.episodes.episodes(of: podcast.id).count == 2)
    }

    /// As `episodes` and `search` read: the records first, then the podcasts that they speak of.
    @Test func `kept episodes that are subscribed again are in one of the lists`() async throws {
        let all = try await stages([subscribe, unsubscribe, subscribe])
        try folder.restore(all[1])
        let library = try await folder.open(.read)
        #expect(try await library.allPodcasts() == [])
        try folder.restore(all[2])
        // Whoever finds it in neither list looks into the first again, as `FindPodcast` does.
        #expect(try await library.unsubscribed() == [])
        #expect(try await library.allPodcasts().map(\.episodeCount) == [2])
    }

    /// Its file begins anew, and is not an older copy of the first one.
    @Test func `a podcast that was subscribed anew is no damage`() async throws {
        let podcast = podcast
        let all = try await stages([
            subscribe, { try await $0.add([sampleEpisode(podcast, 3)], to: podcast) },
            {
                try await $0.podcasts.remove([podcast.id], keepingEpisodes: false)
            }, subscribe,
        ])
        try folder.restore(all[1])
        let library = try await folder.open(.read)
        #expect(try await library.podcast(podcast.id)?.episodesRevision == 2)
        try folder.restore(all[3])
        #expect(try await library.episodes.episodes(of: podcast.id).count == 2)
    }

    /// With and without a password, in turn, each time between the reading of the log and that of the secrets.
    @Test func `secrets that come and go are no damage`() async throws {
        var podcast = podcast
        let acts: [Act] = (0..<12).map { number in
            podcast.credentials = number % 2 == 0 ? Credentials(user: "bob", password: "pw\(number)") : nil
            return { [podcast] in try await $0.save([podcast]) }
        }
        let calls = try reader(try await stages(acts)) { file, stage in
            file == (stage % 2 == 0 ? "secrets.json" : "library.json")
        }
        #expect(try await folder.open(.read, calls: calls).allPodcasts().count == 1)
    }

    @Test func `a library that is being made is no damage`() async throws {
        var all = try await stages([subscribe])
        all.insert([:], at: 0)
        let calls = try reader(all) { file, _ in file == "podcasts.jsonl" }
        #expect(try await folder.open(.read, calls: calls).allPodcasts().count == 1)
    }

    /// What is really gone is told, however busy the library is.
    @Test func `a file that is gone is missing beside a writer`() async throws {
        let podcast = podcast
        let name = "podcasts/\(podcast.id).jsonl"
        let others: [Act] = (10..<22).map { number in { try await $0.save([samplePodcast(number)]) } }
        var all = try await stages([subscribe] + others)
        for index in all.indices { all[index][name] = nil }
        let calls = try reader(all) { file, _ in file == "podcasts.jsonl" }
        let library = try await folder.open(.read, calls: calls)
        await #expect(throws: LibraryFailure.damaged(file: name, line: nil, reason: "missing")) {
            try await library.episodes.episodes(of: podcast.id)
        }
    }
}
