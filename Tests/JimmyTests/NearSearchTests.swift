import Glibc
import LoopbackServer
import Testing

/// A search that finds nothing shows what is near.
@Suite struct NearSearchTests {
    private func home() throws -> Home {
        let home = try Home()
        let items = [
            "<item><title>An architect in prison</title><guid>1</guid><description>Solitary confinement.</description></item>",
            "<item><title>Hollywood</title><guid>2</guid></item>", "<item><title>100% true</title><guid>3</guid></item>",
            "<item><title>Episode #100</title><guid>4</guid><description>\(String(repeating: "Talk. ", count: 99))</description></item>",
        ]
        home.server.on("/a", .feed("<rss version=\"2.0\"><channel><title>Cast</title>\(items.joined())</channel></rss>"))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/a").status == 0)
        return home
    }

    @Test func `words without a match are named, and the results of the others shown`() throws {
        let home = try home()
        let apart = try home.jimmy.run("search", "architect prison solitary confinement hollywood")
        #expect(apart.records.map { $0[3] } == ["An architect in prison"])
        #expect(apart.errors.contains("Results without ‘hollywood’:"), "\(apart.errors)")
        #expect(apart.status == 1)
        let missing = try home.jimmy.run("search", "architect xylophone")
        #expect(missing.records.map { $0[3] } == ["An architect in prison"])
        #expect(missing.errors.contains("no match for ‘xylophone’. Results without it:"), "\(missing.errors)")
        let field = try home.jimmy.run("search", "title:hollywood", "title:architect")
        #expect(field.lines.count == 1)
        #expect(try home.jimmy.run("search", "xylophone zither").errors.hasPrefix("Nothing found"))
        #expect(try home.jimmy.run("search", "architect hollywood", "--json").output == "")
    }

    @Test func `a misspelt word shows the results of the right one at once`() throws {
        let home = try home()
        let run = try home.jimmy.run("search", "arhitect")
        #expect(run.records.map { $0[3] } == ["An architect in prison"])
        #expect(run.errorLines.first == "Nothing found for ‘arhitect’. Results for ‘architect’:")
        #expect(run.status == 1)
    }

    @Test func `a number sign is part of a number's rank`() throws {
        let home = try home()
        #expect(try home.jimmy.run("search", "#100").records.map { $0[3] } == ["Episode #100", "100% true"])
    }

    @Test func `similar finds a shared rare word in a small library`() throws {
        let home = try Home()
        for (path, title) in [("/a", "The lighthouse"), ("/b", "Keeper of a lighthouse"), ("/c", "Cooking")] {
            let others = (1...4).map { "<item><title>Talk \(path) \($0)</title><guid>\($0)</guid></item>" }.joined()
            home.server.on(
                path,
                .feed(
                    "<rss version=\"2.0\"><channel><title>Cast \(path)</title><item><title>\(title)</title><guid>x</guid></item>"
                        + "\(others)</channel></rss>"))
            #expect(try home.jimmy.run("subscribe", home.server.url + path).status == 0)
        }
        let run = try home.jimmy.run("similar", "the lighthouse")
        #expect(run.records.first?[3] == "Keeper of a lighthouse", "\(run.errors)")
    }
}

/// Messages that were false, and mail that nobody needs.
@Suite struct MessageTests {
    @Test func `options that others use are answered`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        #expect(try home.jimmy.run("edit", "Night Radio", "--unpause").errors.contains("did you mean '--resume'?"))
        #expect(try home.jimmy.run("download", "--all").errors.contains("did you mean '--query all'?"))
        #expect(try home.jimmy.run().output.contains("not refreshed automatically yet: jimmy help cron"))
        _ = try home.jimmy.run("tag", "+commute", "--all", "Night Radio")
        #expect(try home.jimmy.run("tag", "-commute", "--all", "Night Radio").errors == "commute removed from 2 episodes.\n")
    }

    @Test func `refresh --all says that a podcast is paused, not that it is not due`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        try home.subscribe("Day Radio")
        _ = try home.jimmy.run("edit", "Day Radio", "--pause")
        let run = try home.jimmy.run("refresh", "--all")
        #expect(run.errors.contains("1 skipped (paused or gone)"), "\(run.errors)")
    }

    @Test func `cron mails only what needs the owner, once`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        try home.subscribe("Day Radio")
        home.server.on("/night-radio", Reply(500))
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_TEST"] = "1"
        let failed = try home.jimmy.run("refresh", "--all", "--quiet")
        #expect(failed.errors == "")
        #expect(failed.status == 0)
        home.server.on("/night-radio", Reply(401))
        let refused = try home.jimmy.run("refresh", "--all", "--quiet")
        #expect(refused.errors == "" || refused.errors.contains("--user"), "\(refused.errors)")
        home.server.on("/day-radio", Reply(410))
        let gone = try home.jimmy.run("refresh", "--all", "--quiet")
        #expect(gone.errorLines.count { $0.contains("Day Radio") } == 1, "\(gone.errors)")
        #expect(!(try home.jimmy.run("refresh", "--all", "--quiet").errors.contains("Day Radio")))
        #expect(try home.jimmy.run("help", "cron").output.contains("410"))
        #expect(id.count > 4)
    }

    @Test func `a list with a private feed says a word`() throws {
        let home = try Home()
        home.server.on("/feed", .feed(Home.feed("Secret", episodes: 1)))
        _ = try home.jimmy.run("subscribe", home.server.url + "/feed?token=abc123")
        let run = try home.jimmy.run("opml", "export")
        #expect(run.output.contains("token=abc123"))
        #expect(run.errors.contains("private key, such as that of Secret"))
        #expect(!run.errors.contains("abc123"))
        #expect(try home.jimmy.run("opml", "export", "--quiet").errors == "")
    }

    @Test(.enabled(if: Program.hasTerminals)) func `a pager shows letters in any locale`() throws {
        let home = try Home()
        let items = (1...40).map { "<item><title>Ma\u{F1}ana \($0)</title><guid>\($0)</guid></item>" }.joined()
        home.server.on("/a", .feed("<rss version=\"2.0\"><channel><title>A</title>\(items)</channel></rss>"))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/a").status == 0)
        var jimmy = home.jimmy
        jimmy.environment["LC_ALL"] = "C"
        jimmy.environment["JIMMY_PAGER"] = "printenv LESSCHARSET"
        #expect(try jimmy.onTerminal("episodes").output == "utf-8\n")
    }

    @Test func `a renamed podcast's downloads stay in one folder`() throws {
        let home = try Home()
        let items = (1...2).map { number in
            "<item><title>Part \(number)</title><guid>\(number)</guid>"
                + "<enclosure url=\"\(home.server.url)/\(number).mp3\" type=\"audio/mpeg\"/></item>"
        }
        home.server.on("/c", .feed("<rss version=\"2.0\"><channel><title>Cast</title>\(items.joined())</channel></rss>"))
        for number in 1...2 {
            home.server.on("/\(number).mp3", Reply(headers: [("Content-Type", "audio/mpeg")], body: Array("ID3abc".utf8)))
        }
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        #expect(try jimmy.run("subscribe", home.server.url + "/c").status == 0)
        #expect(try jimmy.run("download", "Part 1").status == 0)
        _ = try jimmy.run("edit", "Cast", "--title", "My Cast")
        #expect(try jimmy.run("download", "Part 2").status == 0)
        #expect(try home.run(script: "ls audio").output == "Cast\n")
    }
}
