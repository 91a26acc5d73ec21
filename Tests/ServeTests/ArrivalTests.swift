import LoopbackServer
import ProgramSupport
import Testing

/// Pages that arrive slowly, and the order in which they are read, in a real browser.
@Suite(.inBrowser, .serialized)
final class ArrivalTests: OpenedPage {
    override init() throws {
        try super.init()
        for title in ["Long", "Longer"] { try site.home.subscribe(title, episodes: 25) }
    }

    @Test(arguments: [360, 800, 1_440]) func `nothing moves while a page arrives`(_ width: Int) throws {
        for fields in ["do=queue", "do=mark&seconds=30&note=linen", "do=tag&tag=commute"] {
            _ = try site.client.post("/episodes/\(id)", fields)
        }
        _ = try site.client.post("/player/\(id)/position", "seconds=20&duration=120")
        try browser.openFirst(
            """
            window.shifts = []; new PerformanceObserver(list => list.getEntries().forEach(shift => {
            if (!shift.hadRecentInput) shifts.push([shift.value, ...shift.sources.map(s => s.node?.className || s.node?.nodeName)]);
            })).observe({ type: 'layout-shift', buffered: true });
            """)
        try browser.resize(width)
        // Style and script are in the browser's cache from now on, as on all visits but the first.
        try browser.open(site.url + "/search")
        try browser.command("Network.setExtraHTTPHeaders", ["headers": ["Accept-Encoding": "identity"]])
        try browser.command(
            "Network.emulateNetworkConditions",
            ["offline": false, "latency": 0, "downloadThroughput": 60_000, "uploadThroughput": -1])
        for screen in [
            "/", "/search?q=sea", "/podcasts", "/podcasts/\(podcast)", "/episodes/\(id)", "/queue", "/status", "/heard",
            "/downloads", "/suggested",
        ] {
            try browser.open(site.url + screen)
            try browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            let total = try browser.value("shifts.reduce((sum, shift) => sum + shift[0], 0)") as? Double
            let shifts = try browser.text("JSON.stringify(shifts)")
            #expect(total ?? 1 <= Inspection.maxShift, "\(screen) at \(width): \(shifts)")
        }
        #expect(browser.errors.isEmpty)
    }

    @Test(arguments: [360, 800, 1_440]) func `a row that is cut within its title does not move`(_ width: Int) throws {
        let titles = ["The conductor's coffee, and what it is made of", "قسمت دوم: باد و چراغ دریایی"]
        let feed = titles.reduce(Home.feed("Cut", episodes: 2)) { text, title in
            text.replacing("<title>Cut \(title == titles[0] ? 1 : 2)</title>", with: "<title>\(title)</title>")
        }
        site.home.server.on("/cut", .feed(feed))
        _ = try site.home.jimmy.run("subscribe", site.home.server.url + "/cut")
        let page = try site.client.get("/search?q=cut").body
        for file in String(decoding: page, as: UTF8.self).matches(of: /\/assets\/[a-z.]+/).map({ String($0.0) }) {
            let answer = try site.client.get(file)
            site.home.server.on(file, Reply(headers: [("Content-Type", answer.headers["content-type"] ?? "")], body: answer.body))
        }
        try browser.openFirst(
            """
            window.shifts = []; new PerformanceObserver(list => list.getEntries().forEach(shift => {
            if (!shift.hadRecentInput) shifts.push(shift.value); })).observe({ type: 'layout-shift', buffered: true });
            """)
        try browser.resize(width)
        try browser.open(site.home.server.url + "/assets/style.css")
        for title in titles {
            let start = try #require(page.firstRange(of: Array((title.replacing("'", with: "&#39;") + "</a>").utf8))).lowerBound
            // In the title's first word, between its words, and before the facts below it.
            for cut in [2, 16, 60] {
                let path = "/cut-\(cut)-\(start)"
                site.home.server.on(
                    path,
                    Reply(headers: [("Content-Type", "text/html; charset=utf-8")], body: page).with {
                        $0.drip = (start + cut, 0.3)
                    })
                try browser.open(site.home.server.url + path)
                try browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
                #expect(try browser.text("JSON.stringify(shifts)") == "[]", "\(title) cut at \(cut), \(width)")
            }
        }
    }

    @Test func `results come before what narrows them, for eyes and for keys`() throws {
        let order = """
            (() => { const all = [...document.querySelectorAll('main a[href], main button, main summary')].filter(e => e.tabIndex >= 0);
            const last = all.findLastIndex(e => e.closest('.rows')), first = all.findIndex(e => e.closest('.facets'));
            return 0 <= last && last < first; })()
            """
        let (rows, facets) = (
            "document.querySelector('#results .rows').getBoundingClientRect()",
            "document.querySelector('.facets').getBoundingClientRect()"
        )
        for (width, isRight) in [(360, "\(facets).top >= \(rows).bottom"), (1_440, "\(facets).left >= \(rows).right")] {
            try browser.resize(width)
            try browser.open(site.url + "/search?q=sea")
            #expect(try browser.value(order) as? Bool == true, "\(width)")
            #expect(try browser.value(isRight) as? Bool == true, "\(width)")
        }
        // On a phone a link leads there.
        try browser.resize(360)
        try browser.click(".to-facets")
        try browser.wait("location.hash === '#narrow' && \(facets).top < innerHeight")
        try browser.press("Tab")
        #expect(try browser.value("!!document.activeElement.closest('.facets')") as? Bool == true)
    }

    @Test func `a list stays while one types, and its count is spoken once typing rests`() throws {
        try browser.open(site.url + "/search?q=s")
        try browser.value(
            """
            window.spoken = []; window.least = Infinity;
            new MutationObserver(() => spoken.push(document.querySelector('#spoken').textContent)).observe(document.querySelector('#spoken'), { childList: true });
            new MutationObserver(() => { least = Math.min(least, document.querySelectorAll('#results li.row').length); }).observe(document.querySelector('#main'), { childList: true, subtree: true });
            0
            """)
        #expect(try browser.count("#results [role=status], #results [aria-live]") == 0)
        for letter in "ea" { try browser.type(String(letter)) }
        try browser.wait("spoken.length && location.search === '?q=sea'")
        #expect(try browser.value("spoken.length") as? Int == 1)
        #expect(try browser.text("spoken[0]") == browser.text("document.querySelector('#results .count').textContent"))
        #expect(try browser.value("least > 0") as? Bool == true)
    }
}
