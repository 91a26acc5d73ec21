import LoopbackServer
import Testing

/// Podcast Index as `discover` and `subscribe` use it, with the key in the environment.
@Suite struct PodcastIndexTests {
    private static let secret = "hush-hush-7Q"

    private func program(_ home: Home, key: Bool = true) -> Program {
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_PODCAST_INDEX"] = home.server.url + "/api/1.0"
        jimmy.environment["JIMMY_DIRECTORY"] = home.server.url + "/search"
        if key {
            jimmy.environment["JIMMY_PODCAST_INDEX_KEY"] = "KEY"
            jimmy.environment["JIMMY_PODCAST_INDEX_SECRET"] = Self.secret
        }
        return jimmy
    }

    private func serve(_ home: Home) {
        home.server.on(
            "/search", .feed(#"{"results":[{"collectionName":"Night","collectionId":3,"feedUrl":"http://a.example/f"}]}"#))
        home.server.on("/api/1.0/search/byterm") { request in
            let isSigned = request["X-Auth-Key"] == "KEY" && request["Authorization"]?.utf8.count == 40
            guard isSigned, request["X-Auth-Date"].flatMap(Int.init) != nil else { return Reply(401) }
            return .feed(#"{"feeds":[{"id":9,"title":"Songs","url":"http://s.example/f","medium":"music","dead":0}]}"#)
        }
    }

    @Test func `discover asks both directories if there is a key`() throws {
        let home = try Home()
        serve(home)
        let run = try program(home).run("discover", "night", "--json")
        #expect(run.status == 0)
        #expect(
            run.lines == [
                #"{"title":"Night","feedURL":"http://a.example/f","directory":"apple","directoryID":3}"#,
                #"{"title":"Songs","feedURL":"http://s.example/f","medium":"music","directory":"podcastindex","directoryID":9}"#,
            ])
        #expect(try program(home, key: false).run("discover", "night").lines.count == 1)
        #expect(home.server.requests.count { $0.path == "/api/1.0/search/byterm" } == 1)
    }

    @Test func `the order of hits is not the order of answers`() throws {
        let home = try Home()
        serve(home)
        let apple = Reply.feed(#"{"results":[{"collectionName":"Night","collectionId":3,"feedUrl":"http://a.example/f"}]}"#)
        home.server.on("/search", apple.with { $0.delay = 0.2 })
        let run = try program(home).run("discover", "night")
        #expect(run.lines.map { $0.prefix { $0 != "\t" } } == ["http://a.example/f", "http://s.example/f"])
    }

    @Test func `a directory that refuses the key is reported beside the other's hits`() throws {
        let home = try Home()
        serve(home)
        home.server.on("/api/1.0/search/byterm", Reply(401))
        let run = try program(home).run("discover", "night")
        #expect(run.status == 0)
        #expect(run.lines.count == 1)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.hasPrefix("jimmy: Podcast Index: Podcast Index refused the key; check podcast-index-key"))
        #expect(!run.errors.contains(Self.secret))
        home.server.on("/search", Reply(500))
        #expect(try program(home).run("discover", "night").status == 69)
    }

    @Test func `subscribe takes a page of Podcast Index`() throws {
        let home = try Home()
        home.server.on("/night", .feed(Home.feed("Night Radio", episodes: 2)))
        home.server.on(
            "/api/1.0/podcasts/byfeedid", .feed(#"{"feed":{"id":7,"title":"Night","url":"\#(home.server.url)/night"}}"#))
        let run = try program(home).run("subscribe", "podcastindex.org/podcast/7")
        #expect(run.status == 0)
        #expect(run.records.first?[1] == "Night Radio")
        let keyless = try program(home, key: false).run("subscribe", "https://podcastindex.org/podcast/8")
        #expect(keyless.status == 64)
        #expect(keyless.errors.contains("podcast-index-key"))
    }

    @Test func `no output shows the secret`() throws {
        let home = try Home()
        let jimmy = program(home)
        for arguments in [["config"], ["config", "--json"], ["config", "podcast-index-secret"]] {
            let run = try jimmy.run(arguments)
            #expect(run.status == 0)
            #expect(!run.output.contains(Self.secret))
            #expect(run.output.contains("(set)"))
        }
        let wrong = try jimmy.run("config", "--set", "podcast-index-secret=\u{1}\(Self.secret)")
        #expect(wrong.status == 64)
        #expect(!wrong.errors.contains(Self.secret))
    }
}
