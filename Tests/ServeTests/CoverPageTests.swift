import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// Covers as they appear in a real browser.
@Suite(
    .inBrowser, .serialized,
    .enabled(if: access("/usr/bin/vipsthumbnail", X_OK) == 0, "Debian's libvips-tools are not installed."))
struct CoverPageTests {
    private let home: Home
    private let browser: Browser

    init() throws {
        home = try Home()
        browser = try Browser()
        for (name, side) in [("own", 200), ("cover", 300)] {
            let run = try home.run(script: "vips black \(name).png \(side) \(side) --bands 3 && base64 -w0 \(name).png")
            #expect(run.status == 0, "\(run.errors)")
            home.server.on(
                "/\(name).png", Reply(200, headers: [("Content-Type", "image/png")], body: try bytes(of: "\(name).png")))
        }
        home.server.on(
            "/sound.wav", Reply(200, headers: [("Content-Type", "audio/wav")], body: NightTrains.silence(seconds: 60)))
    }

    private func bytes(of file: String) throws -> [UInt8] {
        guard let stream = fopen("\(home.folder)/\(file)", "r") else { throw TestFailure("no \(file)") }
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        return Array(bytes[..<fread(&bytes, 1, bytes.count, stream)])
    }

    private func subscribe() throws -> String {
        let url = home.server.url
        let items = [("Own", "<itunes:image href=\"\(url)/own.png\"/>"), ("Plain", "")].map { title, image in
            "<item><title>\(title)</title><guid>\(title)</guid>\(image)<enclosure url=\"\(url)/sound.wav\" type=\"audio/wav\" length=\"1\"/></item>"
        }
        home.server.on(
            "/harbor",
            .feed(
                "<rss version=\"2.0\" xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\"><channel><title>Harbor</title><itunes:image href=\"\(url)/cover.png\"/>\(items.joined())</channel></rss>"
            ))
        return try #require(try home.jimmy.run("subscribe", url + "/harbor").records.first?.first)
    }

    private func width(_ selector: String) -> String { "document.querySelector(\"\(selector)\")?.naturalWidth" }

    @Test func `an episode's own cover is shown in lists, on its page and in the player`() throws {
        let podcast = try subscribe()
        let site = try Served(home)
        let ids = try site.episodes(on: "/podcasts/\(podcast)")
        let own = try #require(try ids.first { try site.client.get("/episodes/\($0)").text.contains("<h1 dir=\"auto\">Own") })
        try browser.resize(1_440)
        try browser.open(site.url + "/podcasts/\(podcast)")
        try browser.wait("\(width("[data-episode='\(own)'] .cover img")) === 128")
        for id in ids {
            let path = try browser.text("new URL(document.querySelector(\"[data-episode='\(id)'] .cover img\").src).pathname")
            #expect(path == (id == own ? "/covers/episodes/\(id)" : "/covers/\(podcast)"))
        }
        // The large ones have the sizes of the pictures, which differ.
        try browser.wait("\(width(".title .front")) === 300")
        try browser.open(site.url + "/episodes/\(own)")
        try browser.wait("\(width(".title .front")) === 200")
        try browser.click("article [data-play].main")
        try browser.wait("\(width("#p-cover img")) === 200")
        let other = try #require(ids.first { $0 != own })
        try browser.open(site.url + "/episodes/\(other)")
        try browser.wait("\(width(".title .front")) === 300")
        #expect(home.server.requests(to: "/own.png").count == 1 && home.server.requests(to: "/cover.png").count == 1)
        #expect(browser.errors.isEmpty)
    }

    @Test func `a letter becomes the cover when it has come`() throws {
        let picture = Reply(200, headers: [("Content-Type", "image/png")], body: try bytes(of: "cover.png"))
        home.server.on("/cover.png", picture.with { $0.delay = 4 })
        let podcast = try subscribe()
        let site = try Served(home)
        try browser.open(site.url + "/podcasts")
        try browser.wait("\(width(".cards a[href='/podcasts/\(podcast)'] img")) === 300")
        #expect(home.server.requests(to: "/cover.png").count == 1)
    }

    @Test func `a server that was away three times gives previews, subscriptions and covers again`() throws {
        let other = try LoopbackServer()
        let (port, url) = (other.port, other.url)
        func feed(_ title: String) -> Reply {
            .feed(Home.feed(title, episodes: 1, extra: "<image><url>\(url)/\(title).png</url></image>"))
        }
        let known = ["One", "Two", "Three", "Four"]
        for title in known { other.on("/\(title)", feed(title)) }
        _ = try home.jimmy.run(["subscribe"] + known.map { "\(url)/\($0)" })
        other.stop()
        let site = try Served(home)
        // Its covers cannot be had: letters stand for them, and are asked for again.
        try browser.open(site.url + "/podcasts")
        try browser.wait(
            "[...document.querySelectorAll('.cards img')].filter(e => e.naturalWidth === 99 && e.dataset.tries > 1).length === 4")
        let failure = "document.querySelector('[role=alert]')?.textContent.includes('no connection to the server')"
        for round in 1...4 {
            try browser.open(site.url + "/subscribe?q=\(url)/Five&round=\(round)")
            try browser.wait(failure)
        }
        let back = try LoopbackServer(port: port)
        defer { back.stop() }
        back.on("/Five", feed("Five"))
        for title in known + ["Five"] {
            back.on("/\(title).png", Reply(200, headers: [("Content-Type", "image/png")], body: try bytes(of: "cover.png")))
        }
        try browser.open(site.url + "/subscribe?q=\(url)/Five")
        try browser.wait("document.querySelector('.preview h2')?.textContent === 'Five'")
        try browser.click(".preview button")
        try browser.wait("document.querySelector('h1').textContent === 'Five'")
        // The picture is asked for until the server's failures are forgotten, after a minute.
        try browser.wait("\(width(".title .front")) === 99")
    }

    @Test func `a podcast without a title has the letter of its host`() throws {
        let podcast = try #require(
            try home.jimmy.run("subscribe", "--no-fetch", "http://www.harbor.example/feed").records.first?.first)
        let site = try Served(home)
        #expect(try site.client.get("/covers/\(podcast)").text.contains(">H</text>"))
        try browser.open(site.url + "/podcasts")
        try browser.wait("\(width(".cards img")) > 0")
    }
}
