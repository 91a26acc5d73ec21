import Domain
import Glibc
import Testing

@testable import Library

@Suite struct ConcurrencyTests {
    let folder = TemporaryFolder()

    @Test func `a writer is told who holds the library`() async throws {
        let library = try await folder.open()
        let lock = try await FolderLock.take(FolderLock.write, in: folder.disk(), waitSeconds: 0)
        let locked = LibraryFailure.locked(holder: Int(getpid()))
        await #expect(throws: locked) { try await folder.open() }
        await #expect(throws: locked) { try await library.save([samplePodcast()]) }
        await #expect(throws: locked) { try await Library.verify(folder.disk(), waitSeconds: 0) }
        withExtendedLifetime(lock) {}
    }

    @Test func `a writer waits for another`() async throws {
        let library = try await folder.open(.write(waitSeconds: 60))
        var lock: FolderLock? = try await FolderLock.take(FolderLock.write, in: folder.disk(), waitSeconds: 0)
        async let saved: Void = library.save([samplePodcast(2)])
        #expect(try await folder.open(.read).allPodcasts().isEmpty)
        withExtendedLifetime(lock) {}
        lock = nil
        try await saved
        #expect(try await folder.open(.read).allPodcasts().count == 1)
    }

    @Test func `a second refresh is told who runs the first`() async throws {
        let first = try await folder.open()
        let second = try await folder.open()
        let run = try await first.work.begin(WorkRequest(), now: someTime)
        await #expect(throws: LibraryFailure.locked(holder: Int(getpid()), isRefresh: true)) {
            try await second.work.begin(WorkRequest(), now: someTime)
        }
        // Everything else goes on beside it.
        try await second.save([samplePodcast()])
        _ = try await second.queue.update {
            $0.append(QueueEntry(episodeID: sampleEpisode(samplePodcast(), 1).id, addedAt: someTime))
        }
        #expect(try await first.allPodcasts().count == 1)
        try await first.work.release(run.lease, times: nil)
        await #expect(throws: LeaseExpired.self) { try await first.work.claim(run.lease, limit: 1, now: someTime) }
        let next = try await second.work.begin(WorkRequest(), now: someTime)
        #expect(next.due == 1)
    }

    @Test func `writers beside each other lose nothing`() async throws {
        let libraries = try await [folder.open(.write(waitSeconds: 60)), folder.open(.write(waitSeconds: 60))]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, library) in libraries.enumerated() {
                group.addTask {
                    for round in 1...20 {
                        try await library.save([samplePodcast(1_000 * (number + 1) + round)])
                        _ = try await library.queue.update {
                            let id = sampleEpisode(samplePodcast(number), round).id
                            $0.append(QueueEntry(episodeID: id, addedAt: someTime))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let library = try await folder.open(.read)
        #expect(try await library.allPodcasts().count == 40)
        #expect(try await library.queue.entries().count == 40)
        #expect(try await Library.verify(folder.disk(), waitSeconds: 0) == [])
    }

    /// The other process is util-linux's `flock`, which takes the same lock and becomes `sleep`.
    @Test(.enabled(if: access("/usr/bin/flock", X_OK) == 0)) func `the lock of a killed process is free`() async throws {
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

    @Test func `readers never fail beside a writer`() async throws {
        let library = try await folder.open()
        let first = try await library.add([sampleEpisode(samplePodcast(), 0)], to: samplePodcast())
        let folder = folder
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                var podcast = first
                for number in 1...40 {
                    podcast = try await library.add([sampleEpisode(podcast, number)], to: podcast)
                    try await library.save([samplePodcast(1_000 + number)])
                    let other = try await library.add([sampleEpisode(samplePodcast(2), number)], to: samplePodcast(2))
                    try await library.podcasts.remove([other.id], keepingEpisodes: false)
                }
                return 0
            }
            for _ in 0..<8 {
                group.addTask {
                    var seen = 0
                    while seen < 41 {
                        let reader = try await folder.open(.read)
                        for podcast in try await reader.allPodcasts() {
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
