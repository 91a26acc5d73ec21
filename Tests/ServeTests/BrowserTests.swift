import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// The pages as people use them, in a real browser: by mouse, by keyboard, at three widths, dark and light, and without
/// scripts. These tests are skipped if Debian's chromium cannot be installed; `.ci/run` installs it.
@Suite(.inBrowser, .serialized)
final class BrowserTests: OpenedPage {
    private func expectQuiet(_ location: SourceLocation = #_sourceLocation) {
        #expect(browser.errors.isEmpty, sourceLocation: location)
        let strange = browser.requests.filter { !$0.hasPrefix(site.url) && !$0.hasPrefix("data:") && !$0.hasPrefix("about:") }
        #expect(strange.isEmpty, sourceLocation: location)
    }

    // MARK: Every screen

    private var screens: [String] {
        [
            "/", "/search", "/search?q=sleeping", "/podcasts", "/podcasts/\(id.prefix { $0 != "-" })", "/episodes/\(id)",
            "/queue", "/status", "/subscribe", "/apps", "/starred", "/heard", "/downloads", "/suggested", "/more", "/offline",
            "/nothing",
        ]
    }

    @Test(arguments: [320, 800, 1_600, 3_840]) func `every screen fits and can be read by everybody`(_ width: Int) throws {
        _ = try site.client.post("/episodes/\(id)", "do=queue")
        for isDark in [false, true] {
            try browser.resize(width, dark: isDark)
            // The first page may still be resized while it loads, which counts as a shift of its layout.
            try browser.open(site.url + "/more")
            for screen in screens {
                try browser.open(site.url + screen)
                let problems = try browser.text(Inspection.script)
                #expect(problems == "", "\(screen) at \(width), \(isDark ? "dark" : "light"): \(problems)")
                #expect(try browser.nameless().isEmpty, "\(screen) at \(width)")
            }
        }
        #expect(browser.errors.allSatisfy { $0.contains("404") && $0.contains("/nothing") }, "\(browser.errors)")
    }

    @Test func `print has the text and nothing to click`() throws {
        try browser.resize(800, dark: true)
        try browser.openForPrint(site.url + "/episodes/\(id)")
        let shown = { (selector: String) in
            "[...document.querySelectorAll('\(selector)')].filter(e => e.getClientRects().length).length"
        }
        for hidden in [".top", ".bottom", ".player", "button", ".acts"] {
            #expect(try browser.value(shown(hidden)) as? Int == 0, "\(hidden)")
        }
        for text in ["h1", ".prose", ".marks", ".transcript p"] {
            #expect(try browser.value(shown(text)) as? Int ?? 0 > 0, "\(text)")
        }
        let colors = try browser.text(
            "(s => s.color + ' on ' + getComputedStyle(document.documentElement).backgroundColor)(getComputedStyle(document.querySelector('h1')))"
        )
        #expect(colors == "rgb(0, 0, 0) on rgb(255, 255, 255)")
        // A link says where it leads.
        let link = try browser.text("getComputedStyle(document.querySelector('.prose a[href^=http]'), '::after').content")
        #expect(link.contains("https://trains.example/"), "\(link)")
        // The whole transcript, not the part that one could scroll.
        #expect(
            try browser.value("(e => e.scrollHeight <= e.clientHeight + 1)(document.querySelector('.transcript'))") as? Bool
                == true)
        expectQuiet()
    }

    @Test func `titles from right to left are so and the rest stays`() throws {
        site.home.server.on(
            "/night-rtl",
            .feed(
                """
                <rss version="2.0"><channel><title>רדיו לילה</title><item><title>الحلقة الأولى: البحر (2)</title><guid>r</guid>
                <description>&lt;p&gt;وصف طويل عن البحر.&lt;/p&gt;</description><pubDate>Sun, 02 Jun 2024 08:00:00 GMT</pubDate>
                <enclosure url="http://a.example/r.mp3" type="audio/mpeg" length="1"/></item>
                <item><title>夜の図書館 第一回</title><guid>j</guid></item></channel></rss>
                """))
        _ = try site.home.jimmy.run("subscribe", site.home.server.url + "/night-rtl")
        let direction = { (selector: String) in "getComputedStyle(document.querySelector('\(selector)')).direction" }
        for width in [360, 1_600] {
            try browser.resize(width)
            try browser.open(site.url + "/search?q=%D8%A7%D9%84%D8%A8%D8%AD%D8%B1")
            #expect(try browser.text(direction("li.row h3")) == "rtl")
            #expect(try browser.text(direction("li.row .facts a")) == "rtl")
            // The facts follow from the right, each in its own direction, under a title that stands there.
            #expect(
                try browser.value(
                    """
                    (row => { const [what, title, ...facts] = [row.querySelector('.what'), row.querySelector('h3 a'), ...row.querySelector('.facts').children].map(e => e.getBoundingClientRect());
                    return Math.abs(title.right - what.right) < 2 && facts[0].right >= what.right && facts.slice(1).every((f, i) => f.right <= facts[i].left + 1 || f.top > facts[i].top); })(document.querySelector('li.row'))
                    """) as? Bool == true, "\(width)")
            #expect(try browser.text(direction("li.row .facts time")) == "ltr")
            #expect(try browser.value("document.documentElement.scrollWidth <= innerWidth") as? Bool == true)
            let id = try #require(try site.episodes(on: "/search?q=%D8%A7%D9%84%D8%A8%D8%AD%D8%B1").first)
            try browser.open(site.url + "/episodes/\(id)")
            #expect(try browser.text(direction("h1")) == "rtl")
            #expect(try browser.text(direction(".prose")) == "rtl")
            #expect(try browser.text(direction("main")) == "ltr")
        }
        expectQuiet()
    }

    @Test func `every screen can be read without scripts`() throws {
        _ = try site.client.post("/episodes/\(id)", "do=queue")
        try browser.disableScripts(true)
        for screen in screens {
            try browser.open(site.url + screen)
            #expect(try browser.value("document.documentElement.classList.contains('scripted')") as? Bool == false)
            #expect(try browser.text("document.querySelector('h1').innerText") != "", "\(screen)")
            let problems = try browser.text(Inspection.script)
            #expect(problems == "", "\(screen): \(problems)")
            // What needs the script is not shown.
            let idle =
                "[...document.querySelectorAll('button[type=button]')].filter(e => e.checkVisibility({ visibilityProperty: true }))"
            #expect(try browser.value("\(idle).length") as? Int == 0, "\(screen)")
        }
        // Forms do what scripts would, and lead back.
        try browser.open(site.url + "/")
        try browser.click("li.row [data-k=s]")
        try browser.wait("document.title.startsWith('New') && document.querySelector('li.row [value=unstar]')")
        try browser.open(site.url + "/search")
        try browser.click("#q")
        try browser.type("sleeping")
        try browser.press("Enter")
        try browser.wait("location.search === '?q=sleeping' && document.querySelector('li.row')")
        try browser.click("li.row h3 a")
        try browser.wait("document.querySelector('article.episode audio[controls]')")
        try browser.disableScripts(false)
        expectNoForeign()
        // What buttons do, forms do as well.
        #expect(try site.client.post("/episodes/\(id)", "do=play").headers["location"] == "/episodes/\(id)")
        #expect(try site.client.get("/episodes/\(id)").text.contains("<noscript><audio controls"))
    }

    private func expectNoForeign() {
        #expect(browser.requests.allSatisfy { $0.hasPrefix(site.url) || $0.hasPrefix("about:") || $0.hasPrefix("data:") })
    }

    // MARK: By mouse

    @Test func `a click queues stars and marks without reloading`() throws {
        try browser.open(site.url + "/")
        try browser.value("window.mark = 1")
        let rows = try browser.count("li.row")
        #expect(rows == 4)
        try browser.click("li.row [data-k=a]")
        try browser.wait("document.querySelector('li.row [value=unqueue]')")
        try browser.click("li.row [data-k=s]")
        try browser.wait("document.querySelector('li.row [value=unstar]')")
        try browser.click("li.row [data-k=e]")
        try browser.wait("document.querySelectorAll('li.row').length === 3")
        #expect(try browser.value("window.mark") as? Int == 1)
        #expect(try site.home.jimmy.run("queue").records.count == 1)
        #expect(try site.home.jimmy.run("search", "is:starred").records.count == 1)
        expectQuiet()
    }

    @Test func `results come as one types`() throws {
        try browser.open(site.url + "/search")
        try browser.click("#q")
        try browser.type("sleep")
        try browser.wait("document.querySelector('#results li.row')")
        #expect(try browser.text("location.search") == "?q=sleep")
        #expect(try browser.text("document.activeElement.id") == "q")
        try browser.type("ing car platform")
        try browser.wait("location.search.includes('platform') && document.querySelector('#results .count')")
        expectQuiet()
    }

    @Test func `a hit in a transcript plays from that second`() throws {
        try browser.open(site.url + "/search?q=transcript:sleeping")
        try browser.click("a.said")
        try browser.wait("!document.querySelector('#player').hidden && document.querySelector('#audio').currentTime >= 30")
        expectQuiet()
    }

    @Test func `the player stays while one goes from page to page`() throws {
        try play()
        try browser.click(".marks li:nth-child(2) a")
        try browser.wait("document.querySelector('#audio').currentTime >= 40")
        try browser.wait("document.querySelector('.transcript p.now')?.textContent.includes('last one')")
        try browser.click(".top [data-go='g p']")
        try browser.wait("document.title.startsWith('Podcasts')")
        #expect(try browser.value("document.querySelector('#audio').paused") as? Bool == false)
        try browser.click("#p-toggle")
        try browser.wait("document.querySelector('#audio').paused")
        for _ in 0..<40 where !(try site.client.get("/player/\(id)").text.contains("position")) { usleep(50_000) }
        let stored = try site.client.get("/player/\(id)").text.firstMatch(of: /"position":([0-9.]+)/)?.1
        #expect(stored.flatMap { Double($0) }.map { $0 >= 40 } ?? false)
        // Another device takes it up there.
        try browser.open(site.url + "/episodes/\(id)")
        try browser.click("article [data-play].main")
        try browser.wait("document.querySelector('#audio').currentTime >= 40")
        expectQuiet()
    }

    @Test(arguments: [360, 800, 1_600]) func `the player never moves`(_ width: Int) throws {
        try browser.resize(width)
        try play()
        let positions =
            "JSON.stringify([...document.querySelectorAll('#player, #player button')].map(e => e.getBoundingClientRect()))"
        let before = try browser.text(positions)
        #expect(try browser.nameless().isEmpty)
        for (key, title) in [("p", "Podcasts"), ("q", "Queue"), ("s", "Status"), ("n", "New")] {
            try browser.press("g", key)
            try browser.wait("document.title.startsWith('\(title)')")
            #expect(try browser.text(positions) == before, "\(title)")
        }
        try browser.press(" ")
        try browser.wait("document.querySelector('#audio').paused")
        #expect(try browser.text(positions) == before)
        expectQuiet()
    }

    @Test func `the player obeys its controls and media keys`() throws {
        // What the system's media keys do.
        try browser.openFirst(
            "window.keys = {}; MediaSession.prototype.setActionHandler = (name, act) => { window.keys[name] = act; };")
        try play()
        #expect(try browser.text("navigator.mediaSession.metadata.title") == "Sleeping cars")
        #expect(try browser.text("navigator.mediaSession.metadata.artist") == "Night Trains")
        try browser.press("ArrowRight", "ArrowRight")
        try browser.wait("\(audio).currentTime >= 60")
        try browser.press("ArrowLeft")
        try browser.wait("\(audio).currentTime < 60 && \(audio).currentTime >= 45")
        try browser.value("keys.seekbackward()")
        try browser.wait("\(audio).currentTime < 45")
        try browser.value("keys.seekto({ seekTime: 70 })")
        try browser.wait("\(audio).currentTime >= 70")
        try browser.value("keys.pause()")
        try browser.wait("\(audio).paused")
        try browser.choose("1.5", in: "#p-speed")
        try browser.choose("0", in: "#p-chapters")
        try browser.wait("\(audio).currentTime < 1")
        try browser.value("keys.play()")
        try browser.wait("!\(audio).paused && \(audio).playbackRate === 1.5")
        // It sleeps at the end, whatever the queue has.
        let other = try #require(try site.episodes(on: "/").first { $0 != id })
        _ = try site.client.post("/episodes/\(other)", "do=queue")
        try browser.choose("end", in: "#p-sleep")
        try browser.value("\(audio).currentTime = 119")
        try browser.wait("\(audio).ended && document.querySelector('#p-sleep').value === ''")
        #expect(try browser.text("document.querySelector('#p-title').textContent") == "Sleeping cars")
        expectQuiet()
    }

    @Test func `the queue plays on`() throws {
        let other = try #require(try site.episodes(on: "/").first { $0 != id })
        _ = try site.client.post("/episodes/\(id)", "do=queue")
        try browser.open(site.url + "/queue")
        try browser.press("n")
        try browser.wait("!document.querySelector('#audio').paused && document.querySelector('#audio').duration > 100")
        _ = try site.client.post("/episodes/\(other)", "do=queue")
        try browser.value("document.querySelector('#audio').currentTime = 119.5")
        try browser.wait("document.querySelector('#p-title').href.endsWith('\(other)')")
        // The list does not show what has been played.
        try browser.wait("document.querySelectorAll('li.row').length === 1")
        #expect(try site.home.jimmy.run("search", "is:played").records.map(\.first) == [id])
        #expect(try site.episodes(on: "/queue") == [other])
    }

    @Test func `the next episode is the one behind the current`() throws {
        let queue = [id] + (try site.episodes(on: "/").filter { $0 != id }.prefix(2))
        for id in queue { _ = try site.client.post("/episodes/\(id)", "do=queue") }
        try browser.open(site.url + "/queue")
        for id in queue {
            try browser.press("n")
            try browser.wait("document.querySelector('#p-title').href.endsWith('\(id)')")
        }
        try browser.press("n")
        try browser.wait("document.querySelector('#told').textContent === 'Nothing else is in the queue.'")
        #expect(try site.episodes(on: "/queue") == queue)
    }

    @Test func `the queue is ordered by drag`() throws {
        for id in try site.episodes(on: "/").prefix(2) { _ = try site.client.post("/episodes/\(id)", "do=queue") }
        let before = try site.episodes(on: "/queue")
        #expect(before.count == 2)
        try browser.open(site.url + "/queue")
        try browser.drag("li.row[data-episode='\(before[0])']", below: "li.row[data-episode='\(before[1])']")
        for _ in 0..<300 where try site.episodes(on: "/queue") == before { usleep(50_000) }
        #expect(try site.episodes(on: "/queue") == before.reversed())
        #expect(try browser.text("document.querySelector('li.row').dataset.episode") == before[1])
        expectQuiet()
    }

    // MARK: By keyboard

    @Test func `the status page shows the end of a refresh`() throws {
        try browser.open(site.url + "/status")
        try browser.click("form[action='/refresh'] button")
        try browser.wait("document.querySelector('form[action=\"/refresh\"] button').textContent === 'Refresh what is due'")
        expectQuiet()
    }

    @Test func `focus is not lost when a button is disabled`() throws {
        try browser.open(site.url + "/status")
        try browser.value("window.pressed = document.querySelector('form[action=\"/refresh\"] button'); pressed.focus()")
        try browser.press("Enter")
        try browser.wait("!pressed.isConnected")
        #expect(try browser.value("document.querySelector('#main').contains(document.activeElement)") as? Bool == true)
    }

    @Test func `everything can be done by keys`() throws {
        try browser.open(site.url + "/")
        try browser.press("j")
        try browser.wait("document.activeElement.closest('li.row')")
        try browser.press("a")
        try browser.wait("document.querySelector('li.row [value=unqueue]')")
        try browser.press("j", "a")
        try browser.wait("document.querySelectorAll('li.row [value=unqueue]').length === 2")
        try browser.press("s")
        try browser.wait("document.querySelector('li.row [value=unstar]')")
        try browser.press("g", "q")
        try browser.wait("document.title.startsWith('Queue')")
        let before = try site.episodes(on: "/queue")
        try browser.press("j")
        try browser.press("ArrowDown", shift: true)
        try browser.wait("document.querySelector('li.row')?.dataset.episode === '\(before[1])'")
        #expect(try site.episodes(on: "/queue") == before.reversed())
        try browser.press("?")
        try browser.wait("document.querySelector('#keys').open")
        try browser.press("Escape")
        try browser.wait("!document.querySelector('#keys').open")
        try browser.press("/")
        try browser.wait("document.title.startsWith('Search') && document.activeElement.id === 'q'")
        try browser.type("sleeping")
        try browser.press("Escape")
        try browser.wait("document.querySelector('#results li.row')")
        try browser.press("j", "Enter")
        try browser.wait("document.title.startsWith('Sleeping cars')")
        expectQuiet()
    }

    @Test func `the first key leads to the content`() throws {
        try browser.open(site.url + "/")
        try browser.press("Tab")
        #expect(try browser.text("document.activeElement.className") == "skip")
        try browser.press("Enter")
        try browser.wait("location.hash === '#main'")
    }

    // MARK: Hostile feeds

    @Test func `hostile feeds run nothing and load nothing`() throws {
        site.home.server.on("/evil", .feed(Self.hostileFeed(site.home.server.url)))
        site.home.server.on(
            "/evil.vtt", Reply(200, headers: [("Content-Type", "text/vtt")], body: Array(Self.hostileTranscript.utf8)))
        site.home.server.on(
            "/evil.svg", Reply(200, headers: [("Content-Type", "image/svg+xml")], body: Array(Self.hostilePicture.utf8)))
        _ = try site.home.jimmy.run("subscribe", site.home.server.url + "/evil")
        _ = try site.home.jimmy.run("refresh", "--force", "--transcripts")
        let id = try #require(try site.episodes(on: "/search?q=hostile").first)
        let podcast = id.prefix { $0 != "-" }
        browser.forget()
        for page in [
            "/", "/search?q=hostile", "/search?q=transcript:hostile", "/podcasts", "/podcasts/\(podcast)", "/episodes/\(id)",
            "/status", "/covers/\(podcast)", "/subscribe?q=\(site.home.server.url)/evil",
            "/search?q=%3Cscript%3Ewindow.ran=1%3C/script%3E", "/podcasts?q=%22%3E%3Cimg%20src=x%20onerror=window.ran=1%3E",
        ] {
            try browser.open(site.url + page)
            try browser.value("document.querySelectorAll('details').forEach(d => d.open = true)")
            #expect(try browser.value("window.ran") == nil, "\(page)")
            #expect(try browser.count("main iframe") == 0)
            #expect(try browser.count("main script") == 0)
            #expect(
                try browser.value("[...document.querySelectorAll('a')].every(a => /^(https?|mailto):/.test(a.protocol))") as? Bool
                    == true)
        }
        expectQuiet()
    }

    private static let attack =
        "<script>window.ran=1</script><img src=x onerror=window.ran=1><svg onload=window.ran=1><iframe src=//evil.example></iframe>"

    private static func hostileFeed(_ url: String) -> String {
        let escaped = attack.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        return """
            <rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:psc="http://podlove.org/simple-chapters" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
            <channel><title>Hostile \(escaped)</title><link>javascript:window.ran=1</link><itunes:author>"&gt;\(escaped)</itunes:author>
            <itunes:image href="\(url)/evil.svg"/><description>\(escaped)</description>
            <item><title>Hostile \(escaped)</title><guid>h</guid><pubDate>Sat, 01 Jun 2024 08:00:00 GMT</pubDate>
            <link>javascript:window.ran=1</link>
            <description><![CDATA[\(attack)<a href="javascript:window.ran=1">x</a><a href="data:text/html,\(attack)">y</a><p style="background:url(//evil.example)" onclick="window.ran=1">z</p></div></main></body><style>*{display:none}</style><form action=//evil.example><input name=a><button>b</button></form><math><mtext></math><base href=//evil.example>]]></description>
            <psc:chapters><psc:chapter start="0" title="\(escaped.replacing("\"", with: "&quot;"))"/></psc:chapters>
            <podcast:transcript url="\(url)/evil.vtt" type="text/vtt"/><podcast:person>\(escaped)</podcast:person>
            <enclosure url="javascript:window.ran=1" type="audio/mpeg" length="1"/></item></channel></rss>
            """
    }

    private static let hostileTranscript = "WEBVTT\n\n00:00:00.000 --> 00:00:30.000\nhostile \(attack)\n"
    private static let hostilePicture =
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>window.ran=1</script><image href=\"http://evil.example/x.png\"/></svg>"
}
