import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// Keys, focus, words about what was done, and lists, in a real browser.
@Suite(.inBrowser, .serialized)
struct PageUseTests {
    private let site: Served
    private let browser: Browser

    init() throws {
        site = try NightTrains.served()
        browser = try Browser()
        try browser.resize(800)
    }

    @Test func `a key changes a row and leaves the focus on its title`() throws {
        try browser.open(site.url + "/")
        try browser.press("j", "j")
        let title = try browser.text("document.activeElement.textContent")
        try browser.press("a")
        try browser.wait("document.querySelector('li.row [value=unqueue]')")
        #expect(try browser.text("document.activeElement.textContent") == title)
        try browser.press("Enter")
        try browser.wait("document.querySelector('article.episode h1')?.textContent === '\(title)'")
        #expect(try site.home.jimmy.run("queue").records.count == 1)
    }

    @Test func `what was done is said and can be undone`() throws {
        let told = "document.querySelector('#told-text').textContent"
        try browser.open(site.url + "/")
        let new = try browser.count("li.row")
        try browser.click("li.row [data-k=e]")
        try browser.wait("\(told) === 'Marked as seen.' && document.querySelectorAll('li.row').length === \(new - 1)")
        try browser.click("#told-act")
        try browser.wait("\(told).startsWith('Undone: +new') && document.querySelectorAll('li.row').length === \(new)")
        try browser.click("form[action='/seen'] button")
        try browser.wait("\(told) === 'All are marked as seen.'")
        // The latest are shown, with a line that says why.
        #expect(try browser.text("document.querySelector('.why').textContent").hasPrefix("Nothing is new"))
        #expect(try browser.count("li.row") == 5)
        try browser.press("u")
        try browser.wait("document.querySelectorAll('li.row.new').length === \(new)")
        for id in try site.episodes(on: "/").prefix(2) { _ = try site.client.post("/episodes/\(id)", "do=queue") }
        try browser.open(site.url + "/queue")
        try browser.click("form[action='/queue/clear'] button")
        try browser.wait("\(told) === 'The queue is cleared.' && !document.querySelector('li.row')")
        try browser.click("#told-act")
        try browser.wait("document.querySelectorAll('li.row').length === 2")
    }

    @Test func `going back returns to the place in the list`() throws {
        site.home.server.on("/long", .feed(Home.feed("Long", episodes: 25)))
        _ = try site.home.jimmy.run("subscribe", site.home.server.url + "/long")
        try browser.resize(800, 500)
        try browser.open(site.url + "/search?q=sea")
        try browser.wait("document.querySelectorAll('li.row').length > 15")
        try browser.value("scrollTo(0, 600)")
        try browser.wait("history.state && history.state.y === 600")
        try browser.value("document.querySelectorAll('li.row h3 a')[9].click()")
        try browser.wait("document.querySelector('article.episode') && scrollY === 0")
        try browser.value("history.back()")
        try browser.wait("document.querySelectorAll('li.row').length > 15 && scrollY === 600")
    }

    @Test func `the word that is being typed is a beginning`() throws {
        try browser.open(site.url + "/search")
        try browser.wait("document.activeElement.id === 'q'")
        for letter in "sleepin" {
            try browser.type(String(letter))
        }
        try browser.wait("location.search === '?q=sleepin' && document.querySelector('#results li.row')")
        #expect(try !browser.text("document.querySelector('#results').textContent").contains("Did you mean"))
        // Later the caret stands behind the query.
        try browser.open(site.url + "/search?q=sleep")
        try browser.wait("document.activeElement.selectionStart === 5")
    }

    @Test func `a search has pages`() throws {
        site.home.server.on("/long", .feed(Home.feed("Long", episodes: 25)))
        site.home.server.on("/other", .feed(Home.feed("Other", episodes: 25)))
        _ = try site.home.jimmy.run("subscribe", site.home.server.url + "/long", site.home.server.url + "/other")
        let pages = try (1...2).map { try site.episodes(on: "/search?q=sea&page=\($0)") }
        #expect(pages[0].count == 30 && pages[1].count == 24)
        #expect(Set(pages[0] + pages[1]).count == 54)
        #expect(try site.client.get("/search?q=sea").text.contains(#"href="/search?q=sea&amp;page=2""#))
    }

    @Test func `the player is reached by one key after the first`() throws {
        try browser.open(site.url + "/search?q=sleeping")
        try browser.click("li.row button[data-play]")
        try browser.wait("!document.querySelector('#player').hidden")
        try browser.open(site.url + "/queue")
        try browser.wait("!document.querySelector('#player').hidden")
        try browser.press("Tab", "Tab")
        #expect(try browser.text("document.activeElement.textContent") == "Skip to the player")
        // The page is not loaded again, which would take the focus back.
        try browser.value(
            "addEventListener('hashchange', () => hashed = true); hashed = loads = 0; fetched = fetch; fetch = (...of) => { loads += `${of[0]}`.includes('/queue'); return fetched(...of) }; 0"
        )
        try browser.press("Enter")
        try browser.wait("hashed && document.activeElement.id === 'player'")
        #expect(try browser.value("loads") as? Int == 0)
    }

    @Test func `the theme is chosen and stays`() throws {
        let ground = "getComputedStyle(document.documentElement).backgroundColor"
        try browser.open(site.url + "/")
        let light = try browser.text(ground)
        try browser.click("#theme")
        try browser.click("#theme")
        try browser.wait("\(ground) !== '\(light)'")
        let dark = try browser.text(ground)
        try browser.open(site.url + "/queue")
        #expect(try browser.text(ground) == dark)
    }

    @Test func `the space bar presses the button that has the focus, and nothing else`() throws {
        let audio = "document.querySelector('#audio')"
        try browser.open(site.url + "/search?q=sleeping")
        try browser.click("li.row button[data-play]")
        try browser.wait("\(audio).currentTime > 0 && !\(audio).paused")
        try browser.value("document.querySelector('li.row [data-k=s]').focus()")
        try browser.press(" ")
        try browser.wait("document.querySelector('li.row [value=unstar]')")
        #expect(try browser.value("\(audio).paused") as? Bool == false)
        try browser.value("document.querySelector('li.row h3 a').focus()")
        try browser.press(" ")
        try browser.wait("\(audio).paused")
        #expect(try browser.count("li.row [value=unstar]") == 1)
    }

    @Test func `empty pages say what to do`() throws {
        let empty = try Served(try Home())
        for (page, link) in [
            ("/", "/subscribe"), ("/", "/podcasts#opml"), ("/podcasts", "/subscribe"), ("/queue", "/"), ("/starred", "/"),
            ("/heard", "/"), ("/downloads", "/"), ("/suggested", "/"),
        ] {
            try browser.open(empty.url + page)
            #expect(try browser.count("main .empty a[href=\"\(link)\"]") == 1, "\(page)")
            #expect(try browser.text(Inspection.script) == "", "\(page)")
        }
        // The choice leads to the field of the list.
        try browser.open(empty.url + "/")
        try browser.click("main .empty a[href='/podcasts#opml']")
        try browser.wait("document.querySelector('#opml').open")
        #expect(try browser.value("document.querySelector('#file').getClientRects().length") as? Int == 1)
    }

    @Test func `signing out is asked for, since it removes what was kept`() throws {
        let home = try Home()
        _ = try home.jimmy.run("serve", "--set-password", input: "a long password\n")
        let site = try Served(home)
        try browser.open(site.url + "/queue")
        try browser.wait("document.activeElement.id === 'password'")
        try browser.type("a long password")
        try browser.press("Enter")
        try browser.wait("location.pathname === '/queue'")
        try browser.value("caches.open('kept').then(cache => cache.put('/media/x', new Response('x'))).then(() => 0)")
        try browser.click("form[action='/logout'] button")
        try browser.wait("document.querySelector('#ask').open")
        try browser.press("Escape")
        try browser.wait("!document.querySelector('#ask').open")
        #expect(try browser.value("caches.has('kept')") as? Bool == true)
        try browser.click("form[action='/logout'] button")
        try browser.wait("document.querySelector('#ask').open")
        try browser.click("#ask-yes")
        try browser.wait("document.title.startsWith('Sign in')")
        try browser.wait("caches.keys().then(names => names.length === 0)")
    }

    @Test func `a toast can be clicked as soon as it is there`() throws {
        try browser.open(site.url + "/")
        // In the same moment, before a frame is drawn.
        let hit = try browser.text(
            """
            (() => { const act = document.querySelector('#told-act'); act.hidden = false; act.textContent = 'Undo';
            document.querySelector('#told').classList.add('shown'); const b = act.getBoundingClientRect();
            return document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2).id; })()
            """)
        #expect(hit == "told-act")
    }

    @Test func `on a phone the player opens over the page, and Escape closes it`() throws {
        try browser.resize(360, 740)
        try browser.open(site.url + "/search?q=sleeping")
        try browser.click("li.row button[data-play]")
        try browser.wait("!document.querySelector('#player').hidden")
        try browser.click("#p-open")
        try browser.wait("document.querySelector('#player').getBoundingClientRect().height === innerHeight")
        #expect(try browser.value("document.querySelector('main').inert") as? Bool == true)
        #expect(try browser.text("document.querySelector('#p-open').getAttribute('aria-label')") == "Close the player")
        try browser.choose("1.5", in: "#p-speed")
        try browser.wait("document.querySelector('#audio').playbackRate === 1.5")
        try browser.press("Escape")
        try browser.wait("document.querySelector('#player').getBoundingClientRect().height < 100")
        #expect(try browser.value("document.querySelector('main').inert") as? Bool == false)
        #expect(try browser.text("document.activeElement.id") == "p-open")
        // A link in it leads to its page.
        try browser.click("#p-open")
        try browser.click("#p-title")
        try browser.wait("document.querySelector('article.episode') && !document.querySelector('main').inert")
        #expect(browser.errors.isEmpty)
    }
}
