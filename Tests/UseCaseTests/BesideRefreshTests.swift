import Domain
import Glibc
import Index
import Library
import LoopbackServer
import Results
import Searching
import Synchronization
import Testing

/// A refresh respects what others change while it waits for servers.
@Suite struct BesideRefreshTests {
    /// A reply that waits until the test lets it go.
    private final class Gate: Sendable {
        private let isOpen = Mutex(false)

        func open() { isOpen.withLock { $0 = true } }
        func wait() { while !isOpen.withLock({ $0 }) { usleep(1_000) } }
    }

    /// A household with a podcast at `/a` whose next answer has one more episode and waits at the gate.
    private func household() async throws -> (Household, Gate) {
        let (house, gate) = (try Household(), Gate())
        house.serve("/a", ["1": "One"])
        _ = try await house.subscribe("/a")
        let text = Household.feed(title: "Feed", [("2", "Two"), ("1", "One")])
        house.server.on("/a") { _ in
            gate.wait()
            return .feed(text)
        }
        house.server.forgetRequests()
        return (house, gate)
    }

    private func refresh(
        _ house: Household, naming podcasts: Set<PodcastID>? = nil,
        besides change: (Repositories, Podcast) async throws -> Void, _ gate: Gate
    ) async throws -> (outcomes: [RefreshOutcome], summary: RefreshSummary) {
        let run = Task { try await house.refresh { ($0.mode, $0.perHost, $0.podcasts) = (.all, 1, podcasts) } }
        while house.server.requests.isEmpty { await Task.yield() }
        do {
            let library = try await house.library()
            try await change(library, try #require(try await library.podcasts.all().last))
        } catch {
            gate.open()
            throw error
        }
        gate.open()
        return try await run.value
    }

    @Test func `a podcast that is unsubscribed meanwhile does not come back`() async throws {
        let (house, gate) = try await household()
        let result = try await refresh(house, besides: { try await $0.podcasts.remove([$1.id], keepingEpisodes: false) }, gate)
        #expect(result.summary.added == 0)
        #expect(try await house.podcasts().isEmpty)
        #expect(house.episodeFiles().isEmpty)
    }

    @Test func `an edit is kept and the answer too`() async throws {
        let (house, gate) = try await household()
        let result = try await refresh(
            house,
            besides: { library, podcast in
                var edited = podcast
                edited.settings.title = "Mine"
                let stored = try await library.podcasts.update([edited]).first?.stored
                #expect(stored != nil)
            }, gate)
        #expect(result.summary.added == 1)
        let podcast = try #require(try await house.podcasts().first)
        #expect(podcast.settings.title == "Mine")
        #expect(podcast.episodeCount == 2)
        #expect(podcast.fetch.answers.count == 2)
        #expect(try await house.index.search(SearchRequest(text: "podcast:mine two")).hits.count == 1)
    }

    @Test func `an answer of an old address is dropped`() async throws {
        let (house, gate) = try await household()
        house.serve("/b", ["1": "One"])
        let result = try await refresh(
            house,
            besides: { library, podcast in
                var edited = podcast
                edited.feedURL = house.server.url + "/b"
                let stored = try await library.podcasts.update([edited]).first?.stored
                #expect(stored != nil)
            }, gate)
        #expect(result.outcomes.map(\.kind) == [.skipped])
        #expect(try await house.podcasts().map(\.feedURL) == [house.server.url + "/b"])
        #expect(try await house.episodes().count == 1)
    }

    @Test(arguments: [false, true]) func `a podcast that is paused before its turn is not asked for`(isNamed: Bool) async throws {
        let (house, gate) = try await household()
        for path in ["/b", "/c"] {
            house.serve(path, ["1": "One"])
            _ = try await house.subscribe(path, fetching: false)
        }
        for path in ["/b", "/c"] {
            let text = Household.feed(title: path, [("1", "One")])
            house.server.on(path) { _ in
                gate.wait()
                return .feed(text)
            }
        }
        let asked = Mutex("")
        let named = isNamed ? Set(try await house.podcasts().map(\.id)) : nil
        let result = try await refresh(
            house, naming: named,
            besides: { library, _ in
                // Longer than a claimed record is trusted.
                try await Task.sleep(for: .milliseconds(150))
                let path = try #require(house.server.requests.first?.path)
                asked.withLock { $0 = path }
                for podcast in try await library.podcasts.all() where !podcast.feedURL.hasSuffix(path) {
                    var edited = podcast
                    edited.settings.isPaused = true
                    let stored = try await library.podcasts.update([edited]).first?.stored
                    #expect(stored != nil)
                }
            }, gate)
        #expect(house.server.requests.map(\.path) == [asked.withLock { $0 }])
        #expect(result.summary.fetched == 1)
        #expect(result.summary.count(of: .skipped) == 2)
    }

    @Test func `a second refresh is refused`() async throws {
        let (house, gate) = try await household()
        _ = try await refresh(
            house,
            besides: { _, _ in
                let error = await #expect(throws: LibraryFailure.self) { try await house.refresh(waitSeconds: 0) }
                guard case .locked = error else { throw TestFailure("\(String(describing: error))") }
            }, gate)
    }
}
