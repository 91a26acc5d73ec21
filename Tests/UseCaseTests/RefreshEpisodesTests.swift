import Domain
import Index
import LoopbackServer
import Results
import Searching
import Testing

/// The main job on real parts: server, fetcher, parser, library and index.
@Suite struct RefreshEpisodesTests {
    @Test func `a day in the life of a feed`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"])
        _ = try await house.subscribe("/a")

        let same = try await house.refresh()
        #expect(same.outcomes.map(\.kind) == [.notModified])
        #expect(same.outcomes.first?.status == 304)

        house.serve("/a", ["2": "Two", "1": "One, revised"])
        let next = try await house.refresh()
        #expect(next.outcomes.map(\.kind) == [.updated])
        #expect(next.outcomes.first?.added.map(\.item.title) == ["Two"])
        #expect(next.summary.changed == 1)

        house.serve("/a", ["2": "Two"])
        #expect(try await house.refresh().summary.withdrawn == 1)
        #expect(try await house.episodes().map(\.isWithdrawn) == [true, false])

        house.serve("/a", ["2": "Two", "1": "One, revised"])
        #expect(try await house.refresh().summary.changed == 1)
        #expect(try await house.episodes().map(\.isWithdrawn) == [false, false])
    }

    @Test func `only what changed is rewritten`() async throws {
        let house = try Household()
        for number in 0..<20 {
            house.serve("/\(number)", ["a\(number)": "A"])
            _ = try await house.subscribe("/\(number)")
        }
        let before = house.episodeFiles()
        #expect(before.count == 20)
        try await house.refresh()
        #expect(house.episodeFiles() == before)

        house.serve("/7", ["b7": "B", "a7": "A"])
        try await house.refresh()
        let after = house.episodeFiles()
        #expect(after.filter { before[$0.key] != $0.value }.count == 1)
    }

    /// 16 MB of feeds, one of them larger than what may wait in memory at once.
    @Test func `more than fits in memory at once is fetched and indexed`() async throws {
        let house = try Household()
        let filler = String(repeating: "word ", count: 200_000)
        for number in 0..<10 {
            let text = String(repeating: filler, count: number == 3 ? 7 : 1)
            house.serve("/\(number)", ["g": "Unique\(number)"], channel: "<description>\(text)</description>")
        }
        _ = try await house.subscribe(urls: (0..<10).map { "\(house.server.url)/\($0)" }, fetching: false)
        let result = try await house.refresh()
        #expect(result.summary.counts[.updated] == 10)
        #expect(
            try await house.index.contentRevisions(of: house.podcasts().map(\.id))
                == Dictionary(uniqueKeysWithValues: house.podcasts().map { ($0.id, $0.contentRevision) }))
        #expect(try await house.episodes().count == 10)
    }

    @Test func `a server without validators costs no parsing`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"], etag: false)
        _ = try await house.subscribe("/a")
        let result = try await house.refresh()
        #expect(result.outcomes.map(\.kind) == [.unchanged])
        #expect(result.outcomes.first?.status == 200)
    }

    @Test func `a new build date alone is unchanged`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"], channel: "<lastBuildDate>Mon, 01 Jun 2026 10:00:00 GMT</lastBuildDate>")
        _ = try await house.subscribe("/a")
        let before = house.episodeFiles()
        house.serve("/a", ["1": "One"], channel: "<lastBuildDate>Tue, 02 Jun 2026 10:00:00 GMT</lastBuildDate>")
        #expect(try await house.refresh().outcomes.map(\.kind) == [.unchanged])
        #expect(house.episodeFiles() == before)
    }

    @Test func `a permanent redirect moves the subscription`() async throws {
        let house = try Household()
        house.serve("/old", ["1": "One"])
        _ = try await house.subscribe("/old")
        house.serve("/new", ["2": "Two", "1": "One"])
        house.server.on("/old", .redirect(301, to: "/new"))
        let moved = try await house.refresh()
        #expect(moved.outcomes.map(\.kind) == [.moved])
        #expect(moved.outcomes.first?.movedFrom == house.server.url + "/old")
        #expect(moved.summary.added == 1)
        #expect(try await house.podcasts().map(\.feedURL) == [house.server.url + "/new"])
        house.server.forgetRequests()
        #expect(try await house.refresh().outcomes.map(\.kind) == [.notModified])
        #expect(house.server.requests.map(\.path) == ["/new"])
    }

    @Test func `a temporary redirect moves nothing`() async throws {
        let house = try Household()
        house.serve("/old", ["1": "One"])
        _ = try await house.subscribe("/old")
        house.serve("/new", ["1": "One"])
        house.server.on("/old", .redirect(302, to: "/new"))
        try await house.refresh()
        #expect(try await house.podcasts().map(\.feedURL) == [house.server.url + "/old"])
    }

    @Test func `a permanent redirect to somebody else's feed is refused`() async throws {
        let house = try Household()
        house.serve("/old", ["1": "One"])
        _ = try await house.subscribe("/old")
        house.serve("/parked", ["x": "Casino"])
        house.server.on("/old", .redirect(301, to: "/parked"))
        let result = try await house.refresh()
        #expect(result.outcomes.first?.failure?.code == .redirect)
        #expect(try await house.episodes().map(\.item.title) == ["One"])
        #expect(try await house.podcasts().map(\.feedURL) == [house.server.url + "/old"])
    }

    @Test func `new feed URL moves where it works and is ignored where it does not`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"])
        _ = try await house.subscribe("/a")
        let pointer =
            "<n:new-feed-url xmlns:n=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">\(house.server.url)/b</n:new-feed-url>"
        house.serve("/a", ["2": "Two", "1": "One"], channel: pointer)
        #expect(try await house.refresh().outcomes.map(\.kind) == [.updated])
        #expect(try await house.podcasts().map(\.feedURL) == [house.server.url + "/a"])

        house.serve("/b", ["3": "Three", "2": "Two", "1": "One"])
        house.serve("/a", ["2": "Two (moved)", "1": "One"], channel: pointer)
        #expect(try await house.refresh().outcomes.map(\.kind) == [.moved])
        #expect(try await house.podcasts().map(\.feedURL) == [house.server.url + "/b"])
    }

    @Test func `two podcasts at one URL are asked for once`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"])
        house.serve("/b", ["1": "One"])
        _ = try await house.subscribe("/a", "/b")
        house.server.on("/b", .redirect(308, to: "/a"))
        try await house.refresh()
        house.server.forgetRequests()
        house.serve("/a", ["2": "Two", "1": "One"])
        let result = try await house.refresh()
        #expect(result.outcomes.map(\.kind) == [.updated, .updated])
        #expect(house.server.requests.count == 1)
        #expect(try await house.episodes().count == 4)
    }

    @Test func `after a 410 nobody asks until the user says so`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"])
        _ = try await house.subscribe("/a")
        house.server.on("/a", Reply(410))
        #expect(try await house.refresh().outcomes.map(\.kind) == [.gone])
        house.pass(hours: 24 * 30)
        let skipped = try await house.refresh()
        #expect(skipped.outcomes.map(\.kind) == [.skipped])
        #expect(skipped.outcomes.first?.until == nil)
        house.serve("/a", ["2": "Two", "1": "One"])
        let id = try #require(try await house.podcasts().first?.id)
        let forced = try await house.refresh {
            $0.mode = .force
            $0.podcasts = [id]
        }
        #expect(forced.outcomes.map(\.kind) == [.updated])
    }

    @Test func `Retry-After counts for the whole host and outlives the run`() async throws {
        let house = try Household()
        for path in ["/a", "/b", "/c"] { house.serve(path, ["1\(path)": "One"]) }
        _ = try await house.subscribe("/a", "/b", "/c")
        for path in ["/a", "/b", "/c"] { house.server.on(path, Reply(429, headers: [("Retry-After", "7200")])) }
        house.server.forgetRequests()
        let first = try await house.refresh {
            $0.mode = .all
            $0.perHost = 1
        }
        #expect(house.server.requests.count == 1)
        #expect(first.summary.count(of: .failed) == 1)
        #expect(first.summary.count(of: .skipped) == 2)
        house.pass(hours: 1)
        #expect(try await house.refresh().summary.count(of: .skipped) == 3)
        #expect(house.server.requests.count == 1)
        house.pass(hours: 2)
        #expect(try await house.refresh().summary.count(of: .skipped) < 3)
    }

    @Test func `a document that was cut off withdraws nothing and vouches for nothing`() async throws {
        let house = try Household()
        house.serve("/a", ["2": "Two", "1": "One"])
        _ = try await house.subscribe("/a")
        let whole = Household.feed(title: "Feed", [("3", "Three"), ("2", "Two"), ("1", "One")])
        let cut = String(whole.prefix(whole.utf8.count - 60))
        house.server.on("/a") { Reply.feed(cut).conditional(on: $0, etag: "\"cut\"") }
        let result = try await house.refresh()
        #expect(result.summary.added == 1)
        #expect(result.summary.withdrawn == 0)
        house.server.forgetRequests()
        try await house.refresh()
        #expect(house.server.requests.first?["If-None-Match"] == nil)
    }

    @Test func `an item that was cut off is no episode`() async throws {
        let house = try Household()
        house.serve("/a", ["2": "Two", "1": "One"])
        _ = try await house.subscribe("/a")
        let whole = Household.feed(title: "Feed", [("2", "Two"), ("1", "One"), ("3", "Three")])
        let end = try #require(whole.firstRange(of: "Three")).upperBound
        house.server.on("/a", .feed(String(whole[..<end])))
        let result = try await house.refresh()
        #expect(result.summary.added == 0)
        #expect(result.summary.withdrawn == 0)
        house.server.on("/a", .feed(whole))
        #expect(try await house.refresh().summary.added == 1)
    }

    @Test func `a failure keeps the episodes and backs off`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"])
        _ = try await house.subscribe("/a")
        house.server.on("/a", Reply(500))
        let failed = try await house.refresh()
        #expect(failed.outcomes.first?.failure?.code == .http)
        #expect(failed.outcomes.first?.failure?.status == 500)
        #expect(try await house.episodes().count == 1)
        let podcast = try #require(try await house.podcasts().first)
        #expect(podcast.fetch.failure?.count == 1)
        #expect(try await house.refresh { $0.mode = .due }.outcomes.map(\.kind) == [.skipped])
        house.serve("/a", ["1": "One"])
        try await house.refresh()
        #expect(try await house.podcasts().first?.fetch.failure == nil)
    }

    @Test func `an index that missed a run is mended by the next`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "Lighthouse"])
        _ = try await house.subscribe("/a")
        house.serve("/a", ["2": "Foghorn", "1": "Lighthouse"])
        try await house.refresh(index: BrokenIndex())
        #expect(try await house.index.search(SearchRequest(text: "foghorn")).hits.isEmpty)
        try await house.refresh()
        #expect(try await house.index.search(SearchRequest(text: "foghorn")).hits.count == 1)
    }

    @Test func `a cancelled run keeps what servers answered`() async throws {
        let house = try Household()
        house.serve("/fast", ["1": "One"])
        house.serve("/slow", ["1": "One"])
        _ = try await house.subscribe("/fast", "/slow")
        house.serve("/fast", ["2": "Two", "1": "One"])
        house.server.on("/slow", .hanging)
        let run = Task { try await house.refresh() }
        while house.server.requests(to: "/slow").count < 2 || house.server.requests(to: "/fast").count < 2 {
            await Task.yield()
        }
        while try await house.episodes().count < 3 { await Task.yield() }
        run.cancel()
        let result = try await run.value
        #expect(result.summary.added == 1)
        #expect(result.outcomes.contains { $0.failure?.code == .cancelled })
        #expect(result.summary.fetched == 1)
        #expect(result.summary.interrupted == 1)
        #expect(try await house.podcasts().allSatisfy { $0.fetch.failure == nil })
    }
}
