import Glibc
import ProgramSupport
import Testing

/// What most tests of the pages begin with: the library of `NightTrains`, and a browser with a window of middle width.
class OpenedPage {
    let site: Served
    let browser: Browser
    /// The episode with sound.
    let id: String
    /// What the toast says.
    let told = "document.querySelector('#told-text').textContent"
    let audio = "document.querySelector('#audio')"

    init() throws {
        (site, id, browser) = try NightTrains.opened()
    }

    /// The podcast of the episode with sound.
    var podcast: Substring { id.prefix { $0 != "-" } }

    /// The stored position of the episode with sound.
    var position: Double? {
        get throws {
            try site.client.get("/player/\(id)").text.firstMatch(of: /"position":([0-9.]+)/).flatMap { Double($0.1) }
        }
    }

    func waitForPosition(_ isRight: (Double) -> Bool, location: SourceLocation = #_sourceLocation) throws {
        for _ in 0..<200 where !(try position.map(isRight) ?? false) { usleep(50_000) }
        let last = try position
        #expect(last.map(isRight) ?? false, "\(last ?? -1)", sourceLocation: location)
    }

    /// Opens the episode with sound and plays it for more than a second; less is no position.
    func play() throws {
        try browser.open(site.url + "/episodes/\(id)")
        try browser.click("article [data-play].main")
        try browser.wait("\(audio).currentTime > 1 && !\(audio).paused")
    }

    /// Plays or pauses by the space bar.
    func pause() throws {
        try browser.press(" ")
        try browser.wait("\(audio).paused")
    }

    /// Chooses from the menu of a row.
    func choose(_ name: String) throws {
        try browser.wait("document.querySelector('#menu').open")
        try browser.value("[...document.querySelectorAll('#menu button')].find(b => b.textContent === '\(name)').click()")
    }
}
