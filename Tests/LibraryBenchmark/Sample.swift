import Domain
import Library

/// Podcasts and episodes of the usual size.
enum Sample {
    static let time = Timestamp(seconds: 1_700_000_000)
    private static let notes = """
        <p>In this episode we talk with our guests about the news of the week, “quoted” words, and what came of them.</p>
        <ul><li><a href="https://radio.example/links?a=1&amp;b=2">Links and notes</a></li></ul>

        """

    static func podcast(_ number: Int) -> Podcast {
        let url = "https://feeds.radio.example/shows/\(number)/feed.xml"
        var podcast = Podcast(id: PodcastID(feedURL: url), feedURL: url, subscribedAt: time)
        podcast.title = "The Radio Show Number \(number)"
        podcast.author = "Radio Example \(number)"
        podcast.episodesRevision = 1
        podcast.latestEpisodeAt = time
        podcast.fetch.bodyHash = UInt64(number) &* 0x9E37_79B9
        podcast.fetch.contentDigest = ContentDigest(value: UInt64(number) &* 0x1656_67B1)
        podcast.fetch.validators = Validators(url: url, etag: "\"5f3c-\(number)\"", lastModified: "Tue, 14 Nov 2023 22:13:20 GMT")
        podcast.fetch.cadence.recent = (0..<10).map { time - Int64($0 * 604_800) }
        for run in 1...5 { podcast.fetch = fetched(podcast.fetch, run) }
        return podcast
    }

    /// The state after one more answer.
    static func fetched(_ state: FetchState, _ run: Int) -> FetchState {
        var state = state
        let now = time + Int64(run * 3_600)
        state.lastAttemptAt = now
        state.lastSuccessAt = now
        state.nextDueAt = now + 3_000
        state.notModifiedInARow += 1
        let answer = FetchAnswer(at: now, status: 304, outcome: "notModified", milliseconds: 40 + run % 50)
        state.answers = Array(([answer] + state.answers).prefix(5))
        return state
    }

    static func episode(_ podcast: Podcast, _ number: Int) -> Episode {
        var item = Item()
        item.guid = "https://radio.example/\(podcast.id)/\(number)"
        item.title = "Episode \(number): what happened"
        item.description = String(repeating: notes, count: 4)
        item.link = "https://radio.example/shows/\(number)"
        item.publishedAt = time + Int64(number * 3_600)
        item.author = "Ann Example"
        item.duration = 3_600
        var enclosure = Enclosure()
        enclosure.url = "https://media.radio.example/\(podcast.id)/\(number).mp3"
        enclosure.type = "audio/mpeg"
        enclosure.length = 30_000_000 + number
        item.enclosures = [enclosure]
        return Episode(
            id: EpisodeID(podcast: podcast.id, identity: "guid:\(number)"), item: FeedItem(item), firstSeenAt: time,
            changedAt: time)
    }

    /// Makes a library.
    ///
    /// - Parameters:
    ///   - episodes: of each podcast.
    ///   - dueAt: when all podcasts are due; nil leaves them due now.
    static func fill(_ path: String, podcasts count: Int, episodes: Int = 50, dueAt: Timestamp? = nil) async throws {
        let library = try await Library.open(path, .write(waitSeconds: 5)).repositories
        for start in stride(from: 0, to: count, by: 200) {
            let batch = (start..<min(start + 200, count)).map { podcast($0) }
            _ = try await library.podcasts.add(
                batch.map { podcast in
                    var podcast = podcast
                    podcast.episodeCount = episodes
                    if let dueAt { podcast.fetch.nextDueAt = dueAt }
                    let added = (1...episodes).map { episode(podcast, $0) }
                    return NewSubscription(
                        podcast,
                        changes: PodcastChanges(
                            podcastID: podcast.id, revision: 1, channel: Channel(), added: added, replaced: []))
                })
        }
    }
}
