import LoopbackServer
import ProgramSupport
import Testing

/// The days and hours at which episodes come, as commands show them.
@Suite struct HabitTests {
    @Test func `the next episode is listed, explained and given with its windows`() throws {
        let home = try Home()
        // The next one is expected tomorrow at this hour.
        home.server.on("/weekly", .feed(Home.weeklyFeed("Weekly", weeks: 60, newestAgo: 6 * 86_400)))
        try home.subscribe("Once", episodes: 1)
        #expect(try home.jimmy.run("subscribe", home.server.url + "/weekly").status == 0)

        let upcoming = try home.jimmy.run("podcasts", "--upcoming").records
        #expect(upcoming.map { $0[2] } == ["Weekly"])
        #expect(upcoming[0][3].contains("52 of the last 52"), "\(upcoming)")
        let json = try home.jimmy.run("podcasts", "--upcoming", "--json").output
        #expect(json.contains(#""hasHour":true"#) && json.contains(#""hits":"#), "\(json)")

        let explained = try home.jimmy.run("explain", "Weekly").output
        #expect(explained.contains("the days and hours at which its episodes come"), "\(explained)")
        let shown = try home.jimmy.run("show", "Weekly", "--json").output
        #expect(shown.contains("\"expectedAt\":\"" + upcoming[0][0]) && shown.contains(#""windows":[{"#), "\(shown)")
    }
}
