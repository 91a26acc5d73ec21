@testable import Domain
import Fetching
import Index
import Library
import LoopbackServer
import Parsing
import Results
import Searching
import Testing
@testable import UseCases

/// Transcripts on real parts: server, fetcher, parser, library and index.
@Suite struct FetchTranscriptsTests {
    @Test func `what was said is found with its time`() async throws {
        let house = try Household()
        house.server.on(
            "/1.vtt", .transcript("WEBVTT\n\n00:01.000 --> 00:04.000\nHello.\n\n12:34.000 --> 12:40.000\nThe reactor hummed.\n"))
        house.serve("/a", [.init("1", "One", ["/1.vtt"]), .init("2", "Two")])
        _ = try await house.subscribe("/a")
        #expect(try await house.transcripts()?.added == 1)

        let results = try await house.search("reactor")
        #expect(results.map(\.episode.item.title) == ["One"])
        #expect(results.first?.field == "transcript")
        #expect(results.first?.start == 754)
        #expect(results.first?.snippet.text.contains("The reactor hummed.") == true)
        #expect(try await house.search("transcript:reactor").count == 1)
        #expect(try await house.search("title:reactor").isEmpty)
    }

    @Test func `a transcript is asked for once until the feed says something else`() async throws {
        let house = try Household()
        house.server.on("/1.vtt") {
            Reply.transcript("WEBVTT\n\n00:01.000 --> 00:04.000\nHello.\n").conditional(on: $0, etag: "\"1\"")
        }
        house.serve("/a", [.init("1", "One", ["/1.vtt"])])
        _ = try await house.subscribe("/a")
        _ = try await house.transcripts()
        house.server.forgetRequests()
        #expect(try await house.transcripts() == nil)
        #expect(house.server.requests.isEmpty)

        // The episode changed: asked again, with the validators.
        house.serve("/a", [.init("1", "One, revised", ["/1.vtt"])])
        try await house.refresh()
        house.server.forgetRequests()
        #expect(try await house.transcripts()?.unchanged == 1)
        #expect(house.server.requests.first?["If-None-Match"] == "\"1\"")
        #expect(try await house.search("hello").first?.field == "transcript")

        // Another file: its old words go.
        house.server.on("/2.vtt", .transcript("WEBVTT\n\n00:01.000 --> 00:04.000\nGoodbye.\n"))
        house.serve("/a", [.init("1", "One, revised", ["/2.vtt"])])
        try await house.refresh()
        #expect(try await house.transcripts()?.replaced == 1)
        #expect(try await house.search("hello").isEmpty)
        #expect(try await house.search("goodbye").count == 1)
    }

    @Test func `a failure backs off and is tried again`() async throws {
        let house = try Household()
        house.server.on("/1.vtt", Reply(404))
        house.serve("/a", [.init("1", "One", ["/1.vtt"])])
        _ = try await house.subscribe("/a")
        #expect(try await house.transcripts()?.failed == 1)
        #expect(try await house.transcripts() == nil)
        house.server.on("/1.vtt", .transcript("WEBVTT\n\n00:01.000 --> 00:04.000\nHello.\n"))
        house.pass(hours: 5)
        #expect(try await house.transcripts() == nil)
        house.pass(hours: 2)
        #expect(try await house.transcripts()?.added == 1)
    }

    @Test func `the next best is taken where the best is not there`() async throws {
        let house = try Household()
        house.server.on("/1.vtt", Reply(404))
        house.server.on("/1.srt", .transcript("<!DOCTYPE html><html><body><h1>Not found</h1></body></html>"))
        house.server.on("/1.json", .transcript(#"{"segments":[{"startTime":1,"body":"Hello."}]}"#))
        house.serve("/a", [.init("1", "One", ["/1.json", "/1.srt", "/1.vtt"])])
        _ = try await house.subscribe("/a")
        house.server.forgetRequests()
        #expect(try await house.transcripts()?.added == 1)
        #expect(house.server.requests.map(\.path) == ["/1.vtt", "/1.srt", "/1.json"])
    }

    @Test func `Retry-After holds for feeds too`() async throws {
        let house = try Household()
        for number in 1...4 { house.server.on("/\(number).vtt", Reply(429, headers: [("Retry-After", "7200")])) }
        house.serve("/a", (1...4).map { .init("\($0)", "Episode \($0)", ["/\($0).vtt"]) })
        _ = try await house.subscribe("/a")
        house.server.forgetRequests()
        let first = try await house.transcripts { $0.perHost = 1 }
        #expect(house.server.requests.count == 1)
        #expect(first?.failed == 1)
        house.server.forgetRequests()
        house.pass(hours: 1)
        #expect(try await house.refresh().outcomes.map(\.kind) == [.skipped])
        _ = try await house.transcripts()
        #expect(house.server.requests.isEmpty)
        house.pass(hours: 2)
        for number in 1...4 {
            house.server.on("/\(number).vtt", .transcript("WEBVTT\n\n00:01.000 --> 00:04.000\nHello \(number).\n"))
        }
        #expect(try await house.transcripts()?.added == 4)
    }

    @Test func `a killed run loses nothing and a lost index is made anew`() async throws {
        let house = try Household()
        house.server.on("/1.vtt", .transcript("WEBVTT\n\n00:01.000 --> 00:04.000\nHello.\n"))
        house.serve("/a", [.init("1", "One", ["/1.vtt"])])
        _ = try await house.subscribe("/a")
        // As after a kill between the library and the index.
        _ = try await house.transcripts(index: BrokenIndex())
        #expect(try await house.search("hello").first?.start == 1)
    }

    @Test func `many transcripts are indexed in parts`() async throws {
        let house = try Household()
        house.server.on("*", .transcript("WEBVTT\n\n00:01.000 --> 00:04.000\nHello.\n"))
        house.serve("/a", (0..<40).map { .init("\($0)", "Talk \($0)", ["/t\($0).vtt"]) })
        _ = try await house.subscribe("/a")
        _ = try await house.transcripts { $0.concurrency = 8 }
        try await house.index.reset()
        let library = try await house.library(.read)
        let podcast = try #require(try await library.podcasts.all().first)
        try await house.index.add(whole: podcast, library.episodes, library.transcripts, size: 1)
        #expect(try await house.index.contentRevisions(of: [podcast.id]) == [podcast.id: podcast.contentRevision])
        var request = SearchRequest(text: "transcript:hello")
        request.limit = 100
        #expect(try await house.index.search(request).hits.count == 40)
    }

    @Test func `a changed episode keeps its transcript in the index`() async throws {
        let house = try Household()
        house.server.on("/1.vtt", .transcript("WEBVTT\n\n00:01.000 --> 00:04.000\nHello.\n"))
        house.serve("/a", [.init("1", "One", ["/1.vtt"])])
        _ = try await house.subscribe("/a")
        _ = try await house.transcripts()
        house.serve("/a", [.init("1", "Another title", ["/1.vtt"])])
        try await house.refresh()
        #expect(try await house.search("hello").map(\.episode.item.title) == ["Another title"])
    }

    @Test func `unsubscribing removes transcripts unless episodes are kept`() async throws {
        let house = try Household()
        house.server.on("/1.vtt", .transcript("WEBVTT\n\n00:01.000 --> 00:04.000\nHello.\n"))
        for isKept in [true, false] {
            house.serve("/a", [.init("1", "One", ["/1.vtt"])])
            _ = try await house.subscribe("/a")
            house.server.forgetRequests()
            _ = try await house.transcripts()
            if !isKept { #expect(house.server.requests.isEmpty, "the kept transcript is taken up again") }
            #expect(try await house.search("hello").count == 1)
            let id = try #require(try await house.episodes().first?.id)
            let library = try await house.library()
            try await UnsubscribeFromPodcast(library, index: house.index)(
                try await library.podcasts.all(), keepingEpisodes: isKept, now: house.now)
            #expect((try await library.transcripts.transcript(of: id) != nil) == isKept)
        }
    }

    @Test func `passwords go to the feed's own server only`() async throws {
        let (house, other) = (try Household(), try LoopbackServer())
        defer { other.stop() }
        let text = "WEBVTT\n\n00:01.000 --> 00:04.000\nHello.\n"
        house.server.on("/1.vtt", .transcript(text))
        other.on("/2.vtt", .transcript(text))
        house.serve("/a", [.init("1", "One", ["/1.vtt"]), .init("2", "Two", [other.url + "/2.vtt"])])
        let address = house.server.url.replacing("http://", with: "http://ada:secret@")
        _ = try await house.subscribe(urls: [address + "/a"])
        house.server.forgetRequests()
        #expect(try await house.transcripts()?.added == 2)
        #expect(house.server.requests.first?["Authorization"] != nil)
        #expect(other.requests.first?["Authorization"] == nil)
        #expect(house.server.requests.first?["User-Agent"] == "jimmy-test")
    }

    @Test func `whatever servers make of them`() async throws {
        let house = try Household()
        let squeezed: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 11, 119, 117, 10, 11, 9, 225, 226, 50, 48, 176, 50, 48, 212, 51, 48, 48, 80,
            208, 213, 181, 83, 0, 241, 76, 64, 60, 46, 143, 212, 156, 156, 124, 133, 226, 194, 210, 212, 212, 170, 212,
            20, 61, 46, 0, 202, 115, 47, 108, 48, 0, 0, 0,
        ]
        let text = "WEBVTT\n\n00:01.000 --> 00:04.000\nHello "
        house.server.on("/gzip.vtt", Reply(headers: [("Content-Encoding", "gzip")], body: squeezed))
        house.server.on(
            "/wide.vtt",
            Reply(
                headers: [("Content-Type", "text/vtt; charset=utf-8")],
                body: [0xFF, 0xFE] + (text + "wide.").utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }))
        house.server.on(
            "/latin.vtt",
            Reply(headers: [("Content-Type", "text/vtt; charset=iso-8859-1")], body: Array((text + "caf").utf8) + [0xE9, 0x2E]))
        house.server.on("/audio.vtt", .feed(text + "under a wrong name.", type: "audio/mpeg"))
        house.server.on("/moved.vtt", .redirect(301, to: "/audio.vtt"))
        house.server.on("/huge.vtt", .transcript(text + String(repeating: "x", count: 17 << 20)))
        house.server.on("/loop.vtt", .redirect(302, to: "/loop.vtt"))
        house.server.on("/empty.vtt", .transcript(""))
        house.server.on("/page.vtt", .feed("<html><body><p>Hello page.</p></body></html>", type: "text/html"))
        let names = ["gzip", "wide", "latin", "audio", "moved", "huge", "loop", "empty", "page"]
        house.serve("/a", names.map { .init($0, $0, ["/\($0).vtt"]) })
        _ = try await house.subscribe("/a")
        let summary = try await house.transcripts()
        #expect(summary?.added == 5)
        #expect(summary?.failed == 4)
        #expect(
            Set(try await house.search("transcript:hello").compactMap(\.episode.item.title)) == [
                "gzip", "wide", "latin", "audio", "moved",
            ])
        #expect(try await house.search("café").first?.snippet.text == "Hello café.")
    }

    @Test func `a machine that is offline forgets nothing`() async throws {
        let house = try Household()
        house.serve("/a", [.init("1", "One", ["http://127.0.0.1:1/1.vtt"]), .init("2", "Two", ["http://127.0.0.2:1/2.vtt"])])
        _ = try await house.subscribe("/a")
        let summary = try await house.transcripts()
        #expect(summary?.failed == 0)
        #expect(summary?.waiting == 2)
        // Nobody failed: the next run asks at once.
        #expect(try await house.transcripts()?.waiting == 2)
    }

    @Test func `a full run leaves the oldest to the next`() async throws {
        let house = try Household()
        house.server.on("*", .transcript("WEBVTT\n\n00:01.000 --> 00:04.000\nHello.\n"))
        house.serve("/a", (0..<230).map { .init("\($0)", "Talk \($0)", ["/t\($0).vtt"]) })
        _ = try await house.subscribe("/a")
        let first = try await house.transcripts { $0.concurrency = 8 }
        #expect(first?.added == 200)
        #expect(first?.waiting == 30)
        #expect(try await house.transcripts()?.added == 30)
        #expect(try await house.transcripts() == nil)
    }

    @Test func `force asks again without validators`() async throws {
        let house = try Household()
        house.server.on("/1.vtt") {
            Reply.transcript("WEBVTT\n\n00:01.000 --> 00:04.000\nHello.\n").conditional(on: $0, etag: "\"1\"")
        }
        house.serve("/a", [.init("1", "One", ["/1.vtt"])])
        _ = try await house.subscribe("/a")
        _ = try await house.transcripts()
        house.server.forgetRequests()
        #expect(try await house.transcripts { $0.mode = .force }?.replaced == 1)
        #expect(house.server.requests.first?["If-None-Match"] == nil)
    }

    @Test func `the podcast's language counts before the form`() {
        func offer(_ transcripts: [(url: String, type: String, language: String?)], _ language: String?) -> [String] {
            var item = Item()
            item.transcripts = transcripts.map { one in
                var transcript = Transcript()
                (transcript.url, transcript.type, transcript.language) = (one.url, one.type, one.language)
                return transcript
            }
            return TranscriptOffer(item, language: language).transcripts.compactMap(\.url)
        }
        let all = [
            ("http://a/t.txt", "text/plain", "de"), ("http://a/en.vtt", "text/vtt", "en"),
            ("http://a/de.srt", "application/srt", "de-AT"),
            ("ftp://a/de.vtt", "text/vtt", "de"), ("http://a/x.json", "application/json", nil),
        ]
        #expect(offer(all, "de-DE") == ["http://a/de.srt", "http://a/x.json", "http://a/t.txt", "http://a/en.vtt"])
        #expect(offer(all, nil) == ["http://a/en.vtt", "http://a/de.srt", "http://a/x.json", "http://a/t.txt"])
    }

    @Test func `only where they are wanted`() async throws {
        let house = try Household()
        house.server.on("/1.vtt", .transcript("WEBVTT\n\n00:01.000 --> 00:04.000\nHello.\n"))
        house.serve("/a", [.init("1", "One", ["/1.vtt"])])
        house.serve("/b", [.init("2", "Two", ["/1.vtt"])])
        _ = try await house.subscribe("/a", "/b")
        #expect(try await house.transcripts { $0.transcripts = false } == nil)
        func set(_ path: String, _ isWanted: Bool) async throws {
            let podcasts = try await house.library().podcasts
            var podcast = try #require(try await podcasts.all().first { $0.feedURL.hasSuffix(path) })
            podcast.settings.transcripts = isWanted
            _ = try await podcasts.update([podcast])
        }
        try await set("/a", true)
        #expect(try await house.transcripts { $0.transcripts = false }?.added == 1)
        try await set("/b", false)
        #expect(try await house.transcripts() == nil)
    }
}

extension Reply {
    static func transcript(_ text: String) -> Reply { .feed(text, type: "text/plain") }
}

extension Household {
    struct Talk {
        var guid: String
        var title: String
        var transcripts: [String]

        init(_ guid: String, _ title: String, _ transcripts: [String] = []) {
            (self.guid, self.title, self.transcripts) = (guid, title, transcripts)
        }
    }

    /// Serves a feed whose episodes offer transcripts at these paths or URLs.
    func serve(_ path: String, _ talks: [Talk]) {
        let items = talks.map { talk in
            let links = talk.transcripts.map { path -> String in
                let type = ["vtt": "text/vtt", "srt": "application/srt", "json": "application/json", "html": "text/html"]
                return
                    "<p:transcript url=\"\(path.hasPrefix("/") ? server.url + path : path)\" type=\"\(type[String(path.split(separator: ".").last ?? "")] ?? "text/plain")\"/>"
            }
            return "<item><guid>\(talk.guid)</guid><title>\(talk.title)</title>\(links.joined())</item>"
        }
        server.on(
            path,
            .feed(
                "<rss version=\"2.0\" xmlns:p=\"https://podcastindex.org/namespace/1.0\"><channel><title>Talks</title>\(items.joined())</channel></rss>"
            ))
    }

    func transcripts(
        index: (any SearchIndex)? = nil, _ change: (inout RefreshOptions) -> Void = { _ in }
    ) async throws -> TranscriptSummary? {
        var options = RefreshOptions()
        options.limits.timeout = 10
        options.transcripts = true
        change(&options)
        let library = try await library()
        let useCase = FetchTranscripts(
            library, fetcher: CurlFetcher(userAgent: "jimmy-test"), read: { TranscriptParser.segments(of: $0, $1) },
            index: index ?? self.index, clock: { self.now })
        return try await useCase.run(.transcript, options, Politeness(slotsPerHost: options.perHost) { self.now }) { _ in }
    }

    func search(_ text: String) async throws -> [FoundEpisode] {
        let library = try await library(.read)
        let useCase = SearchEpisodes(library, index: index)
        return try await useCase.run(SearchRequest(text: text), now: now).episodes
    }
}
