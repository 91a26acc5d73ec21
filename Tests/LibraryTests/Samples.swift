import Domain
import Glibc

@testable import Library

/// A folder of its own for each test, removed with it.
final class TemporaryFolder: Sendable {
    let path: String
    static let folders =
        ["", "new", "podcasts", "kept", "backup", "backup/podcasts", "damaged", "transcripts"]
        + (1...3).map { "transcripts/\(samplePodcast($0).id)" }

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
        rmdir(String(path.dropLast("/library".count)))
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
        try disk().create(name, sync: false) { write in try bytes.withUnsafeBytes(write) }
    }

    func text(_ name: String) throws -> String { String(decoding: try bytes(name) ?? [], as: UTF8.self) }

    /// Every file and its bytes.
    func snapshot() throws -> [String: [UInt8]] {
        var snapshot: [String: [UInt8]] = [:]
        for name in files() where name != "lock" { snapshot[name] = try bytes(name) }
        return snapshot
    }

    /// Puts something that is no file where one was.
    func place(_ kind: String, at name: String) {
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

    /// Makes the folder what it was.
    func restore(_ snapshot: [String: [UInt8]]) throws {
        for name in files() where snapshot[name] == nil && name != "lock" { unlink("\(path)/\(name)") }
        for (name, bytes) in snapshot {
            unlink("\(path)/\(name)")
            try write(name, bytes)
        }
    }

    func open(_ mode: Library.Mode = .write(waitSeconds: 0), calls: SystemCalls = SystemCalls()) async throws -> Library {
        try await Library.open(disk(calls), mode)
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

extension Library {
    /// What a run does that fetched these episodes' transcripts, and failed for `failing`.
    func addTranscripts(_ numbers: [Int], of podcast: PodcastID, failing: [Int] = []) async throws {
        var podcast = try await podcasts.podcast(podcast) ?? samplePodcast()
        podcast.transcripts.revision = max(podcast.transcripts.revision, try await transcripts.known(of: podcast.id).revision) + 1
        try await podcasts.save([podcast])
        var changes = TranscriptChanges(podcastID: podcast.id, revision: podcast.transcripts.revision)
        for number in numbers + failing {
            let id = sampleEpisode(podcast, number).id
            var entry = TranscriptEntry(episodeID: id, offer: UInt64(number), episodeChangedAt: someTime, askedAt: someTime)
            if numbers.contains(number) {
                var kept = KeptTranscript()
                kept.url = "https://radio.example/\(number).vtt"
                kept.language = "en"
                kept.validators = Validators(url: kept.url, etag: "\"\(number)\"")
                kept.bodyHash = 7
                kept.at = someTime
                kept.segments = sampleSpeech.count
                kept.revision = changes.revision
                entry.kept = kept
                changes.segments[id] = sampleSpeech
            } else {
                entry.failure = FetchFailureState(since: someTime, count: 1, code: .http, status: 404)
                entry.retryAt = someTime + 3_600
            }
            changes.entries.append(entry)
        }
        try await transcripts.apply([changes])
        podcast.transcripts.written = changes.revision
        podcast.transcripts.seen = podcast.revision
        try await podcasts.save([podcast])
    }

    /// What a refresh does that found new episodes: the episodes, then the record with its validators.
    @discardableResult
    func add(_ episodes: [Episode], to podcast: Podcast, replacing replaced: [Episode] = []) async throws -> Podcast {
        let kept = try await self.episodes.kept(of: podcast.id)
        var podcast = podcast
        podcast.revision = kept.revision + 1
        podcast.episodeCount = kept.episodes.count + episodes.count
        podcast.latestEpisodeAt = (episodes.compactMap(\.item.publishedAt) + [podcast.latestEpisodeAt].compactMap { $0 }).max()
        podcast.lastAddedAt = someTime
        podcast.fetch.validators = Validators(url: podcast.feedURL, etag: "\"\(podcast.revision)\"")
        try await self.episodes.apply([
            PodcastChanges(
                podcastID: podcast.id, revision: podcast.revision, channel: sampleChannel(podcast), added: episodes,
                replaced: replaced)
        ])
        try await podcasts.save([podcast])
        return podcast
    }
}
