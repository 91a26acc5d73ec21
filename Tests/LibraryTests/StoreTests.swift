import Addresses
import Domain
import Glibc
import Synchronization
import Testing

@testable import Library

@Suite struct StoreTests {
    let folder = TemporaryFolder()

    @Test func `a library that does not exist is an empty one`() async throws {
        let library = try await folder.open(.read)
        #expect(try await library.allPodcasts().isEmpty)
        #expect(try await library.work.lastRefresh() == RefreshTimes())
        #expect(try await library.queue.entries().isEmpty)
        #expect(try await library.episodes.stored(of: samplePodcast().id).revision == 0)
        #expect(folder.files().isEmpty)
    }

    @Test func `what is saved is read by the next process`() async throws {
        var podcast = samplePodcast()
        podcast.credentials = Credentials(user: "ann", password: "s3cret \" \u{1}")
        do {
            let library = try await folder.open()
            podcast = try await library.add([sampleEpisode(podcast, 1), sampleEpisode(podcast, 2)], to: podcast)
            try await library.save([samplePodcast(2)])
        }
        let library = try await folder.open(.read)
        #expect(try await library.allPodcasts() == [podcast, samplePodcast(2)].sorted { $0.id < $1.id })
        #expect(try await library.episodes.episodes(of: podcast.id) == [sampleEpisode(podcast, 1), sampleEpisode(podcast, 2)])
        #expect(try await library.episodes.stored(of: podcast.id).channel == sampleChannel(podcast))
        #expect(try !folder.text("podcasts.jsonl").contains("s3cret"))
    }

    @Test func `a large file is read, checked and extended in pieces`() async throws {
        let library = try await folder.open()
        var podcast = samplePodcast()
        var episodes = (1...2_500).map { number in
            var episode = sampleEpisode(podcast, number)
            episode.item.content = String(repeating: "Words of day \(number). ", count: 250)
            return episode
        }
        podcast = try await library.add(episodes, to: podcast)
        episodes[3].withdrawnAt = someTime + 5
        podcast = try await library.add([sampleEpisode(podcast, 9_999)], to: podcast, replacing: [episodes[3]])
        let name = "podcasts/\(podcast.id.text).jsonl"
        var bytes = try #require(try folder.bytes(name))
        #expect(bytes.count > 8 << 20)
        let stored = try await library.episodes.stored(of: podcast.id)
        #expect(stored.episodes.map(\.id) == episodes.map(\.id) + [sampleEpisode(podcast, 9_999).id])
        #expect(stored.channel == sampleChannel(podcast))
        #expect(try await library.episodes.episodes(of: podcast.id).dropLast() == episodes[...])

        bytes[bytes.count / 2] ^= 1
        try folder.write(name, bytes)
        await #expect(throws: LibraryFailure.self) { try await library.episodes.stored(of: podcast.id) }
        await #expect(throws: LibraryFailure.self) { try await library.add([sampleEpisode(podcast, 10_000)], to: podcast) }
        #expect(try folder.bytes(name) == bytes)
    }

    @Test func `a podcast that came back stays`() async throws {
        let library = try await folder.open()
        let podcast = try await library.add([sampleEpisode(samplePodcast(), 1)], to: samplePodcast())
        try await library.podcasts.remove([podcast.id], keepingEpisodes: false)
        try await library.add([sampleEpisode(samplePodcast(), 1)], to: samplePodcast())
        try await library.save([samplePodcast(2)])
        #expect(try await library.episodes.episodes(of: podcast.id) == [sampleEpisode(podcast, 1)])
    }

    @Test func `kept episodes say enough for a comparison`() async throws {
        let library = try await folder.open()
        let podcast = samplePodcast()
        var withdrawn = sampleEpisode(podcast, 2)
        withdrawn.withdrawnAt = someTime + 5
        withdrawn.history = [EpisodeEdit(at: someTime + 5, kind: .withdrawn)]
        try await library.add([sampleEpisode(podcast, 1), withdrawn], to: podcast)
        let stored = try await library.episodes.stored(of: podcast.id)
        #expect(stored.revision == 1)
        #expect(stored.channel == sampleChannel(podcast))
        #expect(
            stored.episodes
                == [sampleEpisode(podcast, 1), withdrawn].map {
                    StoredEpisode(
                        id: $0.id, keys: IdentityKeys(of: $0.item), digest: ContentDigest(of: $0.item),
                        isWithdrawn: $0.isWithdrawn)
                })
        #expect(try await library.episodes.episodes(of: podcast.id).last == withdrawn)
    }

    @Test func `an unchanged episode is an unchanged line`() async throws {
        let library = try await folder.open()
        var podcast = try await library.add((1...5).map { sampleEpisode(samplePodcast(), $0) }, to: samplePodcast())
        let name = "podcasts/\(podcast.id).jsonl"
        let before = try folder.text(name).split(separator: "\n")
        var edited = sampleEpisode(podcast, 3)
        edited.item.title = "Episode 3, corrected"
        edited.history = [EpisodeEdit(at: someTime, kind: .changed, fields: ["title"], formerTitle: "Episode 3")]
        podcast = try await library.add([sampleEpisode(podcast, 6)], to: podcast, replacing: [edited])
        let after = try folder.text(name).split(separator: "\n")
        #expect(after.count == 7)
        for line in [1, 2, 4, 5] { #expect(before[line] == after[line]) }
        #expect(before[3] != after[3])
        #expect(try await library.episodes.episodes([edited.id]) == [edited])
        #expect(try folder.text("backup/\(name)").split(separator: "\n") == before)
    }

    @Test func `an id is never there twice`() async throws {
        let library = try await folder.open()
        let podcast = try await library.add([sampleEpisode(samplePodcast(), 1)], to: samplePodcast())
        try await library.add([sampleEpisode(podcast, 1), sampleEpisode(podcast, 2), sampleEpisode(podcast, 2)], to: podcast)
        #expect(try await library.episodes.episodes(of: podcast.id).map(\.item.guid) == ["guid-1", "guid-2"])
    }

    @Test func `a change of one podcast leaves the files of others alone`() async throws {
        let library = try await folder.open()
        for number in 1...3 { try await library.add([sampleEpisode(samplePodcast(number), 1)], to: samplePodcast(number)) }
        let before = try folder.snapshot()
        let podcast = try #require(try await library.podcast(samplePodcast(2).id))
        try await library.add([sampleEpisode(podcast, 2)], to: podcast)
        let after = try folder.snapshot()
        let changed = Set(after.keys.filter { before[$0] != after[$0] })
        #expect(
            changed == [
                "podcasts/\(podcast.id).jsonl", "backup/podcasts/\(podcast.id).jsonl", "podcasts.jsonl", "library.json",
            ])
        let log = try #require(before["podcasts.jsonl"])
        #expect(after["podcasts.jsonl"]?.starts(with: log) == true)
    }

    @Test func `many podcasts are written together`() async throws {
        let library = try await folder.open()
        let all = (1...50).map { samplePodcast($0) }
        try await library.apply(
            all.map {
                PodcastChanges(podcastID: $0.id, revision: 1, channel: nil, added: [sampleEpisode($0, 1)], replaced: [])
            })
        for podcast in all {
            #expect(try await library.episodes.episodes(of: podcast.id) == [sampleEpisode(podcast, 1)])
        }
        #expect(try folder.disk().list("new").isEmpty)
    }

    /// As a first fetch does with each of thousands: it looks for what is kept, and writes.
    /// It is written in pieces, each time that most of it is outdated.
    @Test func `a long log is written anew and whole`() async throws {
        var podcasts = (1...3_000).map { samplePodcast($0) }.sorted { $0.id < $1.id }
        do {
            let library = try await folder.open()
            for round in 1...4 {
                for index in podcasts.indices { podcasts[index].title = "Radio \(round) " + String(repeating: "–", count: 60) }
                try await library.save(podcasts)
            }
        }
        let log = try folder.text("podcasts.jsonl")
        #expect(log.utf8.count > 3 * (256 << 10))
        #expect(log.prefix(200).contains("\"generation\":2"))
        #expect(try await folder.open(.read).allPodcasts() == podcasts)
    }

    @Test func `a new podcast costs few opens`() async throws {
        let opened = Mutex<[String]>([])
        var calls = SystemCalls()
        let real = calls
        calls.open = { path, flags, mode in
            opened.withLock { $0.append(String(path.dropFirst(folder.path.count + 1))) }
            return real.open(path, flags, mode)
        }
        let library = try await folder.open(calls: calls)
        _ = try await library.allPodcasts()
        opened.withLock { $0 = [] }
        let podcast = samplePodcast()
        #expect(try await library.episodes.stored(of: podcast.id).revision == 0)
        try await library.apply([
            PodcastChanges(podcastID: podcast.id, revision: 1, channel: nil, added: [sampleEpisode(podcast, 1)], replaced: [])
        ])
        let looks = ["podcasts/\(podcast.id).jsonl", "kept/\(podcast.id).jsonl"]
        #expect(opened.withLock { $0 } == looks + looks + ["lock", "library.json"] + looks + ["new/0", "podcasts"])
        #expect(try await library.episodes.episodes(of: podcast.id).count == 1)
    }

    /// It got its name before the folder's sync failed.
    @Test func `a file that a failed write left is not forgotten`() async throws {
        let fails = Mutex(false)
        var calls = SystemCalls()
        let real = calls
        calls.rename = { from, to in
            if to.contains("/podcasts/") { fails.withLock { $0 = true } }
            return real.rename(from, to)
        }
        calls.fsync = { descriptor in
            guard fails.withLock({ $0 }) else { return real.fsync(descriptor) }
            fails.withLock { $0 = false }
            errno = EIO
            return -1
        }
        let library = try await folder.open(calls: calls)
        let podcast = samplePodcast()
        #expect(try await library.episodes.stored(of: podcast.id).revision == 0)
        for number in 1...2 {
            await #expect(throws: LibraryFailure.io(file: folder.path + "/podcasts", operation: "fsync", errno: EIO)) {
                try await library.apply([
                    PodcastChanges(
                        podcastID: podcast.id, revision: 1, channel: nil, added: [sampleEpisode(podcast, number)], replaced: [])
                ])
            }
        }
        #expect(try await library.episodes.episodes(of: podcast.id).count == 2)
    }

    @Test func `episodes come in the order of their ids`() async throws {
        let library = try await folder.open()
        let (one, two) = (samplePodcast(1), samplePodcast(2))
        try await library.add((1...3).map { sampleEpisode(one, $0) }, to: one)
        try await library.add((1...3).map { sampleEpisode(two, $0) }, to: two)
        let wanted = [sampleEpisode(two, 3), sampleEpisode(one, 1), sampleEpisode(two, 1)]
        let missing = sampleEpisode(one, 9).id
        #expect(try await library.episodes.episodes([wanted[0].id, missing, wanted[1].id, wanted[2].id]) == wanted)
    }

    @Test func `a removed podcast is gone`() async throws {
        let library = try await folder.open()
        var podcast = samplePodcast()
        podcast.credentials = Credentials(user: "ann", password: "s3cret")
        podcast = try await library.add([sampleEpisode(podcast, 1)], to: podcast)
        try await library.podcasts.remove([podcast.id], keepingEpisodes: false)
        #expect(try await folder.open(.read).allPodcasts().isEmpty)
        #expect(try await library.episodes.stored(of: podcast.id).revision == 0)
        #expect(!folder.files().contains { $0.contains(podcast.id.text) })
        #expect(try !folder.text("secrets.json").contains("s3cret"))
        #expect(try !folder.text("backup/secrets.json").contains("s3cret"))
    }

    @Test func `kept episodes stay readable and come back with the subscription`() async throws {
        let library = try await folder.open()
        let podcast = try await library.add([sampleEpisode(samplePodcast(), 1)], to: samplePodcast())
        try await library.podcasts.remove([podcast.id], keepingEpisodes: true)
        #expect(try await library.unsubscribed().map(\.displayTitle) == ["Radio 1"])
        #expect(try await library.episodes.episodes([sampleEpisode(podcast, 1).id]).count == 1)
        try await library.add([sampleEpisode(podcast, 2)], to: samplePodcast())
        #expect(try await library.unsubscribed().isEmpty)
        #expect(try await library.episodes.episodes(of: podcast.id).count == 2)
        #expect(!folder.files().contains { $0.hasPrefix("kept/") })
    }

    @Test func `of a podcast without stored episodes nothing is kept`() async throws {
        let library = try await folder.open()
        let fetched = try await library.add([sampleEpisode(samplePodcast(1), 1)], to: samplePodcast(1))
        try await library.save([samplePodcast(2)])
        try await library.podcasts.remove([samplePodcast(2).id, fetched.id], keepingEpisodes: true)
        #expect(try await library.unsubscribed().map(\.id) == [fetched.id])
        #expect(try await Library.verify(folder.disk(), waitSeconds: 5) == [])
    }

    @Test func `a subscription that waits for its fetch has the stored episodes`() async throws {
        let library = try await folder.open()
        let podcast = try await library.add(
            [sampleEpisode(samplePodcast(), 1), sampleEpisode(samplePodcast(), 2)], to: samplePodcast())
        try await library.podcasts.remove([podcast.id], keepingEpisodes: true)
        try await library.save([samplePodcast()])
        let again = try #require(try await folder.open(.read).podcast(podcast.id))
        #expect(again.episodeCount == 2)
        #expect(again.episodesRevision == podcast.episodesRevision)
        #expect(again.latestEpisodeAt == podcast.latestEpisodeAt)
        #expect(again.fetch.validators == nil)
        #expect(try await library.episodes.episodes(of: podcast.id).count == 2)
    }

    @Test func `queue and ledger are kept`() async throws {
        let entry = QueueEntry(episodeID: sampleEpisode(samplePodcast(), 1).id, addedAt: someTime)
        var ledger = RefreshTimes()
        ledger.startedAt = someTime
        let hosts = ["https://radio.example:443": HostState(pausedUntil: someTime + 60, allowance: 2.5, measuredAt: someTime)]
        do {
            let library = try await folder.open()
            let count = try await library.queue.update { entries in
                entries.append(entry)
                return entries.count
            }
            #expect(count == 1)
            try await library.save(ledger)
            try await library.work.store(hosts)
        }
        let library = try await folder.open(.read)
        #expect(try await library.queue.entries() == [entry])
        #expect(try await library.work.lastRefresh() == ledger)
        #expect(try await library.work.hosts(Array(hosts.keys)) == hosts)
    }

    @Test func `names on the disk are never made of text`() async throws {
        let library = try await folder.open()
        let hostile = PodcastID(text: "../../escape")
        await #expect(throws: LibraryFailure.self) {
            try await library.apply([
                PodcastChanges(podcastID: hostile, revision: 1, channel: nil, added: [], replaced: [])
            ])
        }
        #expect(try await library.episodes.stored(of: hostile).revision == 0)
        #expect(try folder.disk().list("new").isEmpty)
    }

    @Test func `hostile text is kept as it is`() async throws {
        let library = try await folder.open()
        let podcast = samplePodcast()
        var episode = sampleEpisode(podcast, 1)
        episode.item.guid = "../../../etc/passwd\u{0}\n{\"sum\":\"0000000000000000\"}"
        episode.item.title = "\u{202E}\u{1B}[31m\"}]\\ \u{7F}\u{85} 😀"
        try await library.add([episode], to: podcast)
        #expect(try await library.episodes.episodes(of: podcast.id) == [episode])
        let text = try folder.bytes("podcasts/\(podcast.id).jsonl") ?? []
        #expect(text.filter { $0 == 0x0A }.count == 2)
        #expect(!text.contains(0x1B))
    }
}
