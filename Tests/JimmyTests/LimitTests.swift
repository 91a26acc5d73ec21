import LoopbackServer
import Testing

/// The system provides less than a run needs: descriptors, a cache folder, room in files. No server is ever blamed,
/// and nothing stored before is lost.
@Suite struct LimitTests {
    @Test func `too few file descriptors exit 74, at any number of them`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        var statuses: Set<Int32> = []
        for count in stride(from: 8, through: 64, by: 4) {
            var jimmy = home.jimmy
            jimmy.prelude = "ulimit -n \(count)"
            for command in [["refresh", "--force"], ["podcasts"], ["search", "night"], ["queue", "clear"]] {
                let run = try jimmy.run(command)
                statuses.insert(run.status)
                #expect(
                    run.status == 0 || run.status == 74 && run.errorLines.count == 1, "\(count) for \(command): \(run.errors)")
            }
        }
        #expect(statuses == [0, 74])
        #expect(try home.jimmy.run("verify").status == 0)
        #expect(try home.jimmy.run("podcasts", "--failing").lines.isEmpty)
    }

    /// Fewer descriptors than feeds at once: they take turns, and no server is blamed.
    @Test(arguments: [0, 6]) func `feeds wait for a free descriptor`(inherited: Int) throws {
        let home = try Home()
        for number in 1...40 {
            home.server.on("/\(number)", .hanging)
            #expect(try home.jimmy.run("subscribe", "--no-fetch", home.server.url + "/\(number)").status == 0)
        }
        var jimmy = home.jimmy
        jimmy.prelude = (0..<inherited).map { "exec \(3 + $0)</dev/null; " }.joined() + "ulimit -n 40"
        let run = try jimmy.run("refresh", "--concurrency", "40", "--per-host", "40", "--timeout", "1", "--json")
        #expect(run.status == 69, "\(run.errors)")
        #expect(run.lines.count { $0.contains(#""code":"timeout""#) } == 40)
    }

    @Test(.foldersOnly("a database has no cache"))
    func `a search needs no cache, and a repair that cannot make the index says so`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        var jimmy = home.jimmy
        jimmy.environment["XDG_CACHE_HOME"] = "/dev/null"
        #expect(try jimmy.run("search", "night").lines.count == 2)
        #expect(try jimmy.run("export", "csv", "night").lines.count == 3)
        let repair = try jimmy.run("verify", "--repair")
        #expect(repair.status == 77)
        let folder = try #require(repair.errors.firstMatch(of: /\/dev\/null\/jimmy\/[0-9a-z]+\/index/)).output
        #expect(repair.errors == "jimmy: search index: permission denied; check the owner and permissions of \(folder)\n")
    }

    @Test(.foldersOnly("a database library writes no file")) func `a file that may not grow is a full disk, and nothing is lost`()
        throws
    {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 9)
        let before = try home.jimmy.run("episodes").output
        var jimmy = home.jimmy
        jimmy.prelude = "ulimit -f 1"
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 20)))
        let refresh = try jimmy.run("refresh", "--force")
        #expect(refresh.status == 74)
        #expect(refresh.errorLines.last == "jimmy: \(home.library)/new/0: write: file too large")
        #expect(try home.jimmy.run("episodes").output == before)
        #expect(try home.jimmy.run("verify").status == 0)
        #expect(try home.jimmy.run("refresh", "--force").status == 0)
        #expect(try home.jimmy.run("episodes").lines.count == 20)
    }
}

/// Numbers at the ends of their ranges, from the command line and from feeds.
@Suite struct NumberLimitTests {
    private static let largest = "9223372036854775807"

    @Test(arguments: [
        ["episodes", "--limit", largest], ["episodes", "--new", "--limit", largest], ["export", "csv", "--limit", largest],
        ["export", "csv", "sea", "--limit", largest], ["search", "sea", "--limit", largest],
        ["episodes", "--query", "sea", "--limit", largest], ["similar", "Night Radio 1", "--limit", largest],
        ["suggest", "--limit", largest], ["download", "--limit", largest, "--max-total", largest],
        ["episodes", "--since", "100000y"], ["search", "sea after:100000y"], ["search", "sea longer:9999999999999999h"],
        ["search", "sea season:\(largest)"], ["queue", "move", "Night Radio 1", largest],
        ["--set", "search-limit=\(largest)", "search", "sea"], ["--set", "new-on-subscribe=\(largest)", "refresh"],
        ["edit", "Night Radio", "--keep", largest], ["edit", "Night Radio", "--min-interval=-\(largest)w"],
        ["edit", "Night Radio", "--min-interval", "\(largest)w"], ["refresh", "--timeout", largest],
        ["refresh", "--max-body", largest], ["refresh", "--max-body", "\(largest)G"],
        ["play", "Night Radio 1", "--chapter", largest], ["edit", "Night Radio", "--max-body", largest],
        ["edit", "Night Radio", "--timeout", largest], ["chart", "--weeks", largest],
    ]) func `an option at its limit ends in order`(_ arguments: [String]) throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        let run = try home.jimmy.run(arguments)
        #expect([0, 1, 64, 66].contains(run.status), "\(run.status) \(run.errors)")
    }

    @Test func `numbers of feeds at their limits are listed, shown, exported, charted and named`() throws {
        let home = try Home()
        let numbers = ["9223372036854775808", "1e300", "-1e300", "inf", "nan", "99999999999999999999999999"]
        let items = numbers.enumerated().map { index, number in
            """
            <item><title>Sea \(index)</title><guid>\(index)</guid><itunes:season>\(number)</itunes:season>
            <itunes:episode>\(number)</itunes:episode><itunes:duration>\(number)</itunes:duration>
            <podcast:season>\(number)</podcast:season><podcast:episode>\(number)</podcast:episode>
            <pubDate>01 May 2024 08:00:00 GMT</pubDate>
            <enclosure url="\(home.server.url)/\(index).mp3" type="audio/mpeg" length="\(number)"/></item>
            """
        }
        let spaces =
            #"xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0""#
        home.server.on(
            "/sea", .feed("<rss version=\"2.0\" \(spaces)><channel><title>Coast</title>\(items.joined())</channel></rss>"))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/sea").status == 0)
        for (index, _) in numbers.enumerated() {
            home.server.on("/\(index).mp3", Reply(headers: [("Content-Type", "audio/mpeg")], body: [1]))
        }
        for command in [
            ["episodes"], ["search", "sea"], ["show", "Sea 1"], ["export", "rss"], ["export", "csv"], ["export", "markdown"],
            ["chart"], ["queue", "add", "Sea 0", "Sea 1"], ["suggest"],
        ] {
            #expect(try home.jimmy.run(command).status == 0, "\(command)")
            #expect(try home.jimmy.onTerminal(command).status == 0, "\(command)")
        }
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        jimmy.environment["JIMMY_NAME"] = "{season}x{episode} {title}.{ext}"
        let run = try jimmy.run("download", "--query", "sea")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.count == numbers.count)
    }
}
