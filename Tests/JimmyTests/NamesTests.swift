import Glibc
import LoopbackServer
import Testing

/// A podcast where an episode is wanted, names that mean several, and ids from other programs.
@Suite struct MeantEpisodesTests {
    /// A podcast with episodes of the same title, seasons and numbers.
    private func home() throws -> Home {
        let home = try Home()
        let items = (1...12).map { number in
            """
            <item><title>Night Ferry</title><guid>\(number)</guid><itunes:season>2</itunes:season>
            <itunes:episode>\(number)</itunes:episode><pubDate>\(number < 10 ? "0" : "")\(number) May 2024 08:00:00 GMT</pubDate>
            <enclosure url="\(home.server.url)/\(number).mp3" type="audio/mpeg" length="5"/></item>
            """
        }
        home.server.on(
            "/coast",
            .feed(
                """
                <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Coast</title>
                \(items.joined())</channel></rss>
                """))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/coast").status == 0)
        return home
    }

    @Test func `an ambiguous name lists the newest ten with podcast, date, number and title`() throws {
        let home = try home()
        let run = try home.jimmy.run("star", "night ferry")
        #expect(run.status == 64)
        #expect(run.errorLines.count == 12)
        #expect(run.errorLines[0] == "jimmy: night ferry: 12 episodes match; use the id of one")
        #expect(run.errorLines[1].hasSuffix("  Coast  2024-05-12  S2E12  Night Ferry"))
        #expect(run.errorLines[10].hasSuffix("  Coast  2024-05-03  S2E3  Night Ferry"))
        #expect(run.errorLines[11] == "  and 2 more")
        let short = try #require(run.errorLines[1].split(separator: " ").first)
        #expect(short.count < 20)
        #expect(try home.jimmy.run("star", String(short)).status == 0)
        #expect(try home.jimmy.run("search", "is:starred").records[0][1].hasPrefix("2024-05-12"))
    }

    @Test(.enabled(if: Program.hasTerminals)) func `on a terminal the list is numbered and asks which`() throws {
        let home = try home()
        let run = try home.jimmy.onTerminal(["star", "night ferry"], columns: 120, typing: [("[1-10]", "3\n")])
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("3  "))
        #expect(try home.jimmy.run("search", "is:starred").records[0][1].hasPrefix("2024-05-10"))
        for answer in ["\n", "0\n", "11\n", "1 2\n", "no\n"] {
            let none = try home.jimmy.onTerminal(["star", "night ferry"], typing: [("[1-10]", answer)])
            #expect(none.status == 130)
        }
        #expect(try home.jimmy.run("search", "is:starred").lines.count == 1)
    }

    @Test func `play takes the next of a podcast, download its new ones, others ask for all`() throws {
        let home = try home()
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_PLAYER"] = "cp /dev/null '\(home.folder)/played-{start}'"
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        let id = try jimmy.run("podcasts").records[0][0]
        jimmy.environment["JIMMY_PLAYER"] = "false {file}"
        for name in ["Coast", "coast", id, String(id.prefix(8)), home.server.url + "/coast"] {
            #expect(try jimmy.run("play", name).errors.contains("exited with 1"), "\(name)")
        }
        try home.subscribe("Harbor Radio")
        #expect(try jimmy.run("play", "harbor").errors.contains("exited with 1"))
        #expect(try jimmy.run("unsubscribe", "Harbor Radio").status == 0)
        #expect(try jimmy.run("download", "Coast").errors.hasPrefix("Nothing new to download; "))
        let newest = try jimmy.run("episodes").records[0][0]
        _ = try jimmy.run("tag", "+new", newest)
        home.server.on("/12.mp3", Reply(headers: [("Content-Type", "audio/mpeg")], body: [1, 2, 3]))
        #expect(try jimmy.run("download", "Coast").records.map { $0[1] } == [newest])
        for command in [["queue", "add"], ["seen"], ["tag", "+x"], ["star"], ["downloads", "remove"]] {
            let refused = try jimmy.run(command + ["Coast"])
            #expect(refused.status == 64, "\(command)")
            #expect(refused.errors.contains("--all"), "\(refused.errors)")
            #expect(refused.errors.contains("--query 'podcast:… season:2'"))
            #expect(refused.errors.contains("--season 2 a season") == (command == ["queue", "add"]))
        }
        #expect(try jimmy.run("queue").lines.isEmpty)
        let added = try jimmy.run("queue", "add", "--all", "Coast").records.map { $0[1] }
        #expect(added.count == 12 && added == added.sorted())
        #expect(try jimmy.run("tag", "+x", "--all", "Coast").errors == "12 episodes tagged.\n")
        #expect(try jimmy.run("seen", newest).errors == "1 episode seen.\n")
        #expect(try jimmy.run("played", "--query", "podcast:coast").status == 0)
        #expect(try jimmy.run("play", "Coast").errors == "jimmy: Coast: no unheard episode is left\n")
    }

    @Test func `a season is queued in its order by one command`() throws {
        let home = try Home()
        // The feed's order is not that of the numbers, and all came on one day.
        let items = [(2, 3), (1, 1), (2, 1), (3, 1), (2, 2)].map { season, number in
            """
            <item><title>Part \(number)</title><guid>\(season)-\(number)</guid><itunes:season>\(season)</itunes:season>
            <itunes:episode>\(number)</itunes:episode><pubDate>01 May 2024 08:00:00 GMT</pubDate></item>
            """
        }
        home.server.on(
            "/ferry",
            .feed(
                """
                <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Night Ferry</title>
                \(items.joined())</channel></rss>
                """))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/ferry").status == 0)
        let added = try home.jimmy.run("queue", "add", "Night Ferry", "--season", "2")
        #expect(added.status == 0, "\(added.errors)")
        #expect(try home.jimmy.run("queue").records.map { $0[4] } == ["Part 1", "Part 2", "Part 3"])
        _ = try home.jimmy.run("queue", "clear")
        #expect(try home.jimmy.run("queue", "add", "--query", "podcast:ferry season:2").lines.count == 3)
        #expect(try home.jimmy.run("queue").records.map { $0[4] } == ["Part 1", "Part 2", "Part 3"])
        let none = try home.jimmy.run("queue", "add", "Night Ferry", "--season", "9")
        #expect(none.status == 1)
        #expect(none.errors == "jimmy: Night Ferry: no episode of season 9\n")
        #expect(try home.jimmy.run("queue", "add", "Night Ferry", "--season", "2", "--all").status == 64)
        #expect(try home.jimmy.run("queue", "add", "--season", "2").status == 64)
        #expect(try home.jimmy.run("queue", "add", "Night Ferry", "--season", "9223372036854775807").status == 1)
    }

    @Test func `a removed file is not downloaded again by itself`() throws {
        let home = try home()
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        let newest = try jimmy.run("episodes").records.prefix(2).map { $0[0] }
        for path in ["/12.mp3", "/11.mp3"] {
            home.server.on(path, Reply(headers: [("Content-Type", "audio/mpeg")], body: [1, 2, 3]))
        }
        _ = try jimmy.run(["tag", "+new"] + newest)
        _ = try jimmy.run("edit", "Coast", "--download", "on")
        #expect(try jimmy.run("download").lines.count == 2)
        #expect(try jimmy.run("downloads", "remove", newest[0]).errors == "Deleted 1 file (3 B).\n")
        unlink(try jimmy.run("downloads").records[0][2])
        home.server.forgetRequests()
        #expect(try jimmy.run("download").errors.hasPrefix("Nothing new to download; "))
        #expect(home.server.requests.isEmpty)
        #expect(try jimmy.run(["download"] + newest).status == 0)
        #expect(try jimmy.run("downloads", "remove", "--query", "podcast:coast").errors == "Deleted 2 files (6 B).\n")
        #expect(try jimmy.run("downloads").lines.isEmpty)
        #expect(try jimmy.run("downloads", "remove", newest[0]).errors == "No file was deleted.\n")
    }

    @Test func `standard input is read as ids, never as words, and all or nothing is done`() throws {
        let home = try home()
        let rows = try home.jimmy.run("episodes", "--limit", "2", "--quiet")
        #expect(try home.jimmy.run("queue", "add", "-", input: rows.output).lines.count == 2)
        let json = try home.jimmy.run("episodes", "--limit", "3", "--json", "--quiet").output
        #expect(try home.jimmy.run("tag", "+a", "-", input: json).errors == "3 episodes tagged.\n")
        for input in ["night ferry\n", "Coast\n", rows.output + "night\tferry\n", #"{"title":"Night Ferry"}"#, "{\n", "2\t1\n"] {
            for command in [["queue", "add"], ["tag", "+b"], ["download"], ["seen"], ["star"]] {
                let run = try home.jimmy.run(command + ["-"], input: input)
                #expect(run.status == 66, "\(command) \(input) \(run.errors)")
                #expect(run.errors.contains("nothing was done"))
            }
        }
        #expect(try home.jimmy.run("queue").lines.count == 2)
        #expect(try home.jimmy.run("search", "tag:b").status == 1)
        #expect(try home.jimmy.run("queue", "add", "-", input: "\n\n").status == 1)
    }

    @Test func `a large download asks first, and a limit is no failure`() throws {
        let home = try Home()
        let items = (1...60).map { number in
            """
            <item><title>Part \(number)</title><guid>\(number)</guid>
            <enclosure url="\(home.server.url)/\(number).mp3" type="audio/mpeg" length="999999999999999999"/></item>
            """
        }
        home.server.on("/p", .feed("<rss version=\"2.0\"><channel><title>Cast</title>\(items.joined())</channel></rss>"))
        for number in 1...60 {
            home.server.on("/\(number).mp3", Reply(headers: [("Content-Type", "audio/mpeg")], body: [1]))
        }
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        #expect(try jimmy.run("subscribe", home.server.url + "/p").status == 0)
        let refused = try jimmy.run("download", "--query", "part")
        #expect(refused.status == 64)
        #expect(refused.errors.hasPrefix("jimmy: download: that would be 60 files, about "))
        #expect(refused.errors.contains("'--yes'"))
        #expect(try jimmy.run("downloads").lines.isEmpty)
        let large = try jimmy.run("download", "--query", "part", "--limit", "2")
        #expect(large.status == 64)
        let some = try jimmy.run("download", "--query", "part", "--limit", "2", "--yes")
        #expect(some.status == 0)
        #expect(some.lines.count == 2)
        #expect(some.errors.contains("58 more; '--limit N' downloads more."))
        if Program.hasTerminals {
            let no = try jimmy.onTerminal(["download", "--query", "part"], typing: [("[y/N]", "\n")])
            #expect(no.status == 130)
            #expect(try jimmy.run("downloads").lines.count == 2)
            let yes = try jimmy.onTerminal(["download", "--query", "part"], typing: [("[y/N]", "y\n")])
            #expect(yes.status == 0, "\(yes.output)")
            #expect(try jimmy.run("downloads").lines.count == 60)
        }
    }

    @Test func `failed downloads have their line on standard error`() throws {
        let home = try home()
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        let all = try jimmy.run("download", "--query", "night")
        #expect(all.status == 69)
        let failure = "the first: HTTP 404, not found (its feed, read again, names no other address)"
        #expect(all.errorLines.last == "jimmy: download: 12 of 12 files failed; \(failure)")
        let quiet = try jimmy.run("download", "--quiet", "coast/night")
        #expect(quiet.errorLines.count >= 1)
    }

    @Test func `short forms of tag`() throws {
        let home = try home()
        let id = try home.jimmy.run("episodes").records[0][0]
        func tags() throws -> [String] { try home.jimmy.run("tag").records.map { $0[0] } }
        #expect(try home.jimmy.run("star", id).errors == "1 episode tagged.\n")
        #expect(try home.jimmy.run("played", id).status == 0)
        #expect(try tags() == ["played", "starred"])
        #expect(try home.jimmy.run("unstar", id).errors == "starred removed from 1 episode.\n")
        #expect(try home.jimmy.run("unplayed", id).status == 0)
        #expect(try tags().isEmpty)
        #expect(try home.jimmy.run("star").status == 64)
    }

    // MARK: --pick

    @Test(.enabled(if: Program.hasTerminals && Program.find("fzf") != nil)) func `pick chooses in fzf`() throws {
        let home = try home()
        let one = try home.jimmy.onTerminal(
            ["queue", "add", "--pick", "--query", "night"], columns: 120, typing: [("12/12", "2024-05-07"), ("1/12", "\r")])
        #expect(one.status == 0, "\(one.output)")
        #expect(try home.jimmy.run("queue").records[0][2].hasPrefix("2024-05-07"))
        let none = try home.jimmy.onTerminal(["star", "--pick", "night"], columns: 120, typing: [("12/12", "\u{1B}")])
        #expect(none.status == 130)
        let several = try home.jimmy.onTerminal(["star", "--pick", "night"], columns: 120, typing: [("12/12", "\t\t\r")])
        #expect(several.status == 0)
        #expect(try home.jimmy.run("search", "is:starred").lines.count == 2)
    }

    @Test(.enabled(if: Program.hasTerminals)) func `pick without fzf asks by number`() throws {
        let home = try home()
        var jimmy = home.jimmy
        jimmy.environment["PATH"] = home.folder
        let run = try jimmy.onTerminal(["star", "--pick", "night"], columns: 120, typing: [("[1-12]", "1 3\n")])
        #expect(run.status == 0, "\(run.output)")
        #expect(
            Set(try jimmy.run("search", "is:starred").records.map { $0[1].prefix(10) }) == ["2024-05-12", "2024-05-10"])
        let none = try jimmy.onTerminal(["star", "--pick", "night"], columns: 120, typing: [("[1-12]", "\n")])
        #expect(none.status == 130)
        for command in [["queue", "add"], ["tag", "+late"], ["seen"], ["show"], ["download"], ["play"]] {
            let chosen = try jimmy.onTerminal(
                command + (["show", "play"].contains(command[0]) ? ["--pick", "night"] : ["--pick", "--query", "night"]),
                columns: 120, typing: [("[1-12]", "2\n")])
            #expect(
                [0, 1, 66, 69].contains(chosen.status) && chosen.output.contains("2024-05-11"), "\(command): \(chosen.output)")
        }
        #expect(try jimmy.run("queue").records[0][2].hasPrefix("2024-05-11"))
        #expect(try jimmy.run("search", "tag:late").records.map { $0[1].prefix(10) } == ["2024-05-11"])
        let pipe = try jimmy.run("star", "--pick", "night")
        #expect(pipe.status == 64)
        #expect(pipe.errors.contains("terminal"))
    }
}
