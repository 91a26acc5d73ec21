import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// Previews of feeds and subscribing in the page.
@Suite struct PreviewTests {
    @Test func `a server that was away is asked again when a person asks`() throws {
        let home = try Home()
        let other = try LoopbackServer()
        let port = other.port
        other.stop()
        let url = "http://127.0.0.1:\(port)"
        _ = try home.jimmy.run("subscribe", "--no-fetch", url + "/known")
        let site = try Served(home)
        for _ in 0..<5 {
            #expect(try site.client.get("/subscribe?q=\(url)/harbor").text.contains("no connection to the server"))
        }
        let back = try LoopbackServer(port: port)
        defer { back.stop() }
        back.on("/harbor", .feed(Home.feed("Harbor", episodes: 7)))
        let page = try site.client.get("/subscribe?q=\(url)/harbor").text
        // The newest come first.
        let titles = page.matches(of: /<li><span dir="auto">([^<]+)</).map { String($0.1) }
        #expect(titles == ["Harbor 7", "Harbor 6", "Harbor 5", "Harbor 4", "Harbor 3"])
        #expect(try site.client.post("/subscribe", "feed=\(url)/harbor").status == 303)
    }

    @Test func `a private address is refused by its name`() throws {
        let home = try Home()
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 1)))
        let site = try Served(home)
        let page = try site.client.get("/subscribe?q=\(home.server.url)/harbor").text
        #expect(page.contains("its address is on this machine or a local network"))
        #expect(page.contains("jimmy subscribe \(home.server.url)/harbor"))
        #expect(home.server.requests(to: "/harbor").isEmpty)
    }

    @Test func `a page that names a subscribed feed leads to the podcast`() throws {
        let home = try Home()
        let id = try home.subscribe("Harbor")
        let html = "<html><head><link rel=alternate type='application/rss+xml' href='/harbor'></head></html>"
        home.server.on("/page", Reply(200, headers: [("Content-Type", "text/html")], body: Array(html.utf8)))
        let site = try Served(home)
        let page = try site.client.get("/subscribe?q=\(home.server.url)/page").text
        #expect(page.contains(#"Already subscribed. <a class="button" href="/podcasts/\#(id)">"#))
        #expect(try site.client.get("/subscribe?q=ftp://radio.example/feed").text.contains("only feeds on the web"))
    }

    @Test func `an imported list is fetched at once`() throws {
        let home = try Home()
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 2)))
        let site = try Served(home)
        let list = "<opml><body><outline type=\"rss\" xmlUrl=\"\(home.server.url)/harbor\"/></body></opml>"
        let body = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.opml\"\r\n\r\n\(list)\r\n--b--\r\n"
        let answer = try site.client.send(
            "POST", "/podcasts.opml", headers: ["Content-Type": "multipart/form-data; boundary=b"], body: Array(body.utf8))
        #expect(answer.status == 200)
        for _ in 0..<200 where try !site.client.get("/podcasts").text.contains("2 episodes") { usleep(50_000) }
        #expect(try site.client.get("/podcasts").text.contains("2 episodes"))
    }
}
