import Domain
import Glibc
import Synchronization

@testable import Library

/// A folder of its own for each test, removed with it.
final class TemporaryFolder: Sendable {
    let path: String
    static let folders =
        ["", "new", "podcasts", "kept", "backup", "backup/podcasts", "damaged", "transcripts", "places"]
        + (1...3).map { "transcripts/\(samplePodcast($0).id)" }

    /// True to open libraries with a catalogue, as large ones are.
    @TaskLocal static var hasCatalogue = false

    static let locks = [FolderLock.write, FolderLock.refresh]

    init() {
        var template = Array("\(P_tmpdir)/jimmy-library-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        path = (made ?? "") + "/library"
    }

    deinit {
        for file in files() { unlink("\(path)/\(file)") }
        for folder in Self.folders.reversed() { rmdir("\(path)/\(folder)") }
        let folder = String(path.dropLast("/library".count))
        unlink(folder + "/cache/catalogue")
        rmdir(folder + "/cache")
        rmdir(folder)
    }

    func disk(_ calls: SystemCalls = SystemCalls()) -> Disk { Disk(root: path, calls: calls) }

    /// All files, by name within the library.
    func files() -> [String] {
        let disk = disk()
        return Self.folders.flatMap { folder in
            ((try? disk.list(folder)) ?? []).map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
        }.filter { !Self.folders.contains($0) }
    }

    func bytes(_ name: String) throws -> [UInt8]? { try disk().read(name) }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try disk().create(name, sync: false) { write in try write(bytes.span.bytes) }
    }

    func text(_ name: String) throws -> String { String(decoding: try bytes(name) ?? [], as: UTF8.self) }

    /// Every file and its bytes.
    func snapshot() throws -> [String: [UInt8]] {
        var snapshot: [String: [UInt8]] = [:]
        for name in files() where !Self.locks.contains(name) { snapshot[name] = try bytes(name) }
        return snapshot
    }

    /// Replaces a file with a folder, a pipe, or a symbolic link to itself.
    func put(_ kind: String, at name: String) {
        let path = "\(path)/\(name)"
        unlink(path)
        switch kind {
        case "folder": mkdir(path, 0o700)
        case "pipe": mkfifo(path, 0o600)
        default: symlink(path, path)
        }
    }

    func clear(_ name: String) {
        if unlink("\(path)/\(name)") != 0 { rmdir("\(path)/\(name)") }
    }

    func removeLock() { unlink("\(path)/lock") }

    /// Restores the folder from a snapshot.
    func restore(_ snapshot: [String: [UInt8]]) throws {
        for name in files() where snapshot[name] == nil && !Self.locks.contains(name) { unlink("\(path)/\(name)") }
        for (name, bytes) in snapshot {
            unlink("\(path)/\(name)")
            let folders = name.split(separator: "/").dropLast()
            for depth in folders.indices { mkdir("\(path)/\(folders[...depth].joined(separator: "/"))", 0o700) }
            try write(name, bytes)
        }
    }

    func open(_ mode: Library.Mode = .write(waitSeconds: 0), calls: SystemCalls = SystemCalls()) async throws -> Library {
        let cache = Self.hasCatalogue ? String(path.dropLast("/library".count)) + "/cache" : nil
        return try await Library.open(disk(calls), mode, cache: cache, minCatalogued: 0)
    }
}

/// Counts the bytes that are read through its system calls.
final class ReadCount: Sendable {
    private let count = Atomic(0)

    var bytes: Int { count.load(ordering: .relaxed) }

    var calls: SystemCalls {
        var calls = SystemCalls()
        let real = calls.read
        calls.read = { descriptor, room in
            let got = real(descriptor, room)
            self.count.add(max(got, 0), ordering: .relaxed)
            return got
        }
        return calls
    }
}

let someTime = Timestamp(seconds: 1_700_000_000)

func samplePodcast(_ number: Int = 1) -> Podcast {
    let url = "https://radio.example/feed\(number).xml"
    var podcast = Podcast(id: PodcastID(feedURL: url), feedURL: url, subscribedAt: someTime)
    podcast.title = "Radio \(number)"
    return podcast
}

func sampleEpisode(_ podcast: Podcast, _ number: Int) -> Episode {
    var item = Item()
    item.guid = "guid-\(number)"
    item.title = "Episode \(number)"
    item.description = "<p>What \"happened\" on day \(number)</p>\nand after"
    item.publishedAt = someTime + Int64(number * 86_400)
    var enclosure = Enclosure()
    enclosure.url = "https://radio.example/\(number).mp3"
    enclosure.length = 1_000 + number
    item.enclosures = [enclosure]
    return Episode(
        id: EpisodeID(podcast: podcast.id, identity: "guid:guid-\(number)"), item: FeedItem(item),
        firstSeenAt: someTime, changedAt: someTime)
}

func sampleChannel(_ podcast: Podcast) -> Channel {
    var channel = Channel()
    channel.title = podcast.title
    channel.categories = [["Arts", "Books"], ["News"]]
    return channel
}

let sampleSpeech = [
    TranscriptSegment(start: 0, text: "Hello.", speaker: "Ada"), TranscriptSegment(start: 1.5, text: "Bye\n“then”."),
]

/// Shorthands for tests. Records are read without their revisions, which the library sets.
extension Library {
    func allPodcasts() async throws -> [Podcast] {
        var all: [Podcast] = []
        try await podcasts.forEach {
            all.append($0.unstamped)
            return true
        }
        return all
    }

    func podcast(_ id: PodcastID) async throws -> Podcast? { try await podcasts.podcast(id) }
    func unsubscribed() async throws -> [Podcast] { try await episodes.unsubscribed(withIDPrefix: "", limit: .max) }

    /// Adds or replaces records.
    func save(_ podcasts: [Podcast]) async throws {
        try await records.write { records in
            let table = try records.table()
            _ = try records.update(podcasts.map { $0.stamped(by: table[$0.id]) }.filter { $0.revision > 0 })
        }
        _ = try await self.podcasts.add(podcasts.map { NewSubscription($0) })
    }

    /// Writes episodes without their record, as a killed writer does.
    func apply(_ changes: [PodcastChanges]) async throws {
        try await episodes.write { try $0.store(changes) }
    }

    func save(_ times: RefreshTimes) async throws {
        let run = try await work.begin(WorkRequest(), now: someTime)
        try await work.release(run.lease, times: times)
    }

    /// Stores what a run stores after it fetched the transcripts of `numbers` and failed for `failing`.
    func addTranscripts(_ numbers: [Int], of podcast: PodcastID, failing: [Int] = []) async throws {
        if try await podcasts.podcast(podcast) == nil { try await save([samplePodcast()]) }
        var settlement = TranscriptSettlement(try await podcasts.podcasts([podcast])[0])
        for number in numbers + failing {
            let id = sampleEpisode(settlement.podcast, number).id
            var entry = TranscriptEntry(episodeID: id, offer: UInt64(number), episodeChangedAt: someTime, askedAt: someTime)
            if numbers.contains(number) {
                var source = TranscriptSource()
                source.url = "https://radio.example/\(number).vtt"
                source.language = "en"
                source.validators = Validators(url: source.url, etag: "\"\(number)\"")
                source.bodyHash = 7
                source.at = someTime
                source.segments = sampleSpeech.count
                entry.stored = source
                settlement.segments[id] = sampleSpeech
            } else {
                entry.failure = FetchFailureState(since: someTime, count: 1, code: .http, status: 404)
                entry.retryAt = someTime + 3_600
            }
            settlement.entries.append(entry)
        }
        guard var stored = try await transcripts.settle([settlement]).first?.stored else { return }
        stored.transcripts.seen = stored.episodesRevision
        _ = try await podcasts.update([stored])
    }

    /// Stores new episodes as a refresh does: the episodes, then the record with its validators.
    @discardableResult
    func add(
        _ episodes: [Episode], to podcast: Podcast, replacing replaced: [Episode] = [], areNew: Bool = false
    ) async throws -> Podcast {
        let before = try await self.episodes.stored(of: podcast.id)
        var podcast = podcast.stamped(by: try await podcasts.podcast(podcast.id))
        podcast.episodesRevision = before.revision + 1
        podcast.episodeCount = before.episodes.count + episodes.count
        podcast.latestEpisodeAt = (episodes.compactMap(\.orderedAt) + [podcast.latestEpisodeAt].compactMap { $0 }).max()
        podcast.lastAddedAt = someTime
        podcast.fetch.validators = Validators(url: podcast.feedURL, etag: "\"\(podcast.episodesRevision)\"")
        var changes = PodcastChanges(
            podcastID: podcast.id, revision: podcast.episodesRevision, channel: sampleChannel(podcast), added: episodes,
            replaced: replaced)
        if areNew { changes.new = episodes.map(\.id) }
        if podcast.revision > 0 {
            let settlement = Settlement(podcast, changes: changes)
            _ = try await writer.write { try podcasts.podcastWriter.settle([settlement]) }
        } else {
            _ = try await podcasts.add([NewSubscription(podcast, changes: changes)])
        }
        return podcast.unstamped
    }
}

extension Podcast {
    var unstamped: Podcast {
        var podcast = self
        (podcast.revision, podcast.contentRevision) = (0, 0)
        return podcast
    }

    func stamped(by stored: Podcast?) -> Podcast {
        var podcast = self
        (podcast.revision, podcast.contentRevision) = (stored?.revision ?? 0, stored?.contentRevision ?? 0)
        return podcast
    }
}
