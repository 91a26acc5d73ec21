import LoopbackServer
import Testing

/// `edit --only`: what becomes new.
@Suite struct OnlyTests {
    @Test func `only matching episodes become new, the others are listed as usual`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 1)
        #expect(try home.jimmy.run("edit", "Night Radio", "--only", "-title:2 sea").status == 0)
        #expect(try home.jimmy.run("show", "Night Radio").output.contains("only -title:2 sea becomes new"))
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 4)))
        let run = try home.jimmy.run("refresh", "--all")
        #expect(run.errors.contains(", 2 new episodes, 1 added but not new"), "\(run.errors)")
        #expect(try home.jimmy.run("episodes", "--new").records.map { $0[3] } == ["Night Radio 4", "Night Radio 3"])
        #expect(try home.jimmy.run("episodes").lines.count == 4)
        #expect(try home.jimmy.run("edit", "Night Radio", "--only", "").errors.contains("all episodes"))
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 5)))
        _ = try home.jimmy.run("refresh", "--all")
        #expect(try home.jimmy.run("episodes", "--new").lines.count == 3)
        #expect(try home.jimmy.run("edit", "Night Radio", "--only", "is:nwe").status == 64)
    }

    @Test func `only takes lengths, tags and named queries`() throws {
        let home = try Home()
        func feed(_ lengths: [Int]) -> Reply {
            let items = lengths.enumerated().map { number, minutes in
                "<item><title>Talk \(number)</title><guid>\(number)</guid><itunes:duration>\(minutes * 60)</itunes:duration></item>"
            }
            return .feed(
                """
                <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Talks</title>
                \(items.joined())</channel></rss>
                """)
        }
        home.server.on("/talks", feed([10]))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/talks").status == 0)
        _ = try home.jimmy.run("config", "set", "query.commute", "shorter:30m is:new")
        #expect(try home.jimmy.run("edit", "Talks", "--tag", "daily", "--only", "query:commute tag:daily").status == 0)
        home.server.on("/talks", feed([10, 20, 40, 25]))
        _ = try home.jimmy.run("refresh", "--all")
        #expect(Set(try home.jimmy.run("episodes", "--new").records.map { $0[3] }) == ["Talk 1", "Talk 3"])

        // Without the named query, nobody knows what is wanted, so everything is.
        _ = try home.jimmy.run("config", "unset", "query.commute")
        home.server.on("/talks", feed([10, 20, 40, 25, 50]))
        let run = try home.jimmy.run("refresh", "--all")
        #expect(run.errors.contains("1 new episode"), "\(run.errors)")
        #expect(try home.jimmy.run("episodes", "--new").lines.count == 3)
    }
}
