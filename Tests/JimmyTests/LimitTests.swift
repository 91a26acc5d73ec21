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
