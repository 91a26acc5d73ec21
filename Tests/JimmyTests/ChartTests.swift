import Glibc
import LoopbackServer
import Testing

/// What `jimmy chart` draws and counts.
@Suite struct ChartTests {
    private func home() throws -> Home {
        let home = try Home()
        home.server.on("/a", .feed(Home.weeklyFeed("Tea &amp; &lt;cake&gt; \"daily\" &#x202E;", weeks: 8)))
        home.server.on("/b", .feed(Home.weeklyFeed("夜の図書館", weeks: 3)))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/a", home.server.url + "/b").status == 0)
        home.server.on("/b", Reply(500))
        #expect(try home.jimmy.run("refresh", "--all").status == 0)
        return home
    }

    @Test func `episodes, listening time, fetches and failures are counted`() throws {
        let home = try home()
        let records = try home.jimmy.run("chart", "--weeks", "52").records
        let weeks = records.filter { $0[0] == "week" }
        #expect(weeks.count == 52)
        #expect(weeks.reduce(0) { $0 + (Int($1[2]) ?? 0) } == 11)
        #expect(weeks.reduce(0) { $0 + (Int($1[3]) ?? 0) } == 660)
        #expect(
            records.filter { $0[0] == "podcast" }.map { [$0[2], $0[3], $0[4]] } == [
                ["Tea & <cake> \"daily\"", "8", "480"], ["夜の図書館", "3", "180"],
            ])
        let hours = records.filter { $0[0] == "hour" }
        #expect(hours.reduce(0) { $0 + (Int($1[3]) ?? 0) } == 11)
        // An hour ago, each week.
        #expect(hours.count == 1 && (0...6).contains(Int(hours[0][1]) ?? 7) && (0...23).contains(Int(hours[0][2]) ?? 24))
        let days = records.filter { $0[0] == "day" }
        #expect(days.count == 14)
        #expect(days.reduce(0) { $0 + (Int($1[2]) ?? 0) } == 4)
        #expect(days.reduce(0) { $0 + (Int($1[3]) ?? 0) } == 1)
        #expect(records.contains { $0[0] == "answers" && $0[2] == "夜の図書館" && $0[3...4] == ["2", "1"] })
    }

    @Test func `one podcast can be looked at alone, and json has the same counts`() throws {
        let home = try home()
        let json = try home.jimmy.run("chart", "夜の図書館", "--weeks", "4", "--json").output
        #expect(json.contains(#""episodes":3,"seconds":10800"#))
        #expect(json.contains(#""hours":[{"weekday":"#))
        #expect(!json.contains("cake"))
    }

    @Test(arguments: [20, 40, 80, 200] as [UInt16])
    func `no line is wider than the terminal`(columns: UInt16) throws {
        let home = try home()
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_PAGER"] = "off"
        jimmy.environment["NO_COLOR"] = "1"
        for weeks in ["1", "26", "500"] {
            let run = try jimmy.onTerminal("chart", "--weeks", weeks, columns: columns)
            #expect(run.status == 0)
            // A character of the one Japanese title takes two columns.
            #expect(run.lines.allSatisfy { $0.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2E80 ? 2 : 1) } <= Int(columns) })
            #expect(run.output.contains("█") && run.output.contains("When episodes come"))
        }
    }

    @Test func `the SVG document is well-formed XML, whatever titles say`() throws {
        let home = try home()
        let file = home.folder + "/chart.svg"
        #expect(try home.jimmy.run("chart", "--svg", file).status == 0)
        let svg = try home.jimmy.run("chart", "--svg", "-").output
        #expect(svg.hasPrefix("<?xml"))
        #expect(svg.contains("When episodes come") && svg.contains(":00: 11 episodes"))
        // Our own parser reads it inside a feed, where a foreign element may stand.
        let element = try #require(svg.firstRange(of: "<svg")).lowerBound
        let feed = "<rss version=\"2.0\"><channel><title>x</title>\(svg[element...])</channel></rss>"
        #expect(try home.jimmy.run("parse", "-", input: feed).output.contains(#""wellFormed":true"#))
        #expect(svg.contains("Tea &amp; &lt;cake&gt; &quot;daily&quot;"))
        let run = try home.jimmy.run("parse", file)
        #expect(run.errors.contains("the document is a <svg>"))
    }

    @Test func `a library without podcasts, and files that cannot be written, are told`() throws {
        let home = try Home()
        // A database begins with its first podcast.
        if Home.usesDatabase { #expect(try home.jimmy.run("subscribe", "--no-fetch", home.server.url).status == 0) }
        #expect(try home.jimmy.run("chart").status == 0)
        #expect(try home.jimmy.run("chart", "--svg", "-").output.hasSuffix("</svg>\n"))
        #expect(try home.jimmy.run("chart", "--svg", home.folder + "/nowhere/x.svg").status == 74)
        #expect(try home.jimmy.run("chart", "--weeks", "0").status == 64)
        #expect(try home.jimmy.run("chart", "--svg", "").status != 0)
    }
}
