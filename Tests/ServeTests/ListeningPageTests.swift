import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// What a listener does with episodes and podcasts, in a real browser.
@Suite(.inBrowser, .serialized)
final class ListeningPageTests: OpenedPage {
    private func reveal(_ selector: String) throws {
        try browser.value("document.querySelector('\(selector)').closest('details').open = true")
    }

    @Test func `each change can be undone from its toast`() throws {
        try browser.open(site.url + "/episodes/\(id)")
        for (button, words) in [
            ("queue", "Added to the queue."), ("unqueue", "Removed from the queue."), ("next", "It plays next."),
            ("star", "Starred."), ("unstar", "Star removed."), ("played", "Marked as played."),
            ("unplayed", "Marked as unplayed."), ("archive", "Archived: no list shows it now."),
        ] {
            try browser.click("article .acts [value=\(button)]")
            try browser.wait("\(told) === '\(words)' && !document.querySelector('#told-act').hidden")
        }
        try browser.click("#told-act")
        try browser.wait("\(told) === 'Undone: -archived: 1 episode.' && document.querySelector('[value=archive]')")
    }

    @Test func `the settings of a podcast and its subscription can be undone`() throws {
        try browser.open(site.url + "/podcasts/\(podcast)")
        try reveal("#own-title")
        try browser.click("#own-title")
        try browser.type("Sleepers")
        try browser.click("[value=settings]")
        try browser.wait("\(told) === 'Settings saved.' && document.querySelector('h1').textContent === 'Sleepers'")
        try browser.click("#told-act")
        try browser.wait("\(told).startsWith('Undone: title') && document.querySelector('h1').textContent === 'Night Trains'")
        try reveal("[value=unsubscribe]")
        try browser.click("[value=unsubscribe]")
        try browser.wait("\(told) === 'Unsubscribed from Night Trains.' && location.pathname === '/podcasts'")
        try browser.click("#told-act")
        try browser.wait("\(told).includes('subscribed to Night Trains again')")
        try browser.wait("document.querySelectorAll('.cards li').length === 2")
    }

    @Test func `a subscription is undone as one`() throws {
        site.home.server.on("/sea", .feed(Home.feed("Sea", episodes: 2)))
        try browser.open(site.url + "/subscribe?q=\(site.home.server.url)/sea")
        try browser.click("form[action='/subscribe'][method=post] button")
        try browser.wait("\(told) === 'Subscribed to Sea.' && document.querySelector('h1').textContent === 'Sea'")
        try browser.click("#told-act")
        try browser.wait("location.pathname === '/podcasts' && document.querySelectorAll('.cards li').length === 2")
    }

    @Test func `an imported list is undone as one`() throws {
        let list =
            "<opml><body><outline type=\"rss\" xmlUrl=\"https://a.example/f\"/><outline type=\"rss\" xmlUrl=\"https://b.example/f\"/></body></opml>"
        let body = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.opml\"\r\n\r\n\(list)\r\n--b--\r\n"
        let answer = try site.client.send(
            "POST", "/podcasts.opml", headers: ["Content-Type": "multipart/form-data; boundary=b"], body: Array(body.utf8))
        #expect(answer.text.contains("action=\"/undo\""))
        #expect(try site.home.jimmy.run("podcasts").lines.count == 4)
        #expect(try site.client.post("/undo", "back=/podcasts").headers["location"] == "/podcasts")
        #expect(try site.home.jimmy.run("podcasts").lines.count == 2)
    }

    @Test func `more for a row is behind one button and a key`() throws {
        let others = try site.episodes(on: "/").filter { $0 != id }.prefix(2)
        for episode in others { _ = try site.client.post("/episodes/\(episode)", "do=queue") }
        try browser.open(site.url + "/search?q=sleeping")
        try browser.press("Escape", "j", "d")
        try choose("Play next")
        try browser.wait("\(told) === 'It plays next.'")
        #expect(try site.episodes(on: "/queue") == [id] + others)
        try browser.click("li.row [data-act=menu]")
        try choose("Add tags…")
        try browser.wait("document.querySelector('#ask').open")
        try browser.type("commute, slow")
        try browser.press("Enter")
        try browser.wait("\(told) === 'Tagged.'")
        #expect(try site.home.jimmy.run("search", "tag:commute tag:slow").records.map(\.first) == [id])
        #expect(try browser.text("document.activeElement.dataset.act") == "menu")
        try browser.open(site.url + "/episodes/\(id)")
        try browser.click("[data-key='tag-slow'] button")
        try browser.wait("\(told) === 'slow removed.' && !document.querySelector(\"[data-key='tag-slow']\")")
        try browser.click("#tag")
        try browser.type("a b?")
        try browser.click("[value=tag]")
        try browser.wait("document.querySelector('main').textContent.includes('is not a tag')")
    }

    @Test func `several are selected and changed at once`() throws {
        try browser.open(site.url + "/")
        try browser.press("j", "x", "j", "x")
        try browser.wait("document.querySelector('#picked-count').textContent === '2 selected'")
        #expect(try browser.count("li.row .pick input:checked") == 2)
        try browser.click("[data-many=queue]")
        try browser.wait("\(told) === 'Added to the queue.' && document.querySelector('#picked').hidden")
        #expect(try site.episodes(on: "/queue").count == 2)
        try browser.press("u")
        try browser.wait("\(told).startsWith('Undone: queue')")
        #expect(try site.episodes(on: "/queue").isEmpty)
        try browser.click("li.row [data-act=menu]")
        try choose("Select several")
        try browser.click("[data-act=pickAll]")
        try browser.click("[data-many=played]")
        try browser.wait("\(told) === 'Marked as played.'")
        #expect(try site.home.jimmy.run("search", "is:played").records.count == 4)
        try browser.click("#told-act")
        try browser.wait("\(told).startsWith('Undone')")
        #expect(try site.home.jimmy.run("search", "is:played").records.isEmpty)
        #expect(browser.errors.isEmpty)
    }

    @Test func `a podcast shows what is new, what is unheard, and either end first`() throws {
        let harbor = try #require(try site.episodes(on: "/").first { $0 != id }).prefix { $0 != "-" }
        try browser.open(site.url + "/podcasts")
        let badge = "document.querySelector(\".cards a[href='/podcasts/\(harbor)'] .badge\").innerText"
        #expect(try browser.text(badge).hasPrefix("3"))
        let all = try site.episodes(on: "/podcasts/\(harbor)")
        #expect(all.count == 4)
        #expect(try site.episodes(on: "/podcasts/\(harbor)?sort=oldest") == all.reversed())
        _ = try site.client.post("/episodes/\(all[1])", "do=played")
        try browser.open(site.url + "/podcasts/\(harbor)")
        try browser.click(".narrow .chip:nth-child(2)")
        try browser.wait("location.search === '?show=unplayed' && document.querySelectorAll('li.row').length === 3")
        try browser.click(".sorts a:nth-child(2)")
        try browser.wait("location.search === '?show=unplayed&sort=oldest'")
        try browser.wait("document.querySelector('li.row').dataset.episode === '\(all[3])'")
        #expect(try site.episodes(on: "/podcasts/\(harbor)?show=new").count == 2)
    }

    @Test func `a podcast has its own speed, and its beginning and end are skipped`() throws {
        let fields = "do=settings&speed=1.4&skipIntro=20&skipOutro=15"
        #expect(try site.client.post("/podcasts/\(podcast)", fields).status == 303)
        #expect(try site.client.post("/podcasts/\(podcast)", "do=settings&speed=9").status == 400)
        try play()
        try browser.wait("\(audio).currentTime > 20 && \(audio).playbackRate === 1.4 && \(audio).readyState > 1")
        #expect(try browser.text("document.querySelector('#p-speed').selectedOptions[0].textContent") == "1.4×")
        try browser.value("\(audio).currentTime = 104.9")
        for _ in 0..<200 where try site.home.jimmy.run("search", "is:played").records.isEmpty { usleep(50_000) }
        #expect(try site.home.jimmy.run("search", "is:played").records.map(\.first) == [id])
        #expect(try browser.value("\(audio).paused") as? Bool == true)
    }

    @Test func `lists show what was starred, heard and may be heard`() throws {
        _ = try site.home.jimmy.run("config", "set", "query.beds", "title:sleeping")
        _ = try site.client.post("/episodes/\(id)", "do=star")
        _ = try site.client.post("/player/\(id)/position", "seconds=10&duration=120&age=20")
        _ = try site.client.post("/player/\(id)/position", "seconds=25&duration=120")
        try browser.resize(1_280)
        try browser.open(site.url + "/")
        try browser.press("g", "t")
        try browser.wait("document.title.startsWith('Starred') && document.querySelectorAll('li.row').length === 1")
        try browser.press("g", "h")
        try browser.wait(
            "document.title.startsWith('Heard') && document.querySelector('li.row .snippet').textContent.includes('for 0:15')")
        try browser.press("g", "u")
        try browser.wait("document.title.startsWith('Suggested') && document.querySelector('li.row .snippet')")
        try browser.click(".top a[href='/search?q=query%3Abeds']")
        try browser.wait("document.querySelectorAll('#results li.row').length === 1")
        #expect(try browser.text("document.querySelector('.top [aria-current]').innerText.trim()") == "beds")
        try browser.open(site.url + "/")
        try browser.click("[data-lazy] summary")
        try browser.wait("document.querySelector('[data-lazy] li.row')")
    }

    @Test func `New notices what a refresh brought`() throws {
        try browser.open(site.url + "/")
        site.home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 5)))
        _ = try site.home.jimmy.run("refresh", "--force")
        try browser.value("dispatchEvent(new Event('focus'))")
        try browser.wait("!document.querySelector('#news').hidden")
        let rows = try browser.count("#days li.row")
        try browser.click("[data-act=reload]")
        try browser.wait("document.querySelectorAll('#days li.row').length === \(rows + 1)")
    }

    @Test func `an episode is shared from where it is`() throws {
        try browser.open(site.url + "/episodes/\(id)?at=50")
        try browser.value(
            "navigator.share = undefined; navigator.clipboard.writeText = async text => { window.copied = text }; 0")
        try browser.click("#share")
        try browser.wait("window.copied")
        #expect(try browser.text("copied").hasPrefix("Sleeping cars – Night Trains\n\(site.home.server.url)/sound.wav"))
        try browser.click("article [data-play].main")
        try browser.wait("\(audio).currentTime >= 50")
        try browser.press(" ")
        try browser.click("#share")
        try browser.wait("copied.includes('#t=5')")
        #expect(try browser.text("copied").contains(", from 0:5"))
    }
}
