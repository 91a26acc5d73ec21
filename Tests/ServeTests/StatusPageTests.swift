import DatabaseServer
import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// What the pages say about the state of the library, in a real browser.
@Suite(.inBrowser, .serialized)
struct StatusPageTests {
    private let told = "document.querySelector('#told-text').textContent"

    @Test func `words of health are explained where they stand`() throws {
        let (site, id, browser) = try NightTrains.opened()
        let podcast = id.prefix { $0 != "-" }
        _ = try site.home.jimmy.run("edit", "Harbor", "--pause")
        try browser.open(site.url + "/podcasts")
        try browser.value("[...document.querySelectorAll('a.chip')].find(a => a.textContent === 'dormant').click()")
        try browser.wait("location.search === '?health=dormant' && document.querySelectorAll('.cards li').length === 1")
        #expect(try browser.text("document.querySelector('#list .why').textContent").hasPrefix("dormant: answers, but"))
        try browser.open(site.url + "/podcasts/\(podcast)")
        #expect(try browser.text("document.querySelector('article > .note').textContent").hasPrefix("dormant: answers, but"))
        // The word leads to all of them.
        try browser.open(site.url + "/podcasts")
        try browser.click("#by-health")
        try browser.wait("document.title.startsWith('Status') && document.querySelector('.meanings')")
        let rows = try browser.text(
            "[...document.querySelectorAll('.meanings div')].map(e => e.querySelector('dt').innerText.trim().replace(/\\s+/g, ' ') + ': ' + e.querySelector('dd').textContent).join('\\n')"
        )
        #expect(rows.contains("paused 1: you paused it") && rows.contains("dormant 1: answers"), "\(rows)")
        #expect(browser.errors.isEmpty)
    }

    @Test func `charts are as new as the last fetch`() throws {
        let (site, id, browser) = try NightTrains.opened()
        let source = "document.querySelector('main .chart').src"
        try browser.open(site.url + "/podcasts/\(id.prefix { $0 != "-" })")
        let podcastChart = try browser.text(source)
        // A chart is named by the second of the last answer.
        usleep(1_100_000)
        try browser.value("document.querySelectorAll('details').forEach(d => d.open = true)")
        try browser.click("[value=refresh]")
        try browser.wait("\(told) === 'Its server was asked.' && \(source) !== '\(podcastChart)'")
        try browser.open(site.url + "/status")
        let chart = try browser.text(source)
        usleep(1_100_000)
        _ = try site.home.jimmy.run("refresh", "--force")
        try browser.press("g", "s")
        try browser.wait("\(source) !== '\(chart)'")
    }

    @Test(.enabled(if: !Home.usesDatabase, "The library is in a database."))
    func `the chart of all opens no episode's file`() throws {
        let (site, id, browser) = try NightTrains.opened()
        try browser.open(site.url + "/status")
        try browser.wait("document.querySelector('main .chart').naturalWidth > 0")
        let drawn = try browser.text("fetch('/status/chart.svg').then(a => a.text())")
        #expect(drawn.contains("<svg"))
        // Whoever opens the files from here on finds none.
        let folder = site.home.library + "/podcasts"
        #expect(rename(folder, folder + "-elsewhere") == 0)
        #expect(try browser.text("fetch('/status/chart.svg?v=again').then(a => a.text())") == drawn)
        #expect(try browser.value("fetch('/episodes/\(id)').then(a => a.status)") as? Int != 200)
        #expect(rename(folder + "-elsewhere", folder) == 0)
        #expect(try browser.value("fetch('/episodes/\(id)').then(a => a.status)") as? Int == 200)
    }

    @Test func `a number is said once`() throws {
        let (site, id, browser) = try NightTrains.opened()
        let harbor = try #require(try site.episodes(on: "/").first { $0 != id }).prefix { $0 != "-" }
        try browser.open(site.url + "/podcasts/\(harbor)")
        let said = "(document.querySelector('main').innerText.match(/\\b4 episodes/g) || []).length"
        #expect(try browser.value(said) as? Int == 1)
        // What is filtered has its own number.
        try browser.open(site.url + "/podcasts/\(harbor)?show=new")
        #expect(try browser.text("document.querySelector('.narrow .count').textContent") == "3 episodes")
    }

    @Test func `fetching says so`() throws {
        let (site, _, browser) = try NightTrains.opened()
        site.home.server.on("/harbor", Reply(404))
        _ = try site.home.jimmy.run("refresh", "--force")
        try browser.open(site.url + "/status")
        #expect(try browser.text("document.querySelector('.trouble-list').innerText").contains("404"))
        site.home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 4)))
        try browser.click(".trouble-list button")
        try browser.wait("\(told) === 'The server of Harbor was asked.' && !document.querySelector('.trouble-list')")
    }

    @Test func `an imported list is fetched, and the page says how far that is`() throws {
        let home = try Home()
        for name in ["sea", "land"] {
            home.server.on("/\(name)", Reply.feed(Home.feed(name, episodes: 2)).with { $0.delay = 3 })
        }
        let outlines = ["sea", "land"].map { "<outline type=\"rss\" xmlUrl=\"\(home.server.url)/\($0)\"/>" }.joined()
        try home.write("<opml><body>\(outlines)</body></opml>", to: "list.opml")
        let (site, browser) = (try Served(home), try Browser())
        try browser.open(site.url + "/podcasts")
        let root = try browser.command("DOM.getDocument")["root"] as? [String: Any]
        let field = try browser.command("DOM.querySelector", ["nodeId": root?["nodeId"] ?? 0, "selector": "#file"])
        try browser.command(
            "DOM.setFileInputFiles", ["nodeId": field["nodeId"] ?? 0, "files": ["\(home.folder)/list.opml"]])
        try browser.click("#opml form button")
        try browser.wait("document.querySelector('form[action=\"/undo\"]')")
        try browser.click("main a.button")
        try browser.wait("document.querySelector('.tiles').innerText.includes('Not fetched yet')")
        try browser.wait("!document.querySelector('.tiles').innerText.includes('Not fetched yet')")
        #expect(try browser.text("document.querySelector('.tiles dd:nth-of-type(1)').textContent") == "2")
    }

    @Test(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
    func `workers of a library in a database are shown`() throws {
        let home = try Home(database: try #require(PostgresServer.shared).newLibrary())
        try home.subscribe("Harbor")
        var silent = Reply()
        silent.hangs = true
        home.server.on("/harbor", silent)
        let run = try home.jimmy.start(["refresh", "--force"])
        let (site, browser) = (try Served(home), try Browser())
        let workers = "[...document.querySelectorAll('main .workers li')].map(e => e.textContent).join('|')"
        _ = try Scripts.wait {
            try browser.open(site.url + "/status")
            return try browser.text(workers).contains("last sign of life") ? true : nil
        }
        #expect(try browser.text(Inspection.script) == "")
        run.signal(SIGTERM)
        _ = try run.end()
        _ = try Scripts.wait {
            try browser.open(site.url + "/status")
            return try browser.text(workers) == "No worker runs." ? true : nil
        }
    }
}
