import LoopbackServer
import ProgramSupport
import Testing

/// Bookmarks in the page, in a real browser.
@Suite(.inBrowser, .serialized)
final class MarkPageTests: OpenedPage {
    /// The bookmarks of the command: seconds and notes.
    private var marks: [String] {
        get throws { try site.home.jimmy.run("marks").records.map { $0.suffix(2).joined(separator: " ") } }
    }

    @Test func `a key marks a place, which gets a note and plays from there`() throws {
        try browser.open(site.url + "/episodes/\(id)")
        try browser.press("m")
        try browser.wait("\(told) === 'Nothing is being played.'")
        try browser.click(".marks li:nth-child(2) a")
        try browser.wait("\(audio).currentTime >= 40 && !\(audio).paused")
        try browser.press(" ")
        try browser.wait("\(audio).paused")
        try browser.press("m")
        try browser.wait("\(told).startsWith('Marked at 0:4') && document.querySelectorAll('.marked li').length === 1")
        let place = try browser.text("document.querySelector('.marked .at').textContent")
        #expect(try marks.map { $0.hasPrefix(place) } == [true])
        try browser.click(".marked input[name=note]")
        try browser.type("the linen")
        try browser.click(".marked [value=mark]")
        try browser.wait("\(told) === 'The note is saved.'")
        #expect(try marks == ["\(place) the linen"])
        // The same place again keeps its note.
        try browser.value("document.activeElement.blur()")
        try browser.press("m")
        try browser.wait("\(told).startsWith('Marked at 0:4')")
        #expect(try marks == ["\(place) the linen"])
        try browser.value("\(audio).currentTime = 5")
        try browser.click(".marked a")
        try browser.wait("\(audio).currentTime >= 40 && !\(audio).paused")
        #expect(try browser.nameless().isEmpty)
        try browser.click(".marked [value=unmark]")
        try browser.wait("\(told) === 'The mark is removed.' && !document.querySelector('.marked')")
        #expect(try marks.isEmpty)
        try browser.click("#told-act")
        try browser.wait("\(told).startsWith('Undone') && document.querySelector('.marked')")
        #expect(try marks == ["\(place) the linen"])
        #expect(browser.errors.isEmpty)
    }

    @Test(arguments: [360, 1_440]) func `the player marks and shares on every page`(_ width: Int) throws {
        try browser.resize(width)
        try browser.open(site.url + "/episodes/\(id)?at=50")
        try browser.click("article [data-play].main")
        try browser.wait("\(audio).currentTime >= 50")
        try browser.open(site.url + "/queue")
        try browser.wait("!document.querySelector('#player').hidden")
        if width < 1_000 { try browser.click("#p-open") }
        try browser.click("#player [data-act=mark]")
        try browser.wait("\(told).startsWith('Marked at 0:5')")
        #expect(try marks.count == 1)
        try browser.value(
            "navigator.share = undefined; navigator.clipboard.writeText = async text => { window.copied = text }; 0")
        try browser.click("#player [data-act=share]")
        try browser.wait("window.copied?.includes('#t=5')")
        try browser.wait("\(told).startsWith('The link from 0:5')")
    }

    @Test func `without scripts a mark has a form and a link`() throws {
        #expect(try site.client.post("/episodes/\(id)", "do=mark&seconds=75&note=linen").status == 303)
        let page = try site.client.get("/episodes/\(id)").text
        #expect(page.contains("href=\"?at=75\"") && page.contains("value=\"linen\""))
        #expect(try site.client.post("/episodes/\(id)", "do=unmark&seconds=75").status == 303)
        #expect(try marks.isEmpty)
        for fields in ["do=mark", "do=mark&seconds=-1", "do=mark&seconds=1e9", "do=unmark&seconds=x"] {
            #expect(try site.client.post("/episodes/\(id)", fields).status == 400, "\(fields)")
        }
        #expect(try site.client.post("/episodes", "episode=\(id)&do=mark&seconds=1").status == 400)
        #expect(try site.client.post("/episodes/\(podcast)-none", "do=mark&seconds=1").status == 404)
    }
}
