import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// Keys, focus, words about what was done, and lists, in a real browser.
@Suite(.inBrowser, .serialized)
final class PageUseTests: OpenedPage {
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
        // A suggestion waits until the query is complete.
        for letter in "sleepign" {
            if letter == "s" { try browser.value("document.querySelector('#q').value = ''") }
            try browser.type(String(letter))
        }
        try browser.wait("location.search === '?q=sleepign' && !document.querySelector('#results li.row')")
        #expect(try !browser.text("document.querySelector('#results').textContent").contains("Did you mean"))
        try browser.press("Enter")
        try browser.wait("document.querySelector('#results').textContent.includes('Did you mean')")
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
        try browser.open(site.url + "/search?q=sea")
        #expect(try browser.text("document.querySelector('#results .count').textContent") == "54 episodes")
        try browser.click(".pager [rel=next]")
        try browser.wait("location.search === '?q=sea&page=2' && document.querySelectorAll('li.row').length === 24")
        #expect(try browser.value("scrollY") as? Int == 0)
        try browser.click(".pager [rel=prev]")
        try browser.wait("document.querySelectorAll('li.row').length === 30")
    }

    @Test func `a long queue has pages, and an episode moves from one to the other`() throws {
        for title in ["Long", "Longer"] { try site.home.subscribe(title, episodes: 25) }
        let queued = try site.home.jimmy.run("queue", "add", "--query", "title:long*").records.compactMap(\.first)
        #expect(queued.count == 50)
        try browser.open(site.url + "/queue")
        #expect(try browser.count("li.row") == 30)
        try browser.click(".pager [rel=next]")
        try browser.wait("location.search === '?page=2' && document.querySelectorAll('li.row').length === 20")
        #expect(try browser.value("document.querySelector('ol.queue').start") as? Int == 31)
        // By key from the first place of the second page to the last of the first, and the focus goes along.
        try browser.press("j")
        try browser.press("ArrowUp", shift: true)
        try browser.wait(
            "location.search === '' && document.activeElement.closest('li.row')?.dataset.episode === '\(queued[30])'")
        #expect(try browser.text("document.querySelector('li.row:last-child').dataset.episode") == queued[30])
        #expect(try browser.text(told) == "Moved.")
        try browser.press("u")
        try browser.wait("\(told).startsWith('Undone')")
        #expect(try site.episodes(on: "/queue?page=2").first == queued[30])
    }

    @Test func `what scripts and apps ask for is small, steady and said in their language`() throws {
        try browser.open(site.url + "/search?q=sea")
        let size = "(e => e.encodedBodySize < e.decodedBodySize / 2)(performance.getEntriesByType('navigation')[0])"
        #expect(try browser.value(size) as? Bool == true)
        let scripts =
            "performance.getEntriesByType('resource').filter(e => e.name.includes('script.js')).map(e => e.decodedBodySize)"
        #expect(try browser.value("\(scripts)[0] > 0 && \(scripts)[0] < 60000") as? Bool == true)
        // The tag of a search is the same a second later; the ages in it change with the minutes.
        let steady = """
            (async () => { const tag = async () => (await fetch('/api/1/search?q=sea')).headers.get('etag'), tags = [];
            for (let i = 0; i < 3; i++) { tags.push(await tag()); await new Promise(done => setTimeout(done, 1100)); }
            return tags[0] !== null && new Set(tags).size < 3; })()
            """
        #expect(try browser.value(steady) as? Bool == true)
        let answer = { (path: String, options: String) in
            "fetch('\(path)', \(options)).then(async a => [a.status, a.headers.get('allow'), (a.headers.get('content-type') || '').split(';')[0], (await a.text()).slice(0, 60)].join(' | '))"
        }
        #expect(try browser.text(answer("/search.json", "{}")).hasPrefix("400 |  | application/json | {\"error\":"))
        #expect(try browser.text(answer("/status", "{ method: 'POST' }")).hasPrefix("405 | GET, HEAD | text/html | "))
        #expect(
            try browser.text(answer("/api/1/queue", "{ method: 'PATCH' }")).hasPrefix(
                "405 | GET, HEAD, POST | application/json | "))
        #expect(try browser.text(answer("/api/1/episodes?unknown=1", "{}")).hasPrefix("400 |  | application/json | {\"error\":"))
        let rows =
            "fetch('/api/1/episodes?page=2&limit=2').then(a => a.json()).then(page => [page.rows.length, page.total].join())"
        #expect(try browser.text(rows) == "2,5")
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
