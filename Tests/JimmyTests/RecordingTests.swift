import Glibc
import LoopbackServer
import Testing

/// `refresh --record`, `refresh --replay` and `jimmy replay`, by the built program.
@Suite(.foldersOnly("recordings are of folders")) struct RecordingTests {
    /// Refreshes and records it, and replays it on copies of the library as it was before: they must be equal.
    @discardableResult
    private func replay(_ home: Home, _ arguments: String...) throws -> String {
        let recording = home.folder + "/run.rec"
        for copy in ["one", "two"] {
            try home.shell("rm -rf \(copy) && cp -a library \(copy)")
        }
        let run = try home.jimmy.run(["refresh", "--record", recording] + arguments)
        #expect(run.status == 0 || run.status == 69, "\(run.errors)")
        let settings = [("one", "concurrency=1", "Asia/Tokyo"), ("two", "concurrency=64", "America/Lima")]
        for (copy, setting, zone) in settings {
            var jimmy = home.jimmy
            jimmy.environment["TZ"] = zone
            let replayed = try jimmy.run(
                "refresh", "--replay", recording, "--library", "\(home.folder)/\(copy)", "--set", setting)
            #expect(replayed.status == 0, "\(replayed.errors)")
            #expect(try home.shell("diff -r library \(copy)") == "")
        }
        return recording
    }

    @Test func `a replay gives the same library`() throws {
        let home = try Home()
        for number in 0..<12 { home.server.on("/\(number)", .feed(Home.feed("Feed \(number)", episodes: number + 1))) }
        home.server.on("/moved", .redirect(301, to: "/3?id=9"))
        home.server.on("/other", .redirect(302, to: "/4"))
        home.server.on("/gone", Reply(410))
        home.server.on("/busy", Reply(503, headers: [("Retry-After", "900")]))
        home.server.on("/page", Reply(200, headers: [("Content-Type", "text/html")], body: Array("<html><body>".utf8)))
        home.server.on("/cut", Reply.feed(Home.feed("Cut", episodes: 9)).with { $0.cutAfter = 700 })
        let paths = (0..<12).map(String.init) + ["moved", "other", "gone", "busy", "page", "cut", "missing"]
        _ = try home.jimmy.run(["subscribe", "--no-fetch"] + paths.map { "\(home.server.url)/\($0)" })
        try replay(home, "--concurrency", "7")
        // What changed since, what did not, and what is not due.
        home.server.on("/5", .feed(Home.feed("Feed 5", episodes: 9)))
        try replay(home, "--all")
        try replay(home, "--force")
    }

    /// One podcast of three episodes with transcripts, chapters and media files of 300 KB, and an older page.
    private func serveSeries(_ home: Home) {
        let url = home.server.url
        @Sendable func feed(_ numbers: ClosedRange<Int>, next: String?) -> Reply {
            let items = numbers.reversed().map { number in
                """
                <item><title>Tale \(number)</title><guid>\(number)</guid><pubDate>0\(number) May 2024 08:00:00 GMT</pubDate>
                <podcast:transcript url="\(url)/\(number).vtt?token=tr4nscr1pt" type="text/vtt"/>
                <podcast:chapters url="\(url)/chapters" type="application/json+chapters"/>
                <enclosure url="\(url)/media" type="audio/mpeg" length="300000"/></item>
                """
            }
            return .feed(
                """
                <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:podcast="https://podcastindex.org/namespace/1.0">
                <channel><title>Tales</title>\(next.map { "<atom:link rel=\"next\" href=\"\($0)\"/>" } ?? "")\(items.joined())
                </channel></rss>
                """)
        }
        home.server.on("/tales") { $0.target == "/tales" ? feed(4...6, next: "/tales?page=2") : feed(1...3, next: nil) }
        home.server.on("/5.vtt", Reply(404, body: Array("no such file".utf8)))
        home.server.on("/6.vtt", Reply(body: Array("WEBVTT\n\n00:01.000 --> 00:02.000\nThe tide turns.\n".utf8)))
        home.server.on("/chapters", Reply(body: Array(#"{"version":"1.2","chapters":[{"startTime":3,"title":"Tides"}]}"#.utf8)))
        var noise: UInt64 = 1
        let media = (0..<300_000).map { _ in
            noise = noise &* 6_364_136_223_846_793_005 &+ 1
            return UInt8(truncatingIfNeeded: noise >> 40)
        }
        home.server.on("/media", Reply(headers: [("Content-Type", "audio/mpeg")], body: media))
    }

    @Test func `what follows the feeds is replayed too`() throws {
        let home = try Home()
        serveSeries(home)
        _ = try home.jimmy.run("subscribe", "--no-fetch", "\(home.server.url)/tales")
        let id = try #require(try home.jimmy.run("podcasts").records.first?.first)
        _ = try home.jimmy.run("edit", id, "--download", "on", "--keep", "1")
        let recording = try replay(
            home, "--transcripts", "--chapters", "--download", "--archive", id, "--set", "new-on-subscribe=3", "--record-bodies",
            "all")
        #expect(try home.jimmy.run("episodes").records.count == 6)
        #expect(try home.jimmy.run("search", "tide turns").records.count == 1)
        #expect(try home.jimmy.run("downloads").records.count == 3)
        // Media files are in their folder already.
        #expect(try home.shell("wc -c < run.rec").split(separator: "\n").first.flatMap { Int($0) } ?? .max < 30_000)
        // The feed says the address to everybody; what was asked says no token, and no folder.
        let leaks = try home.shell("zstd -dc run.rec | grep -a '\"record\":' | grep -a -e Podcasts -e tr4nscr1pt; true")
        #expect(leaks == "")
        let shown = try home.jimmy.run("replay", "show", recording, "--json").lines
        let transcript = try #require(shown.first { $0.contains("6.vtt") })
        #expect(transcript.contains("\"episode\":\"\(id)-"))
        #expect(shown.contains { $0.contains("/media") && $0.contains("\"bytes\":300000") })
        #expect(try home.jimmy.run("replay", "extract", recording, "/6.vtt").output.hasPrefix("WEBVTT"))
        let media = try home.jimmy.run("replay", "extract", recording, "/media")
        #expect(media.status == 66)
        #expect(media.errors.contains("media files are never recorded"))
        // What was played makes room, and what was asked before is not asked again.
        _ = try home.jimmy.run("tag", "+played", "--query", "is:downloaded")
        try replay(home, "--transcripts", "--chapters", "--download", "--all")
        #expect(try home.jimmy.run("downloads").records.count == 1)
    }

    @Test func `nothing of a secret is recorded`() throws {
        let home = try Home()
        let secrets = ["user9name", "p4ssw0rd", "qu3rytok", "p4thtok3n", "r3dirtok", "c00kieval", "s3lftok3n", "n3wfeedtok"]
        let links = """
            <atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="self" href="http://a.example/x?a=1&amp;token=s3lftok3n"/>
            <x:new-feed-url xmlns:x="http://www.itunes.com/dtds/podcast-1.0.dtd">http://127.0.0.1:1/n3wfeedtok</x:new-feed-url>
            """
        let feed = Home.feed(
            "Private", episodes: 3,
            extra: links + "<copyright>qu3rytok p4thtok3n user9name p4ssw0rd r3dirtok</copyright>")
        let cookie = ("Set-Cookie", "session=c00kieval")
        home.server.on("/f/p4thtok3n/feed.xml", Reply(302, headers: [("Location", "/end?key=r3dirtok"), cookie]))
        home.server.on("/end", .feed(feed, headers: [cookie]))
        home.server.on("/public", .feed(Home.feed("Public", episodes: 3, extra: links)))
        home.server.on("/error", Reply(404, headers: [cookie], body: Array("no token=qu3rytok here, p4thtok3n".utf8)))
        let login = home.server.url.replacing("http://", with: "http://user9name:p4ssw0rd@")
        _ = try home.jimmy.run(
            "subscribe", "--no-fetch", "\(login)/f/p4thtok3n/feed.xml?token=qu3rytok", "\(home.server.url)/public",
            "\(login)/error?token=qu3rytok&again=p4thtok3n")
        let recording = try replay(home, "--record-bodies", "all")
        let plain = try home.shell("zstd -dc '\(recording)' | tr -c '[:print:]' '\\n'")
        #expect(plain.contains("redacted-"))
        for secret in secrets { #expect(!plain.contains(secret), "\(secret)") }
        // Basic authentication tells both together.
        #expect(!plain.contains("Authorization"))
    }

    /// Feeds as hosters write them: the names of pictures, shows and files are tokens to the eye, and all of them public. Of
    /// a feed whose own address has one, that one is replaced wherever it stands, and nothing else.
    @Test func `extracted feeds parse to what was stored`() throws {
        let home = try Home()
        let show = "5e2c0ce8-7a1b-11ec-90d6-0242ac120003"
        let picture = "https://img.example/\(show)/3000x3000/c0v3r9a1b2.jpg?aid=rss_feed"
        func feed(_ address: String) -> String {
            let items = (1...30).map { number in
                """
                <item><title>Part \(number) of s9h0w7x2</title><guid>\(show)-\(number)</guid>
                <description>&lt;p&gt;See https://img.example/\(show)/\(number)?aid=rss_feed, rss_feed9&lt;/p&gt;</description>
                <enclosure url="https://cdn.example/s9h0w7x2/\(show)/\(number)/a1u2d3i4.mp3?aid=rss_feed&amp;feed=s9h0w7x2"
                type="audio/mpeg" length="1"/><itunes:image href="\(picture)"/></item>
                """
            }
            return """
                <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
                <channel><title>\(address)</title><link>https://radio.example/shows/s9h0w7x2</link>
                <atom:link rel="self" href="https://feeds.example\(address)"/><atom:link rel="hub" href="https://hub.example/h9u8b7z6"/>
                <image><url>\(picture)</url></image><itunes:image href="\(picture)"/>\(items.joined())</channel></rss>
                """
        }
        var documents = ["public.xml": feed("/public.xml"), "s9h0w7x2": feed("/s9h0w7x2")]
        let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Fixtures/internet/day1"
        for name in ["harbor-radio.xml", "night-trains.xml", "kitchen-table.json", "garden-notes.xml", "static.xml"] {
            documents[name] = try String(reading: "\(folder)/\(name)")
        }
        try home.shell("mkdir served")
        for (name, text) in documents {
            home.server.on("/\(name)", .feed(text))
            try home.write(text, to: "served/\(name)")
        }
        _ = try home.jimmy.run(["subscribe", "--no-fetch"] + documents.keys.sorted().map { "\(home.server.url)/\($0)" })
        #expect(try home.jimmy.run("refresh", "--record", home.folder + "/run.rec").status == 0)
        let run = try home.run(
            script: """
                command -v python3 >/dev/null || exit 0
                python3 - <<'END'
                import json, os, re, subprocess
                def out(*command, **more): return subprocess.run(command, check=True, capture_output=True, **more).stdout
                def marked(text): return re.sub("redacted-[0-9a-f]{16}|s9h0w7x2", "MARK", text)
                shows = [json.loads(line) for line in out("jimmy", "podcasts", "--json").splitlines()]
                assert len(shows) == \(documents.count), shows
                for show in shows:
                    url, name = show["feedURL"], show["feedURL"].split("/")[-1]
                    hide = marked if name == "s9h0w7x2" else str
                    document = out("jimmy", "replay", "extract", "run.rec", show["id"])
                    assert hide(document.decode()) == hide(open(f"served/{name}").read()), name
                    assert ("redacted-" in document.decode()) == (hide == marked), name
                    parsed = json.loads(hide(out("jimmy", "parse", "--base-url", url, "-", input=document).decode()))["episodes"]
                    with open(f"library/podcasts/{show['id']}.jsonl") as file:
                        stored = [json.loads(hide(line)).get("item") for line in file]
                    key = lambda item: item.get("guid") or item.get("title")
                    stored, parsed = [sorted(filter(None, items), key=key) for items in (stored, parsed)]
                    assert stored == parsed and stored, (name, stored[:1], parsed[:1])
                END
                """)
        #expect(run.status == 0, "\(run.errors)")
    }

    /// It reads its recording from a pipe that nobody writes to.
    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `an interrupt ends a replay at once`(signal: Int32, status: Int32) throws {
        let home = try Home()
        try home.subscribe("Alpha")
        let pipe = home.folder + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        let run = try home.jimmy.start(["refresh", "--replay", pipe, "--library", home.library])
        // Waits until it is opened for reading.
        let writing = open(pipe, O_WRONLY)
        defer { close(writing) }
        run.signal(signal)
        #expect(try run.end().status == status)
    }

    @Test func `a killed run is replayed up to its end`() throws {
        let home = try Home()
        for number in 0..<6 { home.server.on("/\(number)", .feed(Home.feed("Feed \(number)", episodes: 3))) }
        home.server.on("/slow", .hanging)
        _ = try home.jimmy.run(
            ["subscribe", "--no-fetch"] + (0..<6).map { "\(home.server.url)/\($0)" } + ["\(home.server.url)/slow"])
        try home.shell("cp -a library copy")
        // Kills it when the log shows that what came was stored.
        try home.shell(
            """
            jimmy refresh --record run.rec >/dev/null 2>&1 & pid=$!
            for _ in $(seq 300); do [ "$(cat library/podcasts/*.jsonl 2>/dev/null | wc -l)" -ge 24 ] && break; sleep 0.05; done
            sleep 0.3; kill -9 $pid; wait $pid 2>/dev/null
            true
            """)
        let replayed = try home.jimmy.run("refresh", "--replay", home.folder + "/run.rec", "--library", home.folder + "/copy")
        #expect(replayed.status == 0, "\(replayed.errors)")
        #expect(replayed.errors.contains("cut off"))
        #expect(try home.shell("diff -r -x lock -x refresh.lock library copy") == "")
    }

    @Test func `one feed is shown extracted and replayed`() throws {
        let home = try Home()
        let ids = try ["Alpha", "Beta", "Gamma"].map { try home.subscribe($0) }
        try home.shell("cp -a library copy")
        home.server.on("/beta", .feed(Home.feed("Beta", episodes: 5)))
        let recording = home.folder + "/run.rec"
        _ = try home.jimmy.run("refresh", "--force", "--record", recording)
        let shown = try home.jimmy.run("replay", "show", recording)
        #expect(shown.records.map { $0[0] }.sorted() == ids.sorted())
        #expect(shown.records.allSatisfy { $0[1] == "200" })
        #expect(
            try home.jimmy.run("replay", "show", recording, "--json").output.hasPrefix("{\"type\":\"recording\",\"version\":1"))
        let feed = Home.feed("Beta", episodes: 5)
        #expect(try home.jimmy.run("replay", "extract", recording, "/beta").output == feed)
        #expect(try home.jimmy.run("replay", "show", recording, "--extract", ids[1]).output == feed)
        #expect(try home.jimmy.run("replay", "extract", recording, "nothing").status == 66)

        let copy = home.folder + "/copy"
        let replayed = try home.jimmy.run("refresh", "--replay", recording, "--only", "/beta", "--library", copy)
        #expect(replayed.records.map { $0[1] } == [ids[1]])
        #expect(try home.jimmy.run("episodes", "--library", copy, "Beta").records.count == 5)
        // Of what was stored after it nothing is repeated; and now the copy is another library.
        let batches = try home.shell("zstd -dc run.rec | grep -ao '\"committing\".*'").split(separator: "\"").map(String.init)
        let order = batches.filter(ids.contains)
        let until = try home.jimmy.run("refresh", "--replay", recording, "--until", order[1], "--library", copy)
        #expect(until.records.map { $0[1] }.filter(ids.contains) == until.records.map { $0[1] })
        #expect(until.errors.contains("2 podcasts fetched"), "\(until.errors)")
        #expect(until.errors.contains("The library is not in the state that it had"))
        #expect(!replayed.errors.contains("not the one"))
        if Program.hasTerminals {
            let shown = try home.jimmy.onTerminal("replay", "show", recording).output
            for word in ["Recording", "fetches", "3", "OUTCOME", "200", "/beta"] { #expect(shown.contains(word), "\(shown)") }
        }
    }

    @Test func `bodies are recorded as asked for`() throws {
        let home = try Home()
        home.server.on("/feed", .feed(Home.feed("Feed", episodes: 1)))
        home.server.on("/missing", Reply(404, body: Array("a page of an error".utf8)))
        _ = try home.jimmy.run("subscribe", "--no-fetch", "\(home.server.url)/feed", "\(home.server.url)/missing")
        for (bodies, feeds, pages) in [("none", false, false), ("feeds", true, false), ("all", true, true)] {
            let run = try home.jimmy.run(
                "refresh", "--force", "--record", home.folder + "/run.rec", "--record-bodies", bodies)
            #expect(run.status == 0, "\(run.errors)")
            let plain = try home.shell("zstd -dc run.rec | tr -c '[:print:]' '\\n'")
            #expect(plain.contains("All about Feed") == feeds, "\(bodies)")
            #expect(plain.contains("a page of an error") == pages, "\(bodies)")
            let shown = try home.jimmy.run("replay", "show", home.folder + "/run.rec", "--json").lines
            #expect(shown.first?.contains("\"bodies\":\"\(bodies)\"") == true)
            #expect(shown.dropFirst().contains { $0.contains("/missing") && $0.contains("\"status\":404") })
        }
    }

    @Test(
        arguments: [
            (["replay", "show", "none.rec"], "none.rec: no such file or directory", 66),
            (["replay", "extract", "folder", "x"], "folder: is a directory", 66),
            (["refresh", "--library", "library", "--replay", "none.rec"], "none.rec: no such file or directory", 66),
            (["refresh", "--record", "none/run.rec"], "none/run.rec: no such file or directory", 74),
            (["refresh", "--trace", "folder"], "folder: is a directory", 74),
        ] as [([String], String, Int32)])
    func `a file that cannot be opened is named`(arguments: [String], line: String, status: Int32) throws {
        let home = try Home()
        try home.subscribe("Alpha")
        let run = try home.run(script: "mkdir folder; jimmy \(arguments.joined(separator: " "))")
        #expect(run.errors == "jimmy: \(line)\n")
        #expect(run.status == status)
    }

    @Test func `the replay of a run that fetched nothing offers no fetch`() throws {
        let home = try Home()
        try home.subscribe("Alpha")
        let idle = home.folder + "/idle.rec"
        #expect(try home.jimmy.run("refresh", "--record", idle).errors.contains("none due"))
        let run = try home.jimmy.run("refresh", "--replay", idle, "--library", home.library)
        #expect(run.status == 0)
        #expect(run.errors.contains("skipped.") && !run.errors.contains("anyway"))
    }

    @Test func `misuse is refused`() throws {
        let home = try Home()
        try home.subscribe("Alpha")
        try home.write("nothing", to: "odd.rec")
        let odd = home.folder + "/odd.rec"
        #expect(try home.jimmy.run("refresh", "--replay", odd).status == 64)
        #expect(try home.jimmy.run("refresh", "--replay", odd, "--library", home.library).status == 65)
        #expect(try home.jimmy.run("refresh", "--replay", odd + "x", "--library", home.library).status == 66)
        #expect(try home.jimmy.run("refresh", "--record", odd, "--replay", odd).status == 64)
        #expect(try home.jimmy.run("refresh", "--trace", odd, "--replay", odd, "--library", home.library).status == 64)
        #expect(try home.jimmy.run("refresh", "--record", odd, "--trace", odd).status == 64)
        #expect(try home.jimmy.run("refresh", "--until", "x").status == 64)
        #expect(try home.jimmy.run("replay", "show", odd).status == 65)
        let bare = home.folder + "/bare.rec"
        _ = try home.jimmy.run("refresh", "--force", "--record", bare, "--record-bodies", "none")
        #expect(try home.jimmy.run("replay", "show", bare).status == 0)
        let refused = try home.jimmy.run("refresh", "--replay", bare, "--library", home.library)
        #expect(refused.status == 65)
        #expect(refused.errors.contains("--record-bodies feeds"))
    }
}

extension Home {
    /// What a command of the shell prints, run in the home's folder, with the built program as `jimmy` on its path.
    @discardableResult
    fileprivate func shell(_ script: String) throws -> String { try run(script: script).output }
}
