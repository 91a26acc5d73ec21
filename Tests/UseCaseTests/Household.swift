import Domain
import Fetching
import FileSystem
import Glibc
import Index
import Library
import LoopbackServer
import Parsing
import Results
import Searching
import Synchronization
import UseCases

/// A library in a temporary folder with all its real adapters, and a server on loopback whose feeds a test writes.
final class Household: Sendable {
    let server: LoopbackServer
    let folder: String
    private let state = Mutex(State())

    private struct State {
        /// The clock of the use cases; stands still until a test moves it.
        var now = Timestamp(seconds: 1_800_000_000)
    }

    init() throws {
        server = try LoopbackServer()
        var template = Array("/tmp/jimmy-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("mkdtemp: \(errno)") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        index = try SegmentIndex(folder: folder + "/index")
    }

    deinit {
        server.stop()
        removeTree(folder)
    }

    var now: Timestamp { state.withLock { $0.now } }
    func pass(hours: Int64) { state.withLock { $0.now = $0.now + hours * 3_600 } }

    func library(_ mode: Library.Mode = .write(waitSeconds: 5)) async throws -> Repositories {
        try await Library.open(folder + "/library", mode).repositories
    }

    /// One for the whole test, as a process has one.
    let index: SegmentIndex

    /// Opens the library, refreshes, and lets go of it, as one run of the command does.
    @discardableResult
    func refresh(
        _ change: (inout RefreshOptions) -> Void = { $0.mode = .all }, index: (any SearchIndex)? = nil,
        waitSeconds: Double = 5
    ) async throws -> (outcomes: [RefreshOutcome], summary: RefreshSummary) {
        var options = RefreshOptions()
        options.limits.timeout = 10
        options.reportsSkipped = true
        change(&options)
        let library = try await library(.write(waitSeconds: waitSeconds))
        let useCase = RefreshEpisodes(
            library, fetcher: CurlFetcher(userAgent: "jimmy-test"), makeParser: { FeedParser($0) },
            index: index ?? self.index, clock: { self.now })
        let seen = Seen()
        let politeness = Politeness(slotsPerHost: options.perHost) { self.now }
        let summary = try await useCase.run(options, politeness) { if case .finished(let outcome) = $0 { seen.add(outcome) } }
        return (seen.outcomes, summary)
    }

    func subscribe(_ paths: String..., fetching: Bool = true) async throws -> [SubscribeOutcome] {
        try await subscribe(urls: paths.map { server.url + $0 }, fetching: fetching)
    }

    func subscribe(urls: [String], fetching: Bool = true) async throws -> [SubscribeOutcome] {
        let library = try await library()
        let fetcher = CurlFetcher(userAgent: "jimmy-test")
        let useCase = SubscribeToPodcast(
            library, fetcher: fetcher, makeParser: { FeedParser($0) }, findFeedLinks: { FeedLinks.find($0, $1) },
            directories: [NoDirectory()], index: index, clock: { self.now })
        var outcomes: [SubscribeOutcome] = []
        let politeness = Politeness(slotsPerHost: 2) { self.now }
        try await useCase.run(urls, politeness, fetching: fetching) { outcomes.append($0) }
        return outcomes
    }

    func podcasts() async throws -> [Podcast] { try await library(.read).podcasts.all() }

    func episodes() async throws -> [Episode] {
        let library = try await library(.read)
        var all: [Episode] = []
        for podcast in try await library.podcasts.all() { all += try await library.episodes.episodes(of: podcast.id) }
        return all
    }

    /// A number for each file of the library's episodes that changes when the file is written anew.
    func episodeFiles() -> [String: UInt64] {
        var files: [String: UInt64] = [:]
        for name in folderNames(folder + "/library/podcasts") ?? [] {
            var facts = stat()
            if stat("\(folder)/library/podcasts/\(name)", &facts) == 0, facts.st_mode & S_IFMT == S_IFREG {
                files[name] = UInt64(facts.st_ino)
            }
        }
        return files
    }

    /// Serves a feed whose items are `guid: title`, with an ETag of its text unless told otherwise.
    func serve(
        _ path: String, title: String = "Feed", _ items: KeyValuePairs<String, String>, channel: String = "", etag: Bool = true
    ) {
        let text = Self.feed(title: title, items.map { ($0.key, $0.value) }, channel: channel)
        let tag = "\"\(XXH64.hash(text.utf8))\""
        server.on(path) { Reply.feed(text).conditional(on: $0, etag: etag ? tag : nil) }
    }

    static func feed(title: String, _ items: [(guid: String, title: String)], channel: String = "") -> String {
        let body = items.map { "<item><guid>\($0.guid)</guid><title>\($0.title)</title></item>" }.joined()
        return "<rss version=\"2.0\"><channel><title>\(title)</title>\(channel)\(body)</channel></rss>"
    }

    private func removeTree(_ path: String) {
        for name in folderNames(path) ?? [] where unlink("\(path)/\(name)") != 0 { removeTree("\(path)/\(name)") }
        rmdir(path)
    }
}

private final class Seen: Sendable {
    private let list = Mutex<[RefreshOutcome]>([])
    func add(_ outcome: RefreshOutcome) { list.withLock { $0.append(outcome) } }
    var outcomes: [RefreshOutcome] { list.withLock { $0 } }
}

/// No page of these tests belongs to a directory.
struct NoDirectory: PodcastDirectory {
    var name: DirectoryName { .apple }
    func search(_ term: String, country: String?, limit: Int) async throws -> [DirectoryEntry] { [] }
    func lookUp(page url: String) async throws -> DirectoryEntry? { nil }
}

/// An index that cannot be written, as after a crash between the library and the index.
struct BrokenIndex: SearchIndex {
    func add(_ changes: [IndexChange]) async throws { throw TestFailure("no index") }
    func save(revision: Int?) async throws {}
    func reset() async throws {}
    func language(of podcast: PodcastID) async throws -> String? { nil }
    func revision() async throws -> Int? { throw TestFailure("no index") }
    func contentRevisions(of podcasts: [PodcastID]) async throws -> [PodcastID: Int] { throw TestFailure("no index") }
    func podcasts() async throws -> Set<PodcastID> { throw TestFailure("no index") }
    func search(_ request: SearchRequest) async throws -> SearchResults { SearchResults(hits: []) }
    func episodes(matching request: SearchRequest) async throws -> [EpisodeID] { [] }
    func count(matching request: SearchRequest) async throws -> Int { 0 }
    func similar(to episode: Episode, of podcast: Podcast, limit: Int) async throws -> [SimilarHit] { [] }
    func publications(from first: Timestamp, to last: Timestamp) async throws -> [PodcastID: [Publication]] { [:] }
    func snippets(for request: SearchRequest) -> any SnippetMaking { SnippetMaker(request) }
}

struct TestFailure: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

extension PodcastRepository {
    func all() async throws -> [Podcast] {
        var all: [Podcast] = []
        try await forEach {
            all.append($0)
            return true
        }
        return all
    }
}
