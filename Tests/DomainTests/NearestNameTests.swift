import Domain
import Testing

@Suite struct NearestNameTests {
    @Test(arguments: [
        ("serach", ["search"]), ("refesh", ["refresh"]), ("sub", ["subscribe"]), ("unsubscibe", ["unsubscribe"]),
        ("opnl", ["opml"]), ("EPISODES", ["episodes"]), ("frobnicate", []), ("x", []), ("", []),
    ])
    func `a misspelt command means the nearest one`(name: String, meant: [String]) {
        let names = ["subscribe", "refresh", "episodes", "search", "show", "queue", "podcasts", "unsubscribe", "edit", "opml"]
        #expect(NearestName.suggestions(for: name, among: names) == meant)
    }

    @Test func `a word of a longer name means all names that have it`() {
        let names = ["min-interval", "max-interval", "title"]
        #expect(NearestName.suggestions(for: "interval", among: names) == ["min-interval", "max-interval"])
    }

    @Test func `short names allow for one slip only`() {
        #expect(NearestName.suggestions(for: "nwe", among: ["new"]) == ["new"])
        #expect(NearestName.suggestions(for: "old", among: ["new"]) == [])
    }
}
