import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// Downloads of the server, and what a device keeps for itself, in a real browser.
@Suite(.inBrowser, .serialized)
final class KeptTests: OpenedPage {
    private func serveSound(_ change: (inout Reply) -> Void = { _ in }) {
        let sound = Reply(200, headers: [("Content-Type", "audio/wav")], body: NightTrains.silence(seconds: 120))
        site.home.server.on("/sound.wav", sound.with(change))
    }

    @Test func `a file is deleted after a question, and downloaded with its progress`() throws {
        serveSound { $0.drip = (40_000, 0.2) }
        try browser.open(site.url + "/episodes/\(id)")
        try browser.click("[value=undownload]")
        try browser.wait("document.querySelector('#ask').open")
        try browser.press("Escape")
        try browser.wait("!document.querySelector('#ask').open")
        #expect(try site.home.jimmy.run("downloads").lines.count == 1)
        try browser.click("[value=undownload]")
        try browser.wait("document.querySelector('#ask').open")
        try browser.click("#ask-yes")
        try browser.wait("\(told) === 'The file is deleted.' && document.querySelector('[value=download]')")
        #expect(try site.home.jimmy.run("downloads").lines.isEmpty)
        try browser.click("[value=download]")
        try browser.wait("document.querySelector('article [value=cancel]')")
        try browser.press("g", "d")
        try browser.wait("document.querySelector('[data-download] progress')?.value > 0")
        #expect(try browser.text("document.querySelector('[data-download] .words').textContent").contains(" of "))
        try browser.click("[data-download] [value=cancel]")
        try browser.wait("\(told).startsWith('Cancelled') && !document.querySelector('[data-download]')")
        #expect(try site.home.jimmy.run("downloads").lines.isEmpty)
        serveSound()
        try browser.open(site.url + "/episodes/\(id)")
        try browser.click("[value=download]")
        try browser.wait("\(told) === 'Downloaded.' && document.querySelector('[value=undownload]')")
        #expect(try site.home.jimmy.run("downloads").lines.count == 1)
        #expect(browser.errors.isEmpty)
    }

    @Test func `a download that ends before the page shows it is told`() throws {
        serveSound()
        _ = try site.client.post("/episodes/\(id)", "do=undownload")
        try browser.open(site.url + "/episodes/\(id)")
        _ = try browser.value(
            """
            const plain = fetch;
            window.fetch = async (url, options) => {
              if (options?.method !== 'POST') return plain(url, options);
              await plain(url, { ...options, redirect: 'manual' });
              while ((await (await plain('/downloads/progress')).json()).rows.length);
              return plain(location.href, { headers: options.headers });
            }
            """)
        try browser.click("[value=download]")
        try browser.wait("\(told) === 'Downloaded.' && document.querySelector('[value=undownload]')")
    }

    @Test func `a download that fails says why`() throws {
        site.home.server.on("/sound.wav", Reply(404))
        _ = try site.client.post("/episodes/\(id)", "do=undownload")
        try browser.open(site.url + "/episodes/\(id)")
        try browser.click("[value=download]")
        try browser.wait("\(told).startsWith('The download failed: HTTP 404')")
        try browser.wait("document.querySelector('[role=alert]').textContent.includes('404')")
    }

    @Test func `what is kept plays without the server, and its position comes later`() throws {
        try browser.open(site.url + "/episodes/\(id)")
        try browser.wait("!document.querySelector('#offline').classList.contains('unsure')")
        try browser.click("#offline")
        try browser.wait("\(told) === 'It is kept on this device.'")
        let again = try site.away()
        try browser.open(site.url + "/podcasts")
        try browser.wait("document.querySelector('#kept li')")
        try browser.click("#kept a")
        try browser.wait("document.querySelector('article.episode h1')?.textContent === 'Sleeping cars'")
        try browser.click(".transcript p:nth-child(2)")
        try browser.wait("\(audio).currentTime >= 31 && !\(audio).paused")
        // The transcript has the focus, and the space bar pauses nevertheless.
        try browser.press(" ")
        try browser.wait("\(audio).paused && localStorage.untold.includes('seconds')")
        try again()
        try browser.value("dispatchEvent(new Event('online'))")
        try browser.wait("localStorage.untold === '{}'")
        let position = try site.client.get("/player/\(id)").text.firstMatch(of: /"position":([0-9.]+)/).flatMap { Double($0.1) }
        #expect(position.map { $0 >= 31 } ?? false)
        // Kept no longer.
        try browser.open(site.url + "/episodes/\(id)")
        try browser.wait("document.querySelector('#offline').textContent.trim() === 'Remove from this device'")
        try browser.click("#offline")
        try browser.wait("document.querySelector('#offline').textContent.trim() === 'Keep offline'")
    }

    @Test func `a phone can install the page`() throws {
        try browser.open(site.url + "/")
        let manifest = try browser.command("Page.getAppManifest")
        #expect((manifest["errors"] as? [Any])?.isEmpty == true, "\(manifest["errors"] ?? "")")
        #expect((manifest["data"] as? String)?.contains("standalone") == true)
        let problems = try browser.command("Page.getInstallabilityErrors")["installabilityErrors"] as? [[String: Any]] ?? []
        #expect(problems.allSatisfy { $0["errorId"] as? String == "in-incognito" }, "\(problems)")
    }
}
