import Domain
import Glibc
import Testing

@testable import Library

@Suite struct ConcurrencyTests {
    let folder = TemporaryFolder()

    @Test func aSecondWriterIsToldWhoHoldsTheLibrary() async throws {
        let library = try await folder.open()
        await #expect(throws: LibraryFailure.locked(holder: Int(getpid()))) { try await folder.open() }
        await #expect(throws: LibraryFailure.locked(holder: Int(getpid()))) {
            try await Library.verify(folder.disk(), waitSeconds: 0)
        }
        withExtendedLifetime(library) {}
    }

    /// Values end at their last use: whoever keeps only a store must keep the lock with it.
    @Test func anyStoreHoldsTheLock() async throws {
        do {
            let queue = try await folder.open().queue
            await #expect(throws: LibraryFailure.self) { try await folder.open() }
            _ = try await queue.entries()
        }
        let episodes = try await folder.open(.write(waitSeconds: 60)).episodes
        await #expect(throws: LibraryFailure.self) { try await folder.open() }
        _ = try await episodes.kept(of: samplePodcast().id)
    }

    @Test func aSecondWriterWaitsForTheFirst() async throws {
        var first: Library? = try await folder.open()
        async let second = folder.open(.write(waitSeconds: 60))
        try await first?.podcasts.save([samplePodcast(1)])
        first = nil
        try await second.podcasts.save([samplePodcast(2)])
        #expect(try await folder.open(.read).podcasts.podcasts().count == 2)
    }

    /// The other process is util-linux's `flock`, which takes the same lock and becomes `sleep`.
    @Test(.enabled(if: access("/usr/bin/flock", X_OK) == 0)) func theLockOfAKilledProcessIsFree() async throws {
        _ = try await folder.open()
        var child = pid_t()
        let words = ["flock", "--no-fork", "\(folder.path)/lock", "sleep", "600"]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        #expect(posix_spawn(&child, "/usr/bin/flock", nil, nil, &arguments, environ) == 0)
        var refusal: LibraryFailure?
        while refusal == nil {
            do { _ = try await folder.open() } catch let failure as LibraryFailure { refusal = failure }
        }
        guard case .locked? = refusal else { throw refusal ?? .locked(holder: nil) }
        kill(child, SIGKILL)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        _ = try await folder.open(.write(waitSeconds: 60))
    }

    @Test func readersNeverFailBesideAWriter() async throws {
        let library = try await folder.open()
        let first = try await library.add([sampleEpisode(samplePodcast(), 0)], to: samplePodcast())
        let folder = folder
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                var podcast = first
                for number in 1...40 {
                    podcast = try await library.add([sampleEpisode(podcast, number)], to: podcast)
                    try await library.podcasts.save([samplePodcast(1_000 + number)])
                    let other = try await library.add([sampleEpisode(samplePodcast(2), number)], to: samplePodcast(2))
                    try await library.podcasts.remove([other.id], keepingEpisodes: false)
                    try await library.episodes.remove([other.id], keepingEpisodes: false)
                }
                return 0
            }
            for _ in 0..<8 {
                group.addTask {
                    var seen = 0
                    while seen < 41 {
                        let reader = try await folder.open(.read)
                        for podcast in try await reader.podcasts.podcasts() {
                            let episodes = try await reader.episodes.episodes(of: podcast.id)
                            if podcast.id == first.id {
                                #expect(episodes.count >= podcast.episodeCount)
                                #expect(episodes.count >= seen)
                                seen = episodes.count
                            }
                        }
                    }
                    return seen
                }
            }
            for try await _ in group {}
        }
    }
}
