import Glibc
import LoopbackServer
import Testing

/// Media URLs that expire, and feeds that have new ones.
@Suite struct ExpiredMediaTests {
    private func serve(_ home: Home, token: String, episodes: Int = 2) {
        let items = (1...episodes).map { number in
            """
            <item><title>Part \(number)</title><guid>\(number)</guid>
            <enclosure url="\(home.server.url)/\(token)/\(number).mp3" type="audio/mpeg"/></item>
            """
        }
        home.server.on("/feed", .feed("<rss version=\"2.0\"><channel><title>Cast</title>\(items.joined())</channel></rss>"))
    }

    private func home() throws -> (home: Home, jimmy: Program) {
        let home = try Home()
        serve(home, token: "old")
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        #expect(try jimmy.run("subscribe", home.server.url + "/feed").status == 0)
        home.server.forgetRequests()
        return (home, jimmy)
    }

    @Test(arguments: [403, 404, 410]) func `a refused URL is replaced by the feed's new one`(status: Int) throws {
        let (home, jimmy) = try home()
        serve(home, token: "new")
        for number in 1...2 {
            home.server.on("/old/\(number).mp3", Reply(status))
            home.server.on("/new/\(number).mp3", Reply(headers: [("Content-Type", "audio/mpeg")], body: [1, 2, 3]))
        }
        let run = try jimmy.run("download", "--query", "part")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.records.map { $0[0] } == ["downloaded", "downloaded"])
        #expect(run.errors.contains("2 downloaded") && !run.errors.contains("failed"), "\(run.errors)")
        // The feed is read once for both.
        #expect(home.server.requests(to: "/feed").count == 1)
        #expect(try jimmy.run("download", "Part 1").output.hasPrefix("present\t"))
    }

    @Test func `an episode whose URL has expired is played from the feed's new one`() throws {
        let (home, plain) = try home()
        var jimmy = plain
        let player = home.folder + "/player"
        let script = "#!/bin/sh\necho \"$1\" >> \"$HOME/played\"\ncase $1 in */new/*) exit 0; esac\nexit 2\n"
        let file = try #require(fopen(player, "w"))
        fputs(script, file)
        fclose(file)
        chmod(player, 0o755)
        jimmy.environment["JIMMY_PLAYER"] = player
        let url = home.server.url
        home.server.on("/old/1.mp3", Reply(headers: [("Content-Type", "audio/mpeg")], body: [1, 2, 3]))
        // A file that the server sends is not the feed's fault.
        #expect(try jimmy.run("play", "Part 1").status == 1)
        #expect(home.server.requests(to: "/feed").isEmpty)
        home.server.on("/old/1.mp3", Reply(403))
        #expect(try jimmy.run("play", "Part 1").status == 1)
        #expect(home.server.requests(to: "/feed").count == 1)
        serve(home, token: "new")
        let run = try jimmy.run("play", "Part 1")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            try home.text("played").split(separator: "\n").map { $0.dropFirst(url.count) }
                == ["/old/1.mp3", "/old/1.mp3", "/old/1.mp3", "/new/1.mp3"])
    }

    @Test func `a URL that the feed still names is told so`() throws {
        let (home, jimmy) = try home()
        home.server.on("/old/1.mp3", Reply(404))
        let run = try jimmy.run("download", "Part 1")
        #expect(run.status == 69)
        #expect(run.output.contains("its feed, read again, names no other address"), "\(run.output)")
        #expect(run.errors.contains("names no other address"), "\(run.errors)")
        #expect(home.server.requests(to: "/feed").count == 1)
        #expect(home.server.requests(to: "/old/1.mp3").count == 1)
    }

    @Test func `a feed that cannot be read is not blamed`() throws {
        let (home, jimmy) = try home()
        home.server.on("/old/1.mp3", Reply(403))
        home.server.on("/feed", Reply(500))
        let run = try jimmy.run("download", "Part 1")
        #expect(run.status == 69)
        #expect(!run.output.contains("names no other address"), "\(run.output)")
    }
}
