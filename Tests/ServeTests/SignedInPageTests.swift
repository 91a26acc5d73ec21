import LoopbackServer
import ProgramSupport
import Testing

/// The pages behind a password, in a real browser.
@Suite(.inBrowser, .serialized)
struct SignedInPageTests {
    private let home: Home
    private let site: Served
    private let browser: Browser

    init() throws {
        home = try Home()
        _ = try home.jimmy.run("serve", "--set-password", input: "a long password\n")
        (site, browser) = (try Served(home), try Browser())
        try browser.resize(800)
    }

    private func signIn(at site: Served, _ password: String = "a long password") throws {
        try browser.open(site.url + "/queue")
        try browser.wait("document.activeElement.id === 'password'")
        try browser.type(password)
        try browser.press("Enter")
        try browser.wait("location.pathname === '/queue' && document.title.startsWith('Queue')")
    }

    /// The browser's cookie, as a header.
    private var session: [String: String] {
        get throws {
            let cookies = try browser.command("Network.getCookies")["cookies"] as? [[String: Any]] ?? []
            let pairs = cookies.compactMap { cookie in (cookie["name"] as? String).map { "\($0)=\(cookie["value"] ?? "")" } }
            return ["Cookie": pairs.joined(separator: "; ")]
        }
    }

    @Test func `signing out is asked for, since it removes what was kept`() throws {
        try signIn(at: site)
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

    @Test func `a wrong password is said, and what was asked for comes after the right one`() throws {
        try browser.open(site.url + "/podcasts?new=1")
        try browser.wait("document.activeElement.id === 'password'")
        #expect(try browser.text(Inspection.script) == "")
        try browser.type("another one")
        try browser.press("Enter")
        try browser.wait(
            "document.querySelector('[role=alert]')?.textContent === 'The password is wrong.' && document.activeElement.id === 'password'"
        )
        try browser.type("a long password")
        try browser.press("Enter")
        try browser.wait("location.pathname + location.search === '/podcasts?new=1'")
    }

    @Test func `a new password ends the browser's session and withdraws the apps' tokens, and says both`() throws {
        try signIn(at: site)
        try browser.open(site.url + "/apps")
        try browser.click("#name")
        try browser.type("my phone")
        try browser.click("button[value=app]")
        try browser.wait(
            "document.querySelector('code.token') && document.querySelector('.found li b').textContent === 'my phone'")
        let app = ["Authorization": try browser.text("'Basic ' + btoa('me:' + document.querySelector('code.token').textContent)")]
        #expect(try site.client.get("/api/2/devices/me.json", headers: app).status == 200)
        let said = try home.jimmy.run("serve", "--set-password", input: "another password\n").output
        #expect(
            said == "The password is set. Every browser, app and address of feeds that was signed in has to sign in anew.\n",
            "\(said)")
        try browser.open(site.url + "/apps")
        try browser.wait("document.title.startsWith('Sign in')")
        #expect(try site.client.get("/api/2/devices/me.json", headers: app).status == 401)
        try signIn(at: site, "another password")
        try browser.open(site.url + "/apps")
        #expect(try browser.count(".found li") == 0)
    }

    @Test func `two servers of a user keep each other's sessions`() throws {
        let other = try Served(home)
        try signIn(at: site)
        let first = try session
        // Cookies know no ports: the browser is signed in at the other server as well.
        try browser.open(other.url + "/queue")
        #expect(try browser.text("document.querySelector('h1').textContent") == "Queue")
        try browser.command("Network.clearBrowserCookies")
        try signIn(at: other)
        #expect(try session != first)
        try browser.open(site.url + "/queue")
        #expect(try browser.text("document.querySelector('h1').textContent") == "Queue")
        for server in [site, other, try Served(home)] {
            for cookie in [first, try session] { #expect(try server.client.get("/queue", headers: cookie).status == 200) }
        }
    }
}
