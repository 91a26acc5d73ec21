import Domain
import Glibc
import Index
import Searching
import Threads

/// The programs behind `scripts/bench search`:
///
///     search-benchmark feeds EPISODES WORDS FOLDER TEXT  writes a generated library as feeds, and its text as CSV
///     search-benchmark build EPISODES WORDS INDEX        indexes that library, without the rest of jimmy
///     search-benchmark time INDEX                        reads queries; prints the median microseconds of each
///     search-benchmark queries                           prints kind, our query and FTS5's for each of the sixty
///     search-benchmark words COUNT...                    prints how many of the first words of its text are different
@main
struct Benchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.count) {
        case ("feeds", 5):
            guard let episodes = Int(arguments[2]), let words = Int(arguments[3]) else { exit(64) }
            try writeFeeds(episodes, words, folder: arguments[4], text: arguments[5])
        case ("build", 4):
            guard let episodes = Int(arguments[2]), let words = Int(arguments[3]) else { exit(64) }
            try await build(episodes, words, index: arguments[4])
        case ("time", 2):
            // As the command does it: on this thread, without another's start or a switch to it.
            BlockingThread.whileCallerWaits(onPool: false) { [path = arguments[2]] thread in
                do { try await time(index: path, on: thread) } catch { exit(74) }
            }
        case ("queries", 1):
            for query in GeneratedLibrary().queries { print(query.kind, query.ours, query.plain, separator: "\t") }
        case ("words", 2...):
            var library = GeneratedLibrary()
            for count in library.vocabulary(of: arguments.dropFirst().compactMap { Int($0) }) { print(count) }
        default:
            exit(64)
        }
    }

    private static func writeFeeds(_ episodes: Int, _ words: Int, folder: String, text: String) throws {
        var library = GeneratedLibrary()
        guard let texts = fopen(text, "w") else { exit(74) }
        for first in stride(from: 0, to: episodes, by: GeneratedLibrary.episodesAPodcast) {
            let number = first / GeneratedLibrary.episodesAPodcast
            let made = library.episodes(first..<min(first + GeneratedLibrary.episodesAPodcast, episodes), words: words)
            guard let feed = fopen("\(folder)/\(number).xml", "w") else { exit(74) }
            fputs("<rss><channel><title>\(library.podcast(number).title ?? "")</title>\n", feed)
            for (place, episode) in made.enumerated() {
                let (title, description) = (episode.item.title ?? "", episode.item.description ?? "")
                fputs("\(title),\(description)\n", texts)
                fputs(
                    """
                    <item><guid>\(first + place)</guid><title>\(title)</title><pubDate>\(date(episode.item.publishedAt))</pubDate>\
                    <description>\(description)</description></item>

                    """, feed)
            }
            fputs("</channel></rss>\n", feed)
            fclose(feed)
        }
        fclose(texts)
    }

    private static func date(_ timestamp: Timestamp?) -> String {
        var (time, parts, text) = (time_t(timestamp?.seconds ?? 0), tm(), [CChar](repeating: 0, count: 64))
        gmtime_r(&time, &parts)
        let size = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix(size).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func time(index path: String, on thread: BlockingThread) async throws {
        let index = try SegmentIndex(folder: path, on: thread)
        let clock = ContinuousClock()
        while let query = readLine() {
            var request = SearchRequest(text: query)
            request.now = GeneratedLibrary.newest
            var times: [Duration] = []
            var hits = 0
            for _ in 0..<7 {
                let start = clock.now
                hits = try await index.search(request).hits.count
                times.append(clock.now - start)
            }
            print(times.sorted()[3] / .microseconds(1), hits, query, separator: "\t")
        }
    }

    private static func build(_ episodes: Int, _ words: Int, index path: String) async throws {
        var library = GeneratedLibrary()
        let index = try SegmentIndex(folder: path)
        let clock = ContinuousClock()
        var (bytes, wall, cpu) = (0, Duration.zero, 0.0)
        func timed(_ work: () async throws -> Void) async throws {
            let (start, before) = (clock.now, Glibc.clock())
            try await work()
            wall += clock.now - start
            cpu += Double(Glibc.clock() - before) / Double(CLOCKS_PER_SEC)
        }
        let size = GeneratedLibrary.episodesAPodcast
        for start in stride(from: 0, to: episodes, by: 64 * size) {
            var changes: [IndexChange] = []
            for first in stride(from: start, to: min(start + 64 * size, episodes), by: size) {
                let made = library.episodes(first..<min(first + size, episodes), words: words)
                for episode in made {
                    bytes += (episode.item.title ?? "").utf8.count + (episode.item.description ?? "").utf8.count
                }
                changes.append(.whole(library.podcast(first / size), Channel(), made))
            }
            try await timed { [changes] in try await index.add(changes) }
        }
        try await timed { try await index.save(revision: nil) }
        let seconds = wall / .seconds(1)
        print("\(rounded(seconds)) s, \(rounded(Double(bytes) / 1e6 / cpu)) MB a CPU second")
    }

    private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
