import Dispatch
import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// The pages over HTTP, without a browser.
@Suite struct PageTests {
    private func served(_ title: String = "Harbor", episodes: Int = 3, new: Int = 3) throws -> Served {
        let home = try Home()
        try home.write("new-on-subscribe = \(new)\n", to: "config")
        _ = try home.jimmy.run("config", "set", "new-on-subscribe", String(new))
        try home.subscribe(title, episodes: episodes)
        return try Served(home)
    }

    @Test func `a podcast's page says when its next episode is expected`() throws {
        let home = try Home()
        home.server.on("/weekly", .feed(Home.weeklyFeed("Weekly", weeks: 60, newestAgo: 6 * 86_400)))
        let id = try #require(try home.jimmy.run("subscribe", home.server.url + "/weekly").records.first?[0])
        let site = try Served(home)
        let page = try site.client.get("/podcasts/\(id)").text
        let days = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
        #expect(page.contains(try Regex("<span>next: (\(days)) [0-9:]{5}</span>")), "\(page.prefix(3_000))")
    }

    @Test func `every page answers`() throws {
        let site = try served()
        let id = try #require(try site.episodes(on: "/").first)
        let podcast = String(id.prefix { $0 != "-" })
        for path in [
            "/", "/search", "/search?q=harbor", "/podcasts", "/podcasts/\(podcast)", "/podcasts/\(podcast)/chart.svg",
            "/episodes/\(id)", "/queue", "/status", "/status/chart.svg", "/subscribe", "/apps", "/covers/\(podcast)", "/healthz",
            "/podcasts.opml", "/player/\(id)", "/starred", "/heard", "/downloads", "/downloads/progress", "/suggested", "/more",
            "/offline", "/new/mark", "/manifest.webmanifest", "/worker.js", "/icon-192.png", "/icon-512.png", "/assets/style.css",
            "/assets/script.js", "/favicon.svg",
        ] {
            let answer = try site.client.get(path)
            #expect(answer.status == 200, "\(path): \(answer.status) \(answer.text.prefix(300))")
            #expect(answer.headers["content-security-policy"]?.contains("'unsafe-eval'") == false, "\(path)")
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.body.count < 100_000)
            let head = try site.client.send("HEAD", path)
            #expect(head.status == 200 && head.body.isEmpty, "\(path): \(head.status)")
            #expect(head.headers["content-length"] == answer.headers["content-length"], "\(path)")
        }
        let missing = try site.client.send("HEAD", "/nothing")
        #expect(missing.status == 404 && missing.body.isEmpty)
        #expect(try site.client.get("/nothing").status == 404)
        #expect(try site.client.get("/episodes/none").status == 404)
        #expect(try site.client.get("/podcasts/none").status == 404)
    }

    @Test(arguments: [
        ("POST", "/status", "GET, HEAD"), ("GET", "/seen", "POST"), ("HEAD", "/seen", "POST"), ("PUT", "/search", "GET, HEAD"),
        ("DELETE", "/podcasts/none", "GET, HEAD, POST"), ("OPTIONS", "/player/next", "GET, HEAD"),
        ("POST", "/healthz", "GET, HEAD"), ("PATCH", "/api/1/queue", "GET, HEAD, POST"),
        ("GET", "/api/1/queue/none-such", "DELETE"), ("POST", "/api/1/podcasts", "GET, HEAD"),
        ("DELETE", "/api/2/devices/me.json", "GET, HEAD"), ("POST", "/subscriptions/me/phone.opml", "GET, HEAD, PUT"),
    ])
    func `a wrong method is answered with the right ones`(method: String, path: String, accepted: String) throws {
        let site = try served()
        let answer = try site.client.send(method, path)
        #expect(answer.status == 405)
        #expect(answer.headers["allow"] == accepted)
        let text = "This address accepts only \(accepted)."
        if method == "HEAD" {
            #expect(answer.body.isEmpty)
        } else if path.hasPrefix("/api/") {
            #expect(answer.text == "{\"error\":\"\(text)\"}")
        } else {
            #expect(answer.text.contains("405 Method Not Allowed") && answer.text.contains(text))
        }
    }

    @Test func `an episode shows what its feed says and said`() throws {
        let site = try served()
        func feed(_ title: String) -> Reply {
            .feed(
                """
                <rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>Trains</title>
                <item><title>\(title)</title><guid>a</guid><description><![CDATA[<p>See <a href="https://trains.example/x">here</a>
                <a href="javascript:alert(1)">there</a></p>]]></description><pubDate>Sat, 01 Jun 2024 08:00:00 GMT</pubDate>
                <podcast:person role="guest">Mara Lind</podcast:person>
                <podcast:soundbite startTime="73" duration="60">The whistle</podcast:soundbite>
                <enclosure url="http://media.example/t.mp3" type="audio/mpeg" length="1"/></item></channel></rss>
                """)
        }
        site.home.server.on("/trains", feed("Depature"))
        _ = try site.home.jimmy.run("subscribe", site.home.server.url + "/trains")
        site.home.server.on("/trains", feed("Departure"))
        _ = try site.home.jimmy.run("refresh", "--force", "Trains")
        let id = try #require(try site.episodes(on: "/search?q=departure").first)
        let page = try site.client.get("/episodes/\(id)").text
        #expect(page.contains(#"<a href="https://trains.example/x" rel="noopener noreferrer nofollow" target="_blank">here</a>"#))
        #expect(!page.contains("javascript:"))
        #expect(page.contains("Mara Lind"))
        #expect(page.contains(#"data-at="73""#) && page.contains("The whistle"))
        #expect(page.contains("the title was “Depature”"))
    }

    @Test func `what is new is listed newest first until it is seen`() throws {
        let site = try served()
        let ids = try site.episodes(on: "/")
        #expect(ids.count == 3)
        #expect(try site.client.get("/").text.contains("Harbor 3"))
        let answer = try site.client.post("/episodes/\(ids[0])", "do=seen&back=/")
        #expect(answer.status == 303)
        #expect(answer.headers["location"] == "/")
        #expect(try site.episodes(on: "/") == Array(ids.dropFirst()))
        _ = try site.client.post("/seen")
        #expect(try !site.client.get("/").text.contains(#"class="row new"#))
        #expect(try site.home.jimmy.run("episodes", "--new").lines.isEmpty)
    }

    @Test func `tags and queue are those of the command`() throws {
        let site = try served()
        let ids = try site.episodes(on: "/")
        _ = try site.client.post("/episodes/\(ids[1])", "do=star")
        _ = try site.client.post("/episodes/\(ids[1])", "do=queue")
        _ = try site.client.post("/episodes/\(ids[2])", "do=queue")
        #expect(try site.home.jimmy.run("search", "is:starred").records.map(\.first) == [ids[1]])
        #expect(try site.episodes(on: "/queue") == [ids[1], ids[2]])
        _ = try site.client.post("/queue/move", "episode=\(ids[2])&to=1")
        #expect(try site.home.jimmy.run("queue").records.count == 2)
        #expect(try site.episodes(on: "/queue") == [ids[2], ids[1]])
        #expect(try site.client.post("/queue/move", "episode=\(ids[1])&to=\(Int.min)").status == 303)
        #expect(try site.episodes(on: "/queue") == [ids[1], ids[2]])
        _ = try site.home.jimmy.run("queue", "clear")
        #expect(try site.episodes(on: "/queue").isEmpty)
    }

    @Test func `a long queue has pages`() throws {
        let site = try served(episodes: 25)
        try site.home.subscribe("Sea", episodes: 10)
        let queued = try site.home.jimmy.run("queue", "add", "--query", "sea").records.compactMap(\.first)
        #expect(queued.count == 35)
        #expect(try site.episodes(on: "/queue") == Array(queued.prefix(30)))
        #expect(try site.episodes(on: "/queue?page=2") == Array(queued.suffix(5)))
        let second = try site.client.get("/queue?page=2").text
        #expect(second.contains(#"data-position="31""#) && second.contains("35 episodes"))
        #expect(second.contains(#"<input type="hidden" name="back" value="/queue?page=2">"#))
        // Up from the second page to the first, and down again: the page that follows has the episode.
        #expect(try site.client.post("/queue/move", "episode=\(queued[30])&to=30").headers["location"] == "/queue")
        #expect(try site.episodes(on: "/queue").last == queued[30])
        #expect(try site.client.post("/queue/move", "episode=\(queued[30])&to=31").headers["location"] == "/queue?page=2")
        #expect(try site.episodes(on: "/queue?page=2") == Array(queued.suffix(5)))
    }

    @Test func `the status page says that a refresh is under way`() throws {
        let site = try served()
        let gate = DispatchSemaphore(value: 0)
        site.home.server.on("/slow") { _ in
            gate.wait()
            return .feed(Home.feed("Slow", episodes: 1))
        }
        let list = #"<opml version="2.0"><body><outline type="rss" xmlUrl="\#(site.home.server.url)/slow"/></body></opml>"#
        #expect(try site.home.jimmy.run("opml", "import", "-", input: list).status == 0)
        _ = try site.client.post("/refresh")
        #expect(try site.client.get("/status").text.contains("Refreshing…"))
        #expect(try site.client.get("/status").text.contains("<dt>Not fetched yet</dt><dd>1</dd>"))
        gate.signal()
        for _ in 0..<600 where try site.client.get("/status").text.contains("Refreshing…") { usleep(50_000) }
        #expect(try site.client.get("/status").text.contains("Refresh what is due"))
    }

    @Test func `a preview that fails says why`() throws {
        let site = try served()
        site.home.server.on(
            "/page", Reply(200, headers: [("Content-Type", "text/html")], body: Array("<!doctype html><html><body>".utf8)))
        site.home.server.on("/away", Reply(503))
        for (path, reason) in [("/page", "a web page"), ("/away", "503")] {
            let address = site.home.server.url + path
            // Before and after the button Subscribe.
            for answer in [
                try site.client.get("/subscribe?q=\(address)"), try site.client.post("/subscribe", "feed=\(address)"),
            ] {
                let words = try #require(answer.text.firstMatch(of: /role="alert">([^<]*)/)?.1)
                #expect(words.contains(reason) && !words.contains("FetchFailure"), "\(words)")
            }
        }
    }

    @Test func `search marks what matched and counts facets`() throws {
        let site = try served()
        let page = try site.client.get("/search?q=harbor").text
        #expect(page.contains("<mark>Harbor</mark>"))
        #expect(page.contains("3 episodes"))
        #expect(page.contains("year=2024"))
        #expect(try site.episodes(on: "/search?q=harbor&year=2019").isEmpty)
        #expect(try site.episodes(on: "/search?heard=no").count == 3)
    }

    @Test func `positions are kept and end with the episode`() throws {
        let site = try served()
        let ids = try site.episodes(on: "/")
        #expect(try site.client.post("/player/\(ids[0])/position", "seconds=61.5&duration=600").status == 204)
        #expect(try site.client.get("/player/\(ids[0])").text.contains(#""position":61.5"#))
        #expect(try site.client.get("/").text.contains("Continue listening"))
        _ = try site.client.post("/episodes/\(ids[1])", "do=queue")
        let next = try site.client.post("/player/\(ids[0])/finished")
        #expect(next.text.contains(ids[1]))
        #expect(!(try site.client.get("/player/\(ids[0])").text.contains("position")))
        #expect(try site.home.jimmy.run("search", "is:played").records.map(\.first) == [ids[0]])
        #expect(try site.client.post("/player/\(ids[0])/position", "seconds=-1").status == 400)
        #expect(try site.client.post("/player/\(ids[0])/position", "seconds=nan").status == 400)
    }

    @Test func `a downloaded file comes from here with ranges`() throws {
        let home = try Home()
        let sound = (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }
        home.server.on("/1.mp3", Reply(200, headers: [("Content-Type", "audio/mpeg")], body: sound))
        home.server.on(
            "/feed",
            .feed(Home.feed("Sea", episodes: 1).replacing("http://media.example", with: home.server.url)))
        let id = try #require(try home.jimmy.run("subscribe", home.server.url + "/feed").records.first?.first)
        let site = try Served(home)
        let episode = try #require(try site.episodes(on: "/podcasts/\(id)").first)
        let remote = try site.client.get("/media/\(episode)")
        #expect(remote.status == 302)
        #expect(remote.headers["location"] == home.server.url + "/1.mp3")
        #expect(try home.jimmy.run("download", episode).status == 0)
        let whole = try site.client.get("/media/\(episode)")
        #expect(whole.status == 200)
        #expect(whole.body == sound)
        #expect(whole.headers["accept-ranges"] == "bytes")
        let part = try site.client.get("/media/\(episode)", headers: ["Range": "bytes=100-199"])
        #expect(part.status == 206)
        #expect(part.headers["content-range"] == "bytes 100-199/5000")
        #expect(part.body == Array(sound[100..<200]))
        #expect(try site.client.get("/media/\(episode)", headers: ["Range": "bytes=-10"]).body == Array(sound.suffix(10)))
        #expect(try site.client.get("/media/\(episode)", headers: ["Range": "bytes=9999-"]).status == 416)
        let other = try site.client.get("/media/\(episode)", headers: ["Range": "bytes=1-2", "If-Range": "\"other\""])
        #expect(other.status == 200)
    }

    @Test func `a feed is fetched by the button that helps`() throws {
        let site = try served()
        let podcast = try #require(try site.episodes(on: "/").first).prefix { $0 != "-" }
        site.home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 4)))
        #expect(try site.client.post("/podcasts/\(podcast)", "do=refresh").status == 303)
        #expect(try site.episodes(on: "/podcasts/\(podcast)").count == 4)
        #expect(try site.episodes(on: "/").count == 4)
    }

    @Test func `undo knows what the page's refresh brought, and not that nothing came`() throws {
        let site = try served()
        let jimmy = site.home.jimmy
        let podcast = try #require(try site.episodes(on: "/").first).prefix { $0 != "-" }
        _ = try jimmy.run("tag", "+a", "Harbor 1")
        #expect(try site.client.post("/podcasts/\(podcast)", "do=refresh").status == 303)
        #expect(try jimmy.run("undo").output == "tag\t-a: 1 episode\n")
        _ = try jimmy.run("redo")
        site.home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 9)))
        #expect(try site.client.post("/podcasts/\(podcast)", "do=refresh").status == 303)
        #expect(try site.episodes(on: "/podcasts/\(podcast)").count == 9)
        let refused = try jimmy.run("undo")
        #expect(
            refused.errors.hasPrefix("jimmy: undo: the last change cannot be taken back: jimmy refresh, "), "\(refused.errors)")
        #expect(try jimmy.run("search", "tag:a").lines.count == 1)
    }

    @Test func `with refresh what is due is fetched`() throws {
        let home = try Home()
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 2)))
        _ = try home.jimmy.run("subscribe", "--no-fetch", home.server.url + "/harbor")
        let site = try Served(home, "--refresh")
        for _ in 0..<200 where try home.jimmy.run("episodes").lines.isEmpty { usleep(50_000) }
        #expect(try home.jimmy.run("episodes").lines.count == 2)
        #expect(try site.stop().status == 0)
    }

    @Test func `settings of a podcast are those of the command`() throws {
        let site = try served()
        let podcast = try #require(try site.episodes(on: "/").first).prefix { $0 != "-" }
        let fields = "do=settings&title=The+Sea&tags=calm,+water&transcripts=on&paused=1"
        #expect(try site.client.post("/podcasts/\(podcast)", fields).status == 303)
        let shown = try site.home.jimmy.run("show", String(podcast)).output
        #expect(shown.contains("The Sea") && shown.contains("calm, water") && shown.contains("paused, with transcripts"))
        #expect(try site.client.get("/podcasts?tag=calm").text.contains("The Sea"))
        #expect(try site.client.get("/podcasts?health=paused").text.contains("The Sea"))
        #expect(try site.client.post("/podcasts/\(podcast)", "do=unsubscribe").status == 303)
        #expect(try site.home.jimmy.run("podcasts").lines.isEmpty)
        #expect(try site.home.jimmy.run("undo").status == 0)
        #expect(try site.client.get("/podcasts").text.contains("The Sea"))
    }

    @Test func `subscribing shows the podcast before`() throws {
        let site = try served()
        site.home.server.on("/sea", .feed(Home.feed("Sea", episodes: 2)))
        let address = site.home.server.url + "/sea"
        let preview = try site.client.get("/subscribe?q=\(address)").text
        #expect(preview.contains("Sea 2"))
        #expect(try site.home.jimmy.run("podcasts").lines.count == 1)
        #expect(try site.client.post("/subscribe", "feed=\(address)").status == 303)
        #expect(try site.home.jimmy.run("podcasts").lines.count == 2)
        #expect(try site.client.get("/subscribe?q=\(address)").text.contains("Already subscribed"))
    }

    @Test func `lists go up and down`() throws {
        let site = try served()
        #expect(try site.client.get("/podcasts.opml").text.contains("xmlUrl=\"\(site.home.server.url)/harbor\""))
        let list = "<opml version=\"2.0\"><body><outline type=\"rss\" xmlUrl=\"https://radio.example/feed\"/></body></opml>"
        let body = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.opml\"\r\n\r\n\(list)\r\n--x--\r\n"
        let answer = try site.client.send(
            "POST", "/podcasts.opml", headers: ["Content-Type": "multipart/form-data; boundary=x"], body: Array(body.utf8))
        #expect(answer.status == 200)
        #expect(try site.home.jimmy.run("podcasts").output.contains("https://radio.example/feed"))
        let nonsense = try site.client.send(
            "POST", "/podcasts.opml", headers: ["Content-Type": "multipart/form-data; boundary=x"],
            body: Array(body.replacing(list, with: "<op").utf8))
        #expect(nonsense.status == 400)
    }

    @Test func `an unchanged page is not sent again`() throws {
        let site = try served()
        let tag = try #require(try site.client.get("/podcasts").headers["etag"])
        let again = try site.client.get("/podcasts", headers: ["If-None-Match": tag])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
    }

    @Test func `SIGTERM ends it well`() throws {
        let site = try served()
        #expect(try site.client.get("/").status == 200)
        #expect(try site.stop().status == 0)
    }

    @Test func `without the partner program it says so`() throws {
        let home = try Home()
        let run = try home.run(script: "cp \"$(readlink -f bin/jimmy)\" lonely && ./lonely serve")
        #expect(run.status == 69)
        #expect(run.errors.contains("jimmy-serve is not installed beside jimmy"))
    }
}
