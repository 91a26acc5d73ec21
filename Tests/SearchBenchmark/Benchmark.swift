import Domain
import Glibc
import Index

/// The moving parts of `scripts/bench search`:
///
///     search-benchmark build EPISODES WORDS INDEX TEXT   indexes a generated library, and writes its text as CSV
///     search-benchmark refresh EPISODES WORDS INDEX      indexes a new episode in every tenth podcast of that library
///     search-benchmark search INDEX QUERY                one search in a process of its own; prints ids
///     search-benchmark queries                           prints kind, our query and FTS5's for each of the sixty
@main
struct Benchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.count) {
        case ("build", 5):
            guard let episodes = Int(arguments[2]), let words = Int(arguments[3]) else { exit(64) }
            try await build(episodes, words, index: arguments[4], text: arguments[5])
        case ("refresh", 4):
            guard let episodes = Int(arguments[2]), let words = Int(arguments[3]) else { exit(64) }
            try await refresh(episodes, words, index: arguments[4])
        case ("search", 3):
            var request = SearchRequest(text: arguments[3])
            request.now = GeneratedLibrary.newest
            for hit in try await SegmentIndex(folder: arguments[2]).search(request).hits { print(hit.episodeID) }
        case ("queries", 1):
            for query in GeneratedLibrary().queries { print(query.kind, query.ours, query.plain, separator: "\t") }
        default:
            exit(64)
        }
    }

    private static func build(_ episodes: Int, _ words: Int, index path: String, text: String) async throws {
        var library = GeneratedLibrary()
        let index = try SegmentIndex(folder: path)
        guard let file = fopen(text, "w") else { exit(74) }
        var bytes = 0
        var seconds = 0.0
        for start in stride(from: 0, to: episodes, by: 10_000) {
            var changes: [IndexChange] = []
            for first in stride(from: start, to: min(start + 10_000, episodes), by: 250) {
                let made = library.episodes(first..<min(first + 250, episodes), words: words)
                for episode in made {
                    let item = episode.item
                    bytes += (item.title ?? "").utf8.count + (item.description ?? "").utf8.count
                    fputs("\(item.title ?? ""),\(item.description ?? "")\n", file)
                }
                changes.append(.whole(library.podcast(first / 250), Channel(), made))
            }
            let before = clock()
            try await index.apply(changes)
            seconds += Double(clock() - before) / Double(CLOCKS_PER_SEC)
        }
        fclose(file)
        print("episodes \(episodes)", "bytes \(bytes)", "cpuSeconds \(seconds)", separator: "\n")
    }

    /// What a refresh pays for the index where a tenth of the podcasts have something new.
    private static func refresh(_ episodes: Int, _ words: Int, index path: String) async throws {
        var library = GeneratedLibrary()
        let index = try SegmentIndex(folder: path)
        var changes: [IndexChange] = []
        for first in stride(from: 0, to: episodes, by: 2_500) {
            var podcast = library.podcast(first / 250)
            podcast.contentRevision = 2
            let new = library.episodes(first..<first + 1, words: words).map {
                Episode(
                    id: EpisodeID(podcast: podcast.id, identity: "new"), item: FeedItem($0.item), firstSeenAt: $0.firstSeenAt,
                    changedAt: $0.changedAt)
            }
            changes.append(.episodes(of: podcast, after: 1, Channel(), new))
        }
        let before = clock()
        try await index.apply(changes)
        print(changes.count, Double(clock() - before) / Double(CLOCKS_PER_SEC) * 1000)
    }
}
