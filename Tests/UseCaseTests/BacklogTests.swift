import Domain
import Fetching
import Index
import Library
import LoopbackServer
import Parsing
import Results
import Searching
import Synchronization
import Testing
import UseCases

/// However quick the servers are, a run holds few feeds between the network and the index.
@Suite struct BacklogTests {
    /// Counts the bodies that were begun, and the feeds that left the run.
    private final class Backlog: Sendable {
        private let state = Mutex((now: 0, most: 0))

        var most: Int { state.withLock { $0.most } }

        func begin() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        func end(_ count: Int) { state.withLock { $0.now -= count } }
    }

    private struct CountingIndex: BorrowingIndex {
        let real: SegmentIndex
        let backlog: Backlog

        func add(_ changes: [IndexChange]) async throws {
            try await real.add(changes)
            backlog.end(changes.count)
        }
        func save(revision: Int?) async throws { try await real.save(revision: revision) }
    }

    @Test func `stays within the budget of bytes`() async throws {
        let house = try Household()
        let count = 60
        let notes = String(repeating: "tea and cake ", count: 40_000)
        for number in 0..<count {
            house.serve("/\(number)", title: "Feed \(number)", ["1": "One"], channel: "<description>\(notes)</description>")
        }
        _ = try await house.subscribe(urls: (0..<count).map { "\(house.server.url)/\($0)" }, fetching: false)
        let backlog = Backlog()
        let library = try await house.library()
        let refresh = RefreshEpisodes(
            library, fetcher: CurlFetcher(userAgent: "jimmy-test"),
            makeParser: {
                backlog.begin()
                return FeedParser($0)
            }, index: CountingIndex(real: house.index, backlog: backlog), clock: { house.now })
        var options = RefreshOptions()
        options.mode = .all
        options.perHost = options.concurrency
        let summary = try await refresh.run(options, Politeness(slotsPerHost: options.perHost) { house.now }) { _ in }
        #expect(summary.added == count)
        // Room for ten feeds of half a megabyte. Those asked first may all answer before the first of them is read; no more
        // are asked then. Replies that were not counted at once would let all 60 pass.
        #expect(backlog.most <= options.concurrency)
    }
}
