import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// What a listener expects of the page while something plays, in a real browser.
@Suite(.inBrowser, .serialized)
final class PlayingTests: OpenedPage {
    @Test(arguments: [(320, 568), (360, 800), (800, 900), (1_440, 900), (640, 360), (320, 256)])
    func `every screen fits while something plays`(_ width: Int, _ height: Int) throws {
        _ = try site.client.post("/episodes/\(id)", "do=queue")
        try play()
        for isDark in [false, true] {
            try browser.resize(width, height, dark: isDark)
            for screen in [
                "/", "/search?q=sleeping", "/podcasts", "/podcasts/\(podcast)", "/episodes/\(id)", "/queue", "/status",
                "/starred",
                "/heard", "/downloads", "/suggested",
            ] {
                // The page changes beneath the player.
                try browser.value(
                    "(a => { a.href = '\(screen)'; document.body.append(a); a.click(); a.remove(); })(document.createElement('a'))"
                )
                try browser.wait("location.pathname + location.search === '\(screen)' && document.querySelector('#main h1')")
                // Going to a page replaces what is shown, which counts as a shift.
                let problems = try browser.text(Inspection.script).replacing("the layout shifts", with: "")
                #expect(problems == "", "\(screen) at \(width)×\(height), \(isDark ? "dark" : "light"): \(problems)")
                #expect(try browser.value("!\(audio).paused") as? Bool == true)
            }
        }
        let covered =
            try browser.value(
                "[...document.querySelectorAll('#player, .top')].filter(e => getComputedStyle(e).position === 'fixed').reduce((sum, e) => sum + e.getBoundingClientRect().height, 0) / innerHeight"
            ) as? Double
        #expect(covered ?? 1 < 0.25)
    }

    @Test func `a reload keeps the player at its place`() throws {
        try play()
        try browser.click(".marks li:nth-child(2) a")
        try browser.wait("\(audio).currentTime >= 41")
        try pause()
        try browser.open(site.url + "/podcasts")
        try browser.wait("!document.querySelector('#player').hidden")
        #expect(try browser.text("document.querySelector('#p-title').textContent") == "Sleeping cars")
        #expect(try browser.text("document.querySelector('#p-time').textContent").hasPrefix("0:4"))
        #expect(try browser.value("\(audio).paused") as? Bool == true)
        try browser.press(" ")
        try browser.wait("!\(audio).paused && \(audio).currentTime >= 41")
    }

    @Test func `a reload asks before it goes to a later place of another device`() throws {
        try play()
        try pause()
        try waitForPosition { $0 > 0 }
        _ = try site.client.post("/player/\(id)/position", "seconds=100&duration=120")
        try browser.open(site.url + "/queue")
        try browser.wait("document.querySelector('#told-text').textContent === 'Heard to 1:40 elsewhere.'")
        #expect(try browser.text("document.querySelector('#p-time').textContent").hasPrefix("0:0"))
        #expect(try position == 100)
        try browser.click("#told-act")
        try browser.wait("\(audio).currentTime >= 100")
    }

    @Test func `the volume is chosen and stays`() throws {
        try play()
        try browser.value(
            "(e => { e.value = 0.3; e.dispatchEvent(new Event('input', { bubbles: true })); })(document.querySelector('#p-volume'))"
        )
        try browser.wait("\(audio).volume === 0.3")
        try browser.open(site.url + "/queue")
        try browser.wait("!document.querySelector('#player').hidden && \(audio).volume === 0.3")
        #expect(try browser.text("document.querySelector('#p-volume').value") == "0.3")
    }

    @Test func `a tab that was left behind does not overwrite a later place`() throws {
        try play()
        try browser.press(" ")
        try waitForPosition { $0 > 0 }
        let first = try browser.openTab()
        try browser.open(site.url + "/")
        _ = try site.client.post("/player/\(id)/position", "seconds=100&duration=120")
        browser.use(first)
        // As a tab that is closed or hidden does.
        try browser.value("dispatchEvent(new PageTransitionEvent('pagehide'))")
        try browser.open(site.url + "/queue")
        #expect(try position == 100)
    }

    @Test func `a later place of another device is offered`() throws {
        try play()
        try browser.press(" ")
        try waitForPosition { $0 > 0 }
        _ = try site.client.post("/player/\(id)/position", "seconds=100&duration=120")
        try browser.press(" ")
        try browser.wait("document.querySelector('#told-text').textContent === 'Heard to 1:40 elsewhere.'")
        try browser.click("#told-act")
        try browser.wait("\(audio).currentTime >= 100")
    }

    @Test func `a tab that is closed later keeps the place that another one reached`() throws {
        try play()
        try pause()
        try waitForPosition { $0 > 0 }
        let first = try browser.openTab()
        try browser.open(site.url + "/episodes/\(id)?at=100")
        try browser.click("article [data-play].main")
        try browser.wait("\(audio).currentTime >= 101")
        try pause()
        try waitForPosition { $0 >= 101 }
        // Its requests are noted before those of the other are awaited.
        try browser.value("0")
        let second = browser.use(first)
        browser.forget()
        try browser.open("about:blank#left")
        // The requests of a page that is left are sent before the next one has loaded.
        #expect(browser.requests.allSatisfy { !$0.contains("/position") }, "\(browser.requests)")
        browser.use(second)
        #expect(try position.map { $0 >= 101 } ?? false)
    }

    @Test func `an app's fast clock does not hide what is played later`() throws {
        let action =
            #"[{"podcast":"\#(site.home.server.url)/night","episode":"\#(site.home.server.url)/sound.wav","action":"play","#
            + #""position":60,"total":120,"timestamp":"2999-01-01T00:00:00"}]"#
        #expect(try site.client.send("POST", "/api/2/episodes/me.json", body: Array(action.utf8)).status == 200)
        try browser.open(site.url + "/episodes/\(id)")
        #expect(try browser.text("document.querySelector('.title .facts').textContent").contains("1:00 left"))
        try browser.click("article [data-play].main")
        try browser.wait("\(audio).currentTime >= 60 && !\(audio).paused")
        try browser.press("ArrowRight")
        try browser.wait("\(audio).currentTime >= 90")
        try pause()
        try waitForPosition { $0 >= 90 }
        try browser.open(site.url + "/")
        try browser.wait("document.querySelector('.begun .facts')?.textContent.match(/0:[0-3][0-9] left/)")
    }

    @Test func `nothing moves for those who want no motion`() throws {
        try play()
        try browser.command(
            "Emulation.setEmulatedMedia", ["features": [["name": "prefers-reduced-motion", "value": "reduce"]]])
        let moving = """
            [...document.querySelectorAll('*')].filter(e => { const s = getComputedStyle(e);
            return s.animationName !== 'none' || s.transitionDuration.split(', ').some(d => parseFloat(d) > 0) && s.transitionProperty !== 'none'; }).map(e => e.className)
            """
        #expect(try browser.text("\(moving).join()") == "")
    }

    @Test func `two tabs do not play at once`() throws {
        try play()
        let first = try browser.openTab()
        try play()
        browser.use(first)
        try browser.wait("\(audio).paused")
    }

    @Test func `a link with a time plays from there`() throws {
        try browser.open(site.url + "/episodes/\(id)?at=50")
        try browser.click("article [data-play].main")
        try browser.wait("\(audio).currentTime >= 50 && !\(audio).paused")
        // The button then pauses, and does not go back.
        try browser.click("article [data-play].main")
        try browser.wait("\(audio).paused")
        // Words of the transcript and times in the notes play from where they are.
        try browser.click(".transcript p:first-child")
        try browser.wait("\(audio).currentTime < 30 && !\(audio).paused")
        try browser.click(".prose a[data-at='65']")
        try browser.wait("\(audio).currentTime >= 65")
    }

    @Test func `the queue continues behind what was played`() throws {
        let others = try site.episodes(on: "/").filter { $0 != id }.prefix(2)
        for episode in [others[0], id, others[1]] { _ = try site.client.post("/episodes/\(episode)", "do=queue") }
        try play()
        try browser.value("\(audio).currentTime = 119.5")
        try browser.wait("document.querySelector('#p-title').href.endsWith('\(others[1])')")
    }

    @Test func `a button of a row says what it does now`() throws {
        try browser.open(site.url + "/search?q=sleeping")
        let name = "document.querySelector('li.row button[data-play]').getAttribute('aria-label')"
        #expect(try browser.text(name) == "Play Sleeping cars")
        try browser.click("li.row button[data-play]")
        try browser.wait("\(name) === 'Pause Sleeping cars'")
        try browser.press(" ")
        try browser.wait("\(name) === 'Play Sleeping cars'")
    }
}
