import LoopbackServer
import ProgramSupport
import Testing

/// How the pages speak: buttons say what they do, states are adjectives, and phones have no keys.
@Suite(.inBrowser, .serialized)
final class LabelTests: OpenedPage {
    /// What a button may begin with.
    private static let verbs = [
        "Add", "Allow", "Archive", "Back", "Cancel", "Clear", "Close", "Create", "Delete", "Download", "End", "Fetch", "Filter",
        "Forward", "Keep", "Mark", "More", "Move", "Next", "Open", "Pause", "Play", "Refresh", "Remove", "Save", "Search",
        "Select", "Share", "Show", "Sign", "Star", "Subscribe", "Tag", "Take", "Transcribe", "Undo", "Unsubscribe", "Use",
        "Withdraw",
    ]

    private var screens: [String] {
        [
            "/", "/search", "/search?q=sea", "/search?q=sleeping&heard=starred", "/podcasts", "/podcasts?tag=calm",
            "/podcasts/\(podcast)", "/podcasts/\(podcast)?show=unplayed", "/episodes/\(id)", "/queue", "/starred", "/heard",
            "/downloads", "/suggested", "/status", "/subscribe", "/subscribe?q=\(site.home.server.url)/new", "/apps", "/more",
            "/offline", "/nothing",
        ]
    }

    /// Something in each list.
    private func fill() throws {
        let harbor = try #require(try site.episodes(on: "/").first { $0 != id })
        for fields in ["do=queue", "do=star", "do=tag&tag=commute", "do=mark&seconds=30&note=linen"] {
            _ = try site.client.post("/episodes/\(id)", fields)
        }
        for fields in ["do=queue", "do=played", "do=archive"] { _ = try site.client.post("/episodes/\(harbor)", fields) }
        _ = try site.client.post("/player/\(id)/position", "seconds=10&duration=120&age=20")
        _ = try site.client.post("/player/\(id)/position", "seconds=25&duration=120")
        _ = try site.client.post("/podcasts/\(podcast)", "do=settings&tags=calm")
        _ = try site.client.post("/apps", "kind=app&name=phone")
        site.home.server.on("/new", .feed(Home.feed("New", episodes: 2)))
    }

    /// Expects that a script finds nothing on any screen.
    private func expectNone(_ wrong: String) throws {
        for screen in screens {
            try browser.open(site.url + screen)
            try browser.value("document.querySelectorAll('details').forEach(d => d.open = true)")
            #expect(try browser.text(wrong) == "", "\(screen)")
        }
    }

    @Test func `buttons say what they do, and what is chosen is named by adjectives`() throws {
        try fill()
        let wrong = """
            (() => { const verbs = new Set('\(Self.verbs.joined(separator: " "))'.split(' ')), first = e => (e.getAttribute('aria-label') || e.textContent).trim().split(/[\\s…]/)[0];
            const wrong = [];
            for (const b of document.querySelectorAll('button')) if (b.getClientRects().length && first(b) && !verbs.has(first(b))) wrong.push('no verb: ' + b.outerHTML.slice(0, 120));
            for (const a of document.querySelectorAll('.narrow a, .sorts a, .facets a, .cards ~ .chips a')) if (verbs.has(first(a))) wrong.push('no state: ' + a.outerHTML.slice(0, 120));
            for (const b of document.querySelectorAll('button[aria-pressed]')) wrong.push('both: ' + b.outerHTML.slice(0, 120));
            return wrong.join('\\n'); })()
            """
        try expectNone(wrong)
        // Also while something plays, in the menu of a row, and with rows selected.
        try play()
        #expect(try browser.text(wrong) == "")
        try browser.press("m")
        try browser.wait("document.querySelector('#told-act').textContent === 'Undo'")
        try browser.open(site.url + "/search?q=sea")
        try browser.click("li.row [data-act=menu]")
        try browser.wait("document.querySelector('#menu').open")
        #expect(try browser.text(wrong) == "")
        try choose("Select several")
        try browser.wait("!document.querySelector('#picked').hidden")
        #expect(try browser.text(wrong) == "")
    }

    @Test func `a label that changes says the next step`() throws {
        let words = { (selector: String) in "document.querySelector('\(selector)').textContent.trim()" }
        try browser.open(site.url + "/episodes/\(id)")
        for (value, next) in [
            ("queue", "Remove from queue"), ("unqueue", "Add to queue"), ("star", "Remove star"), ("unstar", "Star"),
            ("played", "Mark as unplayed"), ("unplayed", "Mark as played"), ("archive", "Take out of the archive"),
            ("unarchive", "Archive"),
        ] {
            try browser.click("article .acts [value=\(value)]")
            try browser.wait(
                "[...document.querySelectorAll('article .acts button')].some(b => b.textContent.trim() === '\(next)')")
        }
        #expect(try browser.text(words("#theme")) == "Use the light theme")
        for theme in ["dark", "system’s", "light"] {
            try browser.click("#theme")
            try browser.wait("\(words("#theme")) === 'Use the \(theme) theme'")
        }
    }

    @Test func `a phone hears nothing of keys, and a computer reads them in tooltips`() throws {
        try fill()
        let keys = """
            [...document.querySelectorAll('kbd')].filter(e => e.getClientRects().length).map(e => e.textContent)
            .concat([...document.querySelectorAll('[title]')].map(e => e.title).filter(t => /\\((.|space|Shift .)\\)$/.test(t))).join('|')
            """
        try browser.open(site.url + "/queue")
        #expect(try browser.text("document.querySelector('li.row [data-k=p]').title") == "Play (p)")
        #expect(try browser.text("document.querySelector('li.row:last-child [data-move=up]').title") == "Move up (Shift ↑)")
        #expect(try browser.text("document.querySelector('#p-toggle').title") == "Play or pause (space)")
        try browser.command("Emulation.setTouchEmulationEnabled", ["enabled": true])
        try browser.command(
            "Emulation.setDeviceMetricsOverride", ["width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true])
        try expectNone(keys)
        try play()
        try browser.wait("document.querySelector('#p-toggle').getAttribute('aria-label') === 'Pause'")
        #expect(try browser.text(keys) == "")
        let empty = try Served(try Home())
        for page in ["/", "/queue", "/starred", "/heard", "/podcasts"] {
            try browser.open(empty.url + page)
            #expect(try browser.text(keys) == "", "\(page)")
        }
    }

    @Test func `facts begin and end without a dot, on the side of their title`() throws {
        try fill()
        let title = "برنامج عن البحر والسفن القديمة"
        site.home.server.on(
            "/rtl", .feed(Home.feed("Rtl", episodes: 1).replacing("<title>Rtl</title>", with: "<title>\(title)</title>")))
        _ = try site.home.jimmy.run("subscribe", site.home.server.url + "/rtl")
        // The dot before the first fact of a line lies in the part that is cut off.
        let wrong = """
            (() => { const wrong = [];
            for (const p of document.querySelectorAll('.facts')) { if (!p.getClientRects().length) continue;
              const style = getComputedStyle(p), box = p.getBoundingClientRect(), isLeft = style.flexDirection === 'row-reverse';
              if (/·\\s*$|^\\s*·/.test(p.innerText)) wrong.push('written: ' + p.outerHTML.slice(0, 160));
              if ([...p.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) wrong.push('cut off: ' + p.outerHTML.slice(0, 160));
              const shown = [...p.children].filter(c => c.getClientRects().length);
              for (const e of shown) { const own = e.getBoundingClientRect(), dot = getComputedStyle(e, '::before');
                const isFirst = !shown.some(o => { const b = o.getBoundingClientRect(); return Math.abs(b.top - own.top) < 4 && (isLeft ? b.right > own.right + 1 : b.left < own.left - 1); });
                if (isFirst && dot.content !== 'none' && (style.clipPath === 'none' || Math.abs(isLeft ? own.right - box.right : own.left - box.left) > 2)) wrong.push('a dot begins a line: ' + p.outerHTML.slice(0, 160)); } }
            for (const name of document.querySelectorAll('.cards .name, .preview h2')) { const facts = name.closest('li, article').querySelector('.facts'), first = facts.firstElementChild.getBoundingClientRect();
              const range = document.createRange(); range.selectNodeContents(name); const text = range.getBoundingClientRect();
              if (getComputedStyle(name).direction === 'rtl' ? Math.abs(first.right - 14 - text.right) > 8 : Math.abs(first.left + 14 - text.left) > 8) wrong.push('another side: ' + name.outerHTML); }
            return wrong.join('\\n'); })()
            """
        for width in [360, 1_440] {
            try browser.resize(width)
            for screen in screens + ["/subscribe?q=\(site.home.server.url)/rtl"] {
                try browser.open(site.url + screen)
                #expect(try browser.text(wrong) == "", "\(screen) at \(width)")
            }
        }
        _ = try site.home.jimmy.run("edit", "Harbor", "--pause")
        try browser.open(site.url + "/podcasts")
        #expect(try browser.text(wrong) == "")
        #expect(try browser.count(".cards .name:dir(rtl)") == 1)
    }

    @Test func `a row has the length of its episode, or how much of it is left`() throws {
        let feed = Home.feed("Long", episodes: 2).replacing(
            "<enclosure", with: "<itunes:duration>3600</itunes:duration><enclosure"
        ).replacing("<rss ", with: "<rss xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\" ")
        site.home.server.on("/long", .feed(feed))
        _ = try site.home.jimmy.run("subscribe", site.home.server.url + "/long")
        let begun = try #require(try site.episodes(on: "/search?q=title:long").first)
        _ = try site.client.post("/player/\(begun)/position", "seconds=600&duration=3600")
        try browser.open(site.url + "/search?q=title:long")
        let facts = { (row: String) in
            "[...document.querySelectorAll('\(row) .facts span')].map(e => e.textContent).join()"
        }
        #expect(try browser.text(facts("li.row[data-episode=\"\(begun)\"]")) == "50:00 left")
        #expect(try browser.text(facts("li.row:not([data-episode=\"\(begun)\"])")) == "1:00:00")
        // What the page of one has is not said of similar ones.
        try browser.open(site.url + "/episodes/\(begun)")
        #expect(try browser.count("li.row") > 0)
        #expect(try !browser.text("[...document.querySelectorAll('li.row')].map(e => e.innerText).join()").contains("left"))
        #expect(try browser.count("li.row progress") == 0)
    }
}
