import Database
import Domain
import Glibc

/// What claims cost in a library in a database, as a worker makes them. Run by `scripts/bench claims`.
///
///     database-benchmark begin ADDRESS
///     database-benchmark claim ADDRESS FEEDS
///     database-benchmark settle ADDRESS FEEDS
///
/// `begin` creates a library with one podcast. `claim` claims feeds, a thousand at a time, and gives them back. `settle`
/// also settles them, as if their servers had answered 304; its lines are tenths of the way.
@main struct Benchmark {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count > 2, let count = words.count > 3 ? Int(words[3]) : 0 else {
            print("usage: database-benchmark begin|claim|settle ADDRESS [FEEDS]")
            exit(64)
        }
        var options = Database.Options()
        options.lease = 3_600
        let library = try await Database.open(DatabaseAddress(words[2]), words[1] == "begin" ? .create : .write, options)
        switch words[1] {
        case "begin": try await begin(library)
        case "claim": try await claim(library, count, parts: 1, settling: false)
        default: try await claim(library, count, parts: 10, settling: true)
        }
    }

    private static func begin(_ library: Database) async throws {
        let url = "http://127.0.0.1:1/feed.xml"
        var podcast = Podcast(id: PodcastID(feedURL: url), feedURL: url, subscribedAt: library.now)
        podcast.title = "Night Radio"
        podcast.fetch.validators = Validators(url: url, etag: "\"0123456789abcdef\"")
        podcast.fetch.lastAttemptAt = library.now + -3_600
        _ = try await library.repositories.podcasts.add([NewSubscription(podcast)])
    }

    private static let batch = 1_000

    private static func claim(_ library: Database, _ count: Int, parts: Int, settling: Bool) async throws {
        let run = try await library.repositories.work.begin(WorkRequest(), now: library.now)
        // A run takes little at first, so that others find work.
        try await Task.sleep(for: .seconds(1))
        for _ in 0..<parts {
            var (claimed, time, longest) = (0, Duration.zero, Duration.zero)
            while claimed < count / parts {
                let start = ContinuousClock.now
                let podcasts = try await library.repositories.work.claim(run.lease, limit: batch, now: library.now)
                let own = ContinuousClock.now - start
                (time, longest) = (time + own, max(longest, own))
                claimed += podcasts.count
                guard !podcasts.isEmpty else { break }
                if settling {
                    _ = try await library.repositories.work.settle(podcasts.map { answered($0, library.now) }, run.lease)
                }
            }
            print("\(claimed)\t\(time / .milliseconds(1) / Double(max(claimed, 1)) * 1_000)\t\(longest / .milliseconds(1))")
            fflush(nil)
        }
        try await library.repositories.work.release(run.lease, times: nil)
    }

    private static func answered(_ podcast: Podcast, _ now: Timestamp) -> Settlement {
        var podcast = podcast
        podcast.fetch.lastAttemptAt = now
        podcast.fetch.nextDueAt = now + 3_600
        return Settlement(podcast)
    }
}
