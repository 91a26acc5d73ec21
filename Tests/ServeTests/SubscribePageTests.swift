import LoopbackServer
import ProgramSupport
import Testing

/// Finding podcasts and subscribing to them, in a real browser.
@Suite(.inBrowser, .serialized)
struct SubscribePageTests {
    private let home: Home
    private let browser: Browser
    private let told = "document.querySelector('#told-text').textContent"

    init() throws {
        (home, browser) = (try Home(), try Browser())
        try browser.resize(800)
    }

    private func look(for text: String, _ site: Served) throws {
        try browser.open(site.url + "/subscribe")
        try browser.wait("document.activeElement.id === 'q'")
        try browser.type(text)
        try browser.press("Enter")
    }

    @Test func `a private address is refused by its name, with the command that can`() throws {
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 1)))
        let (site, url) = (try Served(home), home.server.url + "/harbor")
        try look(for: url, site)
        try browser.wait("document.querySelector('[role=alert]')")
        let words = try browser.text("document.querySelector('[role=alert]').textContent")
        #expect(words == "its address is on this machine or a local network; 'jimmy subscribe \(url)' can fetch it")
        #expect(home.server.requests(to: "/harbor").isEmpty)
        #expect(try browser.text(Inspection.script) == "")
        // The command can.
        #expect(try home.jimmy.run("subscribe", url).status == 0)
        try look(for: url, site)
        try browser.wait("document.querySelector('.preview')?.innerText.includes('Already subscribed.')")
        #expect(browser.errors.isEmpty)
    }

    @Test func `the first subscription shows its newest episodes, and New its latest with the reason`() throws {
        // A host that the library knows may be private.
        _ = try home.jimmy.run("subscribe", "--no-fetch", home.server.url + "/known")
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 7)))
        let site = try Served(home)
        try look(for: home.server.url + "/harbor", site)
        try browser.wait("document.querySelector('.preview h2')?.textContent === 'Harbor'")
        let titles = try browser.text(
            "[...document.querySelectorAll('.preview li span[dir]')].map(e => e.textContent).join()")
        #expect(titles == "Harbor 7,Harbor 6,Harbor 5,Harbor 4,Harbor 3")
        try browser.click(".preview button")
        try browser.wait("\(told) === 'Subscribed to Harbor.' && document.querySelector('h1').textContent === 'Harbor'")
        try browser.press("g", "n")
        try browser.wait("document.title.startsWith('New')")
        try browser.wait("document.querySelector('.why')?.textContent.startsWith('Nothing is new')")
        let rows = try browser.text("[...document.querySelectorAll('li.row h3')].map(e => e.textContent).join()")
        #expect(rows.hasPrefix("Harbor 7,Harbor 6,"), "\(rows)")
    }

    @Test func `what is subscribed to already is not offered again`() throws {
        let id = try home.subscribe("Harbor")
        let (page, list) = (
            "<html><head><link rel=alternate type='application/rss+xml' href='/harbor'></head></html>",
            #"{"resultCount":2,"results":[{"collectionName":"Harbor","feedUrl":"\#(home.server.url)/harbor"},{"collectionName":"Sea","feedUrl":"https://sea.example/feed"}]}"#
        )
        home.server.on("/page", Reply(200, headers: [("Content-Type", "text/html")], body: Array(page.utf8)))
        home.server.on("/find", Reply(200, headers: [("Content-Type", "application/json")], body: Array(list.utf8)))
        _ = try home.jimmy.run("config", "set", "directory", home.server.url + "/find")
        let site = try Served(home)
        try look(for: home.server.url + "/page", site)
        try browser.wait("document.querySelector('.preview h2')")
        #expect(try browser.count(".preview button") == 0)
        try browser.click(".preview a.button")
        try browser.wait("location.pathname === '/podcasts/\(id)'")
        // Nor in what a directory lists.
        try look(for: "harbor", site)
        try browser.wait("document.querySelectorAll('.found > li').length === 2")
        #expect(try browser.text("document.querySelector('.found > li:first-child a.button').pathname") == "/podcasts/\(id)")
        #expect(try browser.count(".found > li:first-child button") == 0)
        #expect(try browser.text("document.querySelector('.found > li:last-child button').textContent") == "Subscribe")
        // Another scheme is said to be none, and no directory is asked.
        let asked = home.server.requests(to: "/find").count
        try look(for: "ftp://radio.example/feed", site)
        try browser.wait("document.querySelector('[role=alert]')?.textContent.includes('only feeds on the web')")
        #expect(home.server.requests(to: "/find").count == asked)
    }
}
