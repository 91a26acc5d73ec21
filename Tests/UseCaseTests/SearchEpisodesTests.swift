import Domain
import Glibc
import Index
import Library
import LoopbackServer
import Results
import Searching
import Synchronization
import Testing
import UseCases

/// A search brings the index in line first, so nothing the library holds is missing from it.
@Suite struct SearchEpisodesTests {
    private func search(
        _ text: String, in household: Household, index: (any SearchIndex)? = nil
    ) async throws -> SearchOutcome {
        let library = try await household.library(.read)
        let search = SearchEpisodes(library, index: index ?? household.index)
        return try await search.run(SearchRequest(text: text), now: household.now)
    }

    private func titles(_ outcome: SearchOutcome) -> [String?] { outcome.episodes.map(\.episode.item.title) }

    @Test func `a row has the episode its podcast and what matched`() async throws {
        let household = try Household()
        household.serve("/feed", title: "Kitchen", ["1": "Green tea", "2": "Coffee"])
        _ = try await household.subscribe("/feed")
        let row = try #require(try await search("teas", in: household).episodes.first)
        #expect(row.episode.item.title == "Green tea")
        #expect(row.podcast.title == "Kitchen")
        #expect(row.field == "title")
        #expect(row.snippet.text == "Green tea")
        #expect(row.snippet.matches == [6..<9])
    }

    @Test func `what a refresh could not index is found`() async throws {
        let household = try Household()
        household.serve("/feed", ["1": "Green tea"])
        _ = try await household.subscribe("/feed")
        household.serve("/feed", ["1": "Green tea", "2": "Black tea"])
        household.pass(hours: 48)
        try await household.refresh(index: BrokenIndex())
        #expect(try await Set(titles(search("tea", in: household))) == ["Green tea", "Black tea"])
    }

    /// As after a refresh that was killed: what would take long to index is left to the next refresh, and said.
    @Test func `much that is not indexed is left to the next refresh`() async throws {
        let household = try Household()
        household.serve("/feed", ["1": "Green tea"])
        _ = try await household.subscribe("/feed")
        // The index exists, and follows the library.
        _ = try await search("tea", in: household)
        let many = (1...1_100).map { ("\($0)", $0 == 1 ? "Green tea" : "Black tea \($0)") }
        household.server.on("/feed", .feed(Household.feed(title: "Feed", many, channel: "")))
        household.pass(hours: 48)
        try await household.refresh(index: BrokenIndex())
        let outcome = try await search("tea", in: household)
        #expect(outcome.postponed == 1)
        #expect(titles(outcome) == ["Green tea"])
        let library = try await household.library(.read)
        try await ReconcileIndex(library, index: household.index)()
        let complete = try await search("tea", in: household)
        #expect(complete.postponed == 0)
        #expect(complete.total == MatchCount(1_100))
    }

    /// An index that the first refresh had hardly begun is not rebuilt by a search, as a lost one is.
    @Test func `the first refresh is not finished by searches`() async throws {
        let household = try Household()
        _ = try await household.subscribe("/small", "/large", fetching: false)
        household.serve("/small", ["1": "Green tea"])
        let many = (1...1_100).map { ("\($0)", "Black tea \($0)") }
        household.server.on("/large", .feed(Household.feed(title: "Large", many, channel: "")))
        try await household.refresh(index: KilledIndex(household.index))
        let outcome = try await search("tea", in: household)
        #expect(outcome.postponed == 1)
        #expect(titles(outcome) == ["Green tea"])
        try await household.refresh()
        #expect(try await search("tea", in: household).total == MatchCount(1_101))
    }

    @Test(arguments: [nil, "", "garbage that is no manifest, longer than one has to be. ".padded(to: 9_000)])
    func `a lost index is made again`(content: String?) async throws {
        let household = try Household()
        household.serve("/feed", ["1": "Green tea"])
        _ = try await household.subscribe("/feed")
        let path = household.folder + "/index/manifest"
        unlink(path)
        if let content {
            let file = open(path, O_WRONLY | O_CREAT, 0o600)
            let bytes = Array(content.utf8)
            #expect(write(file, bytes, bytes.count) == bytes.count)
            close(file)
        }
        #expect(try await titles(search("tea", in: household)) == ["Green tea"])
    }

    @Test func `where the index cannot be written what it has is searched`() async throws {
        let household = try Household()
        household.serve("/feed", ["1": "Green tea"])
        _ = try await household.subscribe("/feed")
        let outcome = try await search("tea", in: household, index: UnwritableIndex(household.index))
        #expect(titles(outcome) == ["Green tea"])
        #expect(outcome.indexFailure == .full)
    }

    @Test func `conditions know the queue and the last refresh`() async throws {
        let household = try Household()
        household.serve("/feed", ["1": "Green tea"])
        _ = try await household.subscribe("/feed")
        household.serve("/feed", ["1": "Green tea", "2": "Black tea"])
        household.pass(hours: 48)
        try await household.refresh()
        #expect(try await titles(search("is:new", in: household)) == ["Black tea"])
        let library = try await household.library()
        let id = try #require(try await search("green", in: household).episodes.first?.episode.id)
        _ = try await library.queue.update { [now = household.now] in
            $0.append(QueueEntry(episodeID: id, addedAt: now))
        }
        #expect(try await titles(search("in:queue", in: household)) == ["Green tea"])
    }
}

/// An index on a full disk.
private struct UnwritableIndex: BorrowingIndex {
    let real: SegmentIndex
    init(_ real: SegmentIndex) { self.real = real }

    func add(_ changes: [IndexChange]) async throws { throw IndexFailure.full }
    func save(revision: Int?) async throws {}
    func revision() async throws -> Int? { nil }
    func contentRevisions(of podcasts: [PodcastID]) async throws -> [PodcastID: Int] { [:] }
    func podcasts() async throws -> Set<PodcastID> { [] }
}

/// Killed when something is first added.
private final class KilledIndex: BorrowingIndex {
    let real: SegmentIndex
    private let isKilled = Mutex(false)

    init(_ real: SegmentIndex) { self.real = real }

    func add(_ changes: [IndexChange]) async throws { isKilled.withLock { $0 = true } }
    func save(revision: Int?) async throws {
        if !isKilled.withLock({ $0 }) { try await real.save(revision: revision) }
    }
}

/// Answers from a real index.
protocol BorrowingIndex: SearchIndex {
    var real: SegmentIndex { get }
}

extension BorrowingIndex {
    func revision() async throws -> Int? { try await real.revision() }
    func contentRevisions(of podcasts: [PodcastID]) async throws -> [PodcastID: Int] {
        try await real.contentRevisions(of: podcasts)
    }
    func podcasts() async throws -> Set<PodcastID> { try await real.podcasts() }
    func reset() async throws { try await real.reset() }
    func language(of podcast: PodcastID) async throws -> String? { try await real.language(of: podcast) }
    func episodes(matching request: SearchRequest) async throws -> [EpisodeID] { try await real.episodes(matching: request) }
    func count(matching request: SearchRequest) async throws -> Int { try await real.count(matching: request) }
    func search(_ request: SearchRequest) async throws -> SearchResults { try await real.search(request) }
    func similar(to episode: Episode, of podcast: Podcast, limit: Int) async throws -> [SimilarHit] { [] }
    func publications(from first: Timestamp, to last: Timestamp) async throws -> [PodcastID: [Publication]] {
        try await real.publications(from: first, to: last)
    }
    func snippets(for request: SearchRequest) -> any SnippetMaking { real.snippets(for: request) }
}

extension String {
    fileprivate func padded(to count: Int) -> String { String(repeating: self, count: count / self.count + 1) }
}
