import Domain
import Index
import Library
import LoopbackServer
import Results
import Searching
import Testing

@Suite struct SubscribeToPodcastTests {
    @Test func `a feed is stored with its episodes and found`() async throws {
        let house = try Household()
        house.serve("/a", title: "Harbor Radio", ["2": "Foghorns", "1": "Low tide"])
        let outcome = try #require(try await house.subscribe("/a").first)
        guard case .subscribed = outcome.kind else { throw TestFailure("\(outcome)") }
        #expect(outcome.podcast?.title == "Harbor Radio")
        #expect(outcome.podcast?.episodeCount == 2)
        #expect(try await house.episodes().map(\.item.title) == ["Low tide", "Foghorns"])
        #expect(try await house.index.search(SearchRequest(text: "foghorns")).hits.count == 1)
    }

    /// All of it within one second.
    @Test func `what is first seen after a refresh is not older than it`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"])
        house.serve("/b", ["1": "One"])
        _ = try await house.subscribe("/a")
        try await house.refresh()
        _ = try await house.subscribe("/b")
        let library = try await house.library(.read)
        let refreshedAt = try #require(try await library.work.lastRefresh().startedAt)
        let podcast = try #require(try await library.podcasts.all().first { $0.feedURL.hasSuffix("/b") })
        #expect(try await library.episodes.episodes(of: podcast.id).allSatisfy { $0.firstSeenAt >= refreshedAt })
        #expect(podcast.subscribedAt >= refreshedAt)
    }

    @Test func `several are asked side by side and reported in order`() async throws {
        let house = try Household()
        let paths = (0..<8).map { "/\($0)" }
        for path in paths {
            let text = Household.feed(title: path, [("1", "One")])
            // The first is the slowest.
            house.server.on(path, Reply.feed(text).with { $0.delay = path == "/0" ? 0.3 : 0.1 })
        }
        house.server.on("/none", Reply(404))
        let urls = (paths + ["/none"]).map { house.server.url + $0 }
        let outcomes = try await house.subscribe(urls: urls)
        #expect(outcomes.map { $0.podcast?.title } == paths + [nil])
        #expect(outcomes.map(\.input) == urls)
        #expect(house.server.maxAtOnce == 2)
        #expect(try await house.podcasts().count == 8)
        #expect(try await house.episodes().count == 8)
    }

    @Test func `addresses that lead to one feed ask it once`() async throws {
        let house = try Household()
        house.serve("/c", ["1": "One"])
        house.server.on("/a", .redirect(301, to: "/c"))
        house.server.on("/b", .redirect(308, to: "/c"))
        let outcomes = try await house.subscribe("/a", "/b", "/c#top", "/c")
        #expect(outcomes.map { $0.podcast?.feedURL } == Array(repeating: house.server.url + "/c", count: 4))
        #expect(house.server.requests(to: "/c").count == 1)
        #expect(try await house.podcasts().count == 1)
    }

    @Test func `a password is not repeated where the address makes no sense`() async throws {
        let house = try Household()
        let outcome = try #require(try await house.subscribe(urls: ["me:secret@word/feed"]).first)
        guard case .failed(.badURL) = outcome.kind else { throw TestFailure("\(outcome)") }
        #expect(!outcome.input.contains("secret"))
    }

    @Test func `subscribing twice is no error`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"])
        _ = try await house.subscribe("/a")
        let again = try #require(try await house.subscribe("/a").first)
        guard case .existing = again.kind else { throw TestFailure("\(again)") }
        #expect(try await house.podcasts().count == 1)
    }

    @Test(arguments: [404, 500, 410])
    func `a failure stores nothing`(status: Int) async throws {
        let house = try Household()
        house.server.on("/a", Reply(status))
        let outcome = try #require(try await house.subscribe("/a").first)
        guard case .failed(.fetch(let failure)) = outcome.kind else { throw TestFailure("\(outcome)") }
        #expect(failure.status == status)
        #expect(try await house.podcasts().isEmpty)
        #expect(house.episodeFiles().isEmpty)
    }

    @Test func `a page leads to its first podcast feed and the rest are named`() async throws {
        let house = try Household()
        house.serve("/blog", ["1": "A post"])
        let media =
            "<item><guid>m</guid><title>Heard</title><enclosure url=\"http://x.example/1.mp3\" type=\"audio/mpeg\"/></item>"
        house.server.on("/pod", .feed("<rss version=\"2.0\"><channel><title>Pod</title>\(media)</channel></rss>"))
        let page = """
            <!DOCTYPE html><html><head><title>Site</title>
            <link rel="alternate" type="application/rss+xml" title="Blog" href="/blog">
            <link rel="alternate" type="application/rss+xml" title="Podcast" href="/pod">
            </head><body>Hello</body></html>
            """
        house.server.on("/", .feed(page, type: "text/html"))
        let outcome = try #require(try await house.subscribe("/").first)
        #expect(outcome.podcast?.title == "Pod")
        #expect(outcome.podcast?.feedURL == house.server.url + "/pod")
        #expect(outcome.alternatives.map(\.title) == ["Blog"])
        #expect(house.server.requests(to: "/").count == 1)
    }

    @Test func `the Link header of a page leads to its feed`() async throws {
        let house = try Household()
        house.serve("/pod", title: "Pod", ["1": "One"])
        let link = "</wp-json/>; rel=\"https://api.w.org/\", </pod>; rel=\"alternate\"; type=\"application/rss+xml\""
        house.server.on("/", .feed("<!DOCTYPE html><p>Hello", type: "text/html", headers: [("Link", link)]))
        #expect(try await house.subscribe("/").first?.podcast?.feedURL == house.server.url + "/pod")
    }

    @Test func `a page that forwards to another leads to that one's feed, and circles end`() async throws {
        let house = try Household()
        house.serve("/pod", title: "Pod", ["1": "One"])
        house.server.on("/", .feed("<meta http-equiv=refresh content='0; url=/home'>", type: "text/html"))
        house.server.on(
            "/home",
            .feed("<html><link rel=alternate type='application/rss+xml' href='feed:\(house.server.url)/pod'>", type: "text/html"))
        #expect(try await house.subscribe("/").first?.podcast?.feedURL == house.server.url + "/pod")
        house.server.on("/a", .feed("<meta http-equiv=refresh content='0; url=/b'>", type: "text/html"))
        house.server.on("/b", .feed("<meta http-equiv=refresh content='0; url=/a'>", type: "text/html"))
        let outcome = try #require(try await house.subscribe("/a").first)
        guard case .failed(.fetch(let failure)) = outcome.kind else { throw TestFailure("\(outcome)") }
        #expect(failure.code == .notAFeed)
        #expect(house.server.requests(to: "/b").count == 1)
    }

    @Test func `a feed of comments is not subscribed to while the page's own feed fails`() async throws {
        let house = try Household()
        house.serve("/comments/feed/", title: "Comments", ["1": "One"])
        house.server.on("/feed/", Reply(500))
        let links = ["/comments/feed/", "/feed/"].map { "<link rel=alternate type='application/rss+xml' href='\($0)'>" }
        house.server.on("/", .feed("<html>" + links.joined(), type: "text/html"))
        let outcome = try #require(try await house.subscribe("/").first)
        guard case .failed = outcome.kind else { throw TestFailure("\(outcome)") }
        house.server.on("/alone", .feed("<html>" + links[0], type: "text/html"))
        #expect(try await house.subscribe("/alone").first?.podcast?.title == "Comments")
    }

    @Test func `a gate that sets a cookie is passed by every command that fetches`() async throws {
        let house = try Household()
        let text = Household.feed(title: "Gated", [("1", "One")])
        house.server.on("/self") { request in
            request["Cookie"] == "a=b" ? .feed(text) : Reply(302, headers: [("Location", "/self"), ("Set-Cookie", "a=b")])
        }
        #expect(try await house.subscribe("/self").first?.podcast?.title == "Gated")
        house.pass(hours: 24)
        #expect(try await house.refresh().outcomes.map(\.kind) == [.unchanged])
        #expect(house.server.requests.map { $0["Cookie"] } == [nil, "a=b", nil, "a=b"])
    }

    @Test func `a page behind a bot wall that names a feed is a page, and one that names none is a wall`() async throws {
        let house = try Household()
        house.serve("/pod", title: "Pod", ["1": "One"])
        let wall = [("X-Iinfo", "1-2-3")]
        house.server.on(
            "/", .feed("<html><link rel=alternate type='application/rss+xml' href=/pod>", type: "text/html", headers: wall))
        #expect(try await house.subscribe("/").first?.podcast?.title == "Pod")
        for body in ["<script src=/challenge></script>", "<html>Wait", "{\"message\":\"Forbidden\"}", "Forbidden"] {
            house.server.on("/wall", .feed(body, type: "text/html", headers: wall))
            let outcome = try #require(try await house.subscribe("/wall").first)
            guard case .failed(.fetch(let failure)) = outcome.kind else { throw TestFailure("\(outcome)") }
            #expect(failure.detail == .botWall("Imperva"), "\(body)")
        }
    }

    @Test func `a page that names no feed is no feed`() async throws {
        let house = try Household()
        house.server.on("/", .feed("<!DOCTYPE html><html><body>Nothing here</body></html>", type: "text/html"))
        let outcome = try #require(try await house.subscribe("/").first)
        guard case .failed(.fetch(let failure)) = outcome.kind else { throw TestFailure("\(outcome)") }
        #expect(failure.code == .notAFeed)
    }

    @Test func `without fetching the next refresh counts all as added`() async throws {
        let house = try Household()
        house.serve("/a", ["2": "Two", "1": "One"])
        _ = try await house.subscribe("/a", fetching: false)
        #expect(house.server.requests.isEmpty)
        let result = try await house.refresh { $0.mode = .due }
        #expect(result.outcomes.map(\.kind) == [.updated])
        #expect(result.summary.added == 2)
    }

    @Test func `a permanent redirect is followed at once`() async throws {
        let house = try Household()
        house.serve("/new", ["1": "One"])
        house.server.on("/old", .redirect(301, to: "/new"))
        let outcome = try #require(try await house.subscribe("/old").first)
        #expect(outcome.podcast?.feedURL == house.server.url + "/new")
        #expect(outcome.podcast?.fetch.moves.isEmpty == true)
    }
}
