import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// Large downloads are asked for first, as by the command.
@Suite(.inBrowser, .serialized)
struct DownloadQuestionTests {
    private let told = "document.querySelector('#told-text').textContent"

    @Test func `more than 50 files are downloaded only after a question`() throws {
        let home = try Home()
        for title in ["Sea", "Land"] { try home.subscribe(title, episodes: 26) }
        let site = try Served(home)
        let ids = try home.jimmy.run("episodes").records.compactMap(\.first)
        #expect(ids.count == 52)
        let fields = ids.map { "episode=\($0)" }.joined(separator: "&") + "&do=download"
        let question = try site.client.post("/episodes", fields + "&back=/starred")
        #expect(question.text.contains("Download 52 files") && question.text.contains("href=\"/starred\">Cancel"))
        #expect(try !site.client.get("/downloads").text.contains("data-download="))
        #expect(try site.client.post("/episodes", fields + "&sure=1").status == 303)
        #expect(try site.client.get("/downloads").text.contains("data-download="))
        // Fewer are not asked for.
        let few = ids.prefix(50).map { "episode=\($0)" }.joined(separator: "&")
        #expect(try site.client.post("/episodes", few + "&do=download").status == 303)
    }

    @Test func `more than 5 GB are downloaded only after a question`() throws {
        let home = try Home()
        let sound = Reply(200, headers: [("Content-Type", "audio/wav")], body: NightTrains.silence(seconds: 20))
        home.server.on("/long.wav", sound.with { $0.drip = (20_000, 0.2) })
        home.server.on(
            "/long",
            .feed(
                "<rss version=\"2.0\"><channel><title>Long</title><item><title>All of it</title><guid>a</guid><enclosure url=\"\(home.server.url)/long.wav\" type=\"audio/wav\" length=\"6000000000\"/></item></channel></rss>"
            ))
        _ = try home.jimmy.run("subscribe", home.server.url + "/long")
        let site = try Served(home)
        let id = try #require(try site.episodes(on: "/search?q=all").first)
        let browser = try Browser()
        try browser.resize(800)
        try browser.open(site.url + "/episodes/\(id)")
        try browser.click("article [value=download]")
        try browser.wait("document.querySelector('h1').textContent.startsWith('Download 1 file, about 6')")
        #expect(try browser.text("document.querySelector('h1').getAttribute('role')") == "alert")
        #expect(try browser.text(told) == "")
        try browser.click("main .answers a")
        try browser.wait("document.querySelector('article [value=download]')")
        #expect(home.server.requests(to: "/long.wav").isEmpty)
        // From the menu of a row as well.
        try browser.open(site.url + "/search?q=all")
        try browser.click("li.row [data-act=menu]")
        try browser.wait("document.querySelector('#menu').open")
        try browser.value(
            "[...document.querySelectorAll('#menu button')].find(b => b.textContent === 'Download to the server').click()")
        try browser.wait("document.querySelector('h1').textContent.startsWith('Download 1 file')")
        #expect(try browser.text("location.search") == "?q=all")
        try browser.click("main .answers [value=download]")
        try browser.wait("\(told) === 'Downloading to the server.' && document.querySelector('#results li.row')")
        try browser.wait(
            "\(told) === 'Downloaded.' && document.querySelector('li.row .facts').textContent.includes('downloaded')")
        #expect(browser.errors.isEmpty)
    }
}
