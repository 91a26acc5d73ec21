import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// The script of axe-core.
enum Axe {
    /// nil if it cannot be had.
    static let script: String? = {
        guard let home = try? Home() else { return nil }
        let run = try? home.run(
            script: """
                python3 -m pip download -q --disable-pip-version-check --no-deps -d . 'axe-playwright-python>=0.1.7' >&2 &&
                python3 -c "import glob, zipfile
                archive = zipfile.ZipFile(glob.glob('axe_playwright*.whl')[0])
                print(archive.read('axe_playwright_python/axe.min.js').decode())"
                """)
        guard let run, run.status == 0, run.output.contains("axe v4") else { return nil }
        return run.output
    }()
}

/// axe-core on every page: two themes, three sizes, playing and not. It comes from PyPI's axe-playwright-python.
@Suite(
    .enabled(
        if: Browser.program != nil && Axe.script != nil,
        "Chromium or axe-core (PyPI's axe-playwright-python) cannot be had here."), .serialized)
struct AxeTests {
    @Test(arguments: [360, 800, 1_440], [false, true]) func `no page has a violation`(_ width: Int, _ isDark: Bool) throws {
        let site = try NightTrains.served()
        let id = try NightTrains.id(site)
        for action in ["do=queue", "do=star", "do=tag&tag=commute"] { _ = try site.client.post("/episodes/\(id)", action) }
        _ = try site.client.post("/player/\(id)/position", "seconds=20&duration=120")
        let browser = try Browser()
        try browser.resize(width, dark: isDark)
        for isPlaying in [false, true] {
            if isPlaying {
                try browser.open(site.url + "/episodes/\(id)")
                try browser.click("article [data-play].main")
                try browser.wait("document.querySelector('#audio').currentTime > 0")
            }
            for path in [
                "/", "/search", "/search?q=sleeping", "/podcasts", "/podcasts/\(id.prefix { $0 != "-" })", "/episodes/\(id)",
                "/queue", "/status", "/subscribe", "/apps", "/starred", "/heard", "/downloads", "/suggested", "/more", "/offline",
                "/podcasts/\(id.prefix { $0 != "-" })?show=unplayed&sort=oldest", "/nothing",
                "/subscribe?q=\(site.home.server.url)/night",
            ] {
                // A reload keeps the player.
                try browser.open(site.url + path)
                if isPlaying { try browser.wait("!document.querySelector('#player').hidden") }
                try check(browser, "\(path) at \(width), \(isDark ? "dark" : "light"), \(isPlaying ? "playing" : "not")")
            }
        }
    }

    @Test(arguments: [360, 800, 1_440], [false, true]) func `nothing that opens has a violation`(_ width: Int, _ isDark: Bool)
        throws
    {
        let site = try NightTrains.served()
        let browser = try Browser()
        try browser.resize(width, dark: isDark)
        try browser.open(site.url + "/search?q=sleeping")
        try browser.click("li.row button[data-play]")
        try browser.wait("!document.querySelector('#player').hidden")
        try browser.value("document.querySelector('#p-open').click()")
        try check(browser, "the whole player at \(width)")
        try browser.value("document.querySelector('#p-open').click()")
        try browser.click("li.row [data-act=menu]")
        try check(browser, "the menu of a row at \(width)")
        try browser.value("[...document.querySelectorAll('#menu button')].find(b => b.textContent === 'Add tags…').click()")
        try browser.wait("document.querySelector('#ask').open")
        try check(browser, "the question for tags at \(width)")
        try browser.press("Escape")
        try browser.value("document.querySelector('li.row h3 a').focus()")
        try browser.press("x")
        try browser.wait("!document.querySelector('#picked').hidden")
        try check(browser, "selected rows at \(width)")
        // What nobody has filled yet, or is not signed in to.
        let (empty, locked) = (try Served(try Home()), try Home())
        for path in ["/", "/podcasts", "/queue", "/heard"] {
            try browser.open(empty.url + path)
            try check(browser, "\(path) of an empty library at \(width)")
        }
        _ = try locked.jimmy.run("serve", "--set-password", input: "a long password\n")
        let signIn = try Served(locked)
        try browser.open(signIn.url + "/")
        try check(browser, "the sign-in at \(width)")
    }

    private func check(_ browser: Browser, _ what: String) throws {
        try browser.value((Axe.script ?? "") + "; 0")
        let violations = try browser.text(
            """
            axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 160)).slice(0, 4).join(' | ')).join('\\n'))
            """)
        #expect(violations == "", "\(what): \(violations)")
    }
}
