import Glibc
import LoopbackServer
import Testing

/// One order everywhere.
@Suite struct OrderTests {
    /// Episodes of one date by number, without numbers by their place, and without dates.
    private func home() throws -> Home {
        let home = try Home()
        func feed(_ title: String, _ items: [String]) -> Reply {
            .feed(
                """
                <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>\(title)</title>
                \(items.joined())</channel></rss>
                """)
        }
        let date = "<pubDate>01 May 2024 08:00:00 GMT</pubDate>"
        let numbered = (1...12).reversed().map { number in
            "<item><title>Sea \(number)</title><guid>a\(number)</guid>\(date)<itunes:season>1</itunes:season>"
                + "<itunes:episode>\(number)</itunes:episode><itunes:duration>754</itunes:duration></item>"
        }
        let plain = (1...12).reversed().map { "<item><title>Tide \($0)</title><guid>b\($0)</guid>\(date)</item>" }
        let undated = (1...12).reversed().map { "<item><title>Wave \($0)</title><guid>c\($0)</guid></item>" }
        home.server.on("/a", feed("Numbered Coast", numbered))
        home.server.on("/b", feed("Placed Coast", plain))
        home.server.on("/c", feed("Undated Coast", undated))
        for path in ["/a", "/b", "/c"] { #expect(try home.jimmy.run("subscribe", home.server.url + path).status == 0) }
        return home
    }

    @Test(arguments: ["Sea", "Tide", "Wave"]) func `equal and missing dates are in the order of numbers, then of the feed`(
        word: String
    ) throws {
        let home = try home()
        let newest = (1...12).reversed().map { "\(word) \($0)" }
        let podcast = ["Sea": "Numbered Coast", "Tide": "Placed Coast", "Wave": "Undated Coast"][word] ?? ""
        func titles(_ arguments: String...) throws -> [String] {
            try home.jimmy.run(arguments + ["--quiet"]).records.map { $0[3] }
        }
        #expect(try titles("episodes", podcast) == newest)
        #expect(try titles("episodes", podcast, "--limit", "5") == Array(newest.prefix(5)))
        #expect(try titles("episodes", podcast, "--sort", "oldest") == newest.reversed())
        #expect(try titles("episodes", "--query", "title:\(word)") == newest)
        #expect(
            try titles("episodes", "--query", "title:\(word)", "--sort", "oldest", "--limit", "3") == newest.suffix(3).reversed())
        #expect(try titles("search", "title:\(word)", "--sort", "date") == newest)
        #expect(try titles("search", "title:\(word)", "--sort", "oldest") == newest.reversed())
        #expect(try titles("search", "title:\(word)", "--sort", "date", "--limit", "4") == Array(newest.prefix(4)))
        let export = try home.jimmy.run("export", "csv", "title:\(word)", "--sort", "oldest").lines.dropFirst()
        #expect(export.map { String($0.split(separator: ",")[2]) } == newest.reversed())
        #expect(try titles("queue", "add", "--query", "title:\(word)") == newest.reversed())
        _ = try home.jimmy.run("queue", "clear")
        #expect(try titles("queue", "add", "--query", "title:\(word)", "--sort", "date") == newest)
    }

    @Test func `the newest of the new episodes are the first of all of them`() throws {
        let home = try home()
        for (title, ago) in [("Weekly Harbor", 7_200), ("Weekly Pier", 90_000), ("Weekly Quay", 3_600)] {
            home.server.on("/\(ago)", .feed(Home.weeklyFeed(title, weeks: 7, newestAgo: ago)))
            #expect(try home.jimmy.run("subscribe", home.server.url + "/\(ago)").status == 0)
        }
        _ = try home.jimmy.run("tag", "+new", "--query", "coast OR weekly")
        _ = try home.jimmy.run("tag", "+archived", "--query", "podcast:quay title:1")
        let all = try home.jimmy.run("episodes", "--new").lines
        #expect(all.count == 3 * 12 + 3 * 7 - 1)
        for limit in [0, 1, 3, 7, 20, 21, 50, 99] {
            let listed = try home.jimmy.run("episodes", "--new", "--limit", "\(limit)", "--quiet").lines
            #expect(listed == Array(all.prefix(limit)), "\(limit)")
        }
        let since = ["--since", "20d"]
        #expect(
            try home.jimmy.run(["episodes", "--new", "--limit", "5", "--quiet"] + since).lines
                == Array(home.jimmy.run(["episodes", "--new"] + since).lines.prefix(5)))
        let today = try home.jimmy.run()
        #expect(today.output.contains("56 new episodes") && today.output.contains("and 46 more"), "\(today.output)")
        #expect(today.lines.filter { $0.contains("Weekly") } == Array(all.prefix(10)))
        #expect(try home.jimmy.run("--json").output.split(separator: "\"guid\"").count == 57)
    }

    @Test(.foldersOnly("it looks into the library's files")) func `podcasts without any of the newest are not read`() throws {
        let home = try Home()
        home.server.on("/a", .feed(Home.weeklyFeed("Night Radio", weeks: 12)))
        home.server.on("/b", .feed(Home.weeklyFeed("Old Radio", weeks: 3, newestAgo: 200 * 86_400)))
        for path in ["/a", "/b"] { #expect(try home.jimmy.run("subscribe", home.server.url + path).status == 0) }
        _ = try home.jimmy.run("tag", "+new", "--query", "radio")
        let id = try #require(try home.jimmy.run("podcasts").records.first { $0.contains("Old Radio") }?[0])
        truncate("\(home.library)/podcasts/\(id).jsonl", 10)
        #expect(try home.jimmy.run("episodes", "--new").status == 65)
        #expect(try home.jimmy.run("episodes", "--new", "--limit", "12").status == 0)
        let today = try home.jimmy.run()
        #expect(today.status == 0 && today.output.contains("15 new episodes"), "\(today.output)\(today.errors)")
    }

    @Test func `downloads take the same options`() throws {
        let home = try home()
        let run = try home.jimmy.run("download", "--query", "sea", "--sort", "oldest", "--limit", "1")
        #expect(!run.errors.contains("not several of them"))
        #expect(run.errors.contains("its feed names no media file"), "\(run.errors)")
        #expect(!run.errors.contains("server"))
    }

    @Test(.enabled(if: Program.hasTerminals)) func `lists show season and number, and keep the length`() throws {
        let home = try home()
        let wide = try home.jimmy.onTerminal("episodes", "numbered coast", columns: 120, rows: 200).output.removingStyles
        #expect(wide.contains("NUMBER"))
        #expect(wide.contains("S1E12"))
        #expect(!(try home.jimmy.onTerminal("episodes", "placed coast", columns: 120, rows: 200).output.contains("NUMBER")))
        for columns: UInt16 in [40, 80, 200] {
            let found = try home.jimmy.onTerminal(["search", "sea 12"], columns: columns, rows: 200).output.removingStyles
            #expect(found.contains("12:34"), "\(columns): \(found)")
            #expect(found.contains("S1E12"))
            #expect(found.split(separator: "\n").allSatisfy { $0.count <= Int(columns) })
        }
        let named = try home.jimmy.onTerminal(["search", "numbered coast"], columns: 80, rows: 200).output.removingStyles
        #expect(!named.contains("‹Numbered› ‹Coast›"), "\(named)")
    }
}

/// Tags, keywords, named queries and days.
@Suite struct QueryMeaningTests {
    @Test func `tag is the owner's, keyword the feed's`() throws {
        let home = try Home()
        home.server.on("/wire", .feed(Home.feed("Wire", episodes: 2)))
        home.server.on(
            "/other",
            .feed(Home.feed("Other", episodes: 2, extra: "<category>news</category><itunes:keywords>news</itunes:keywords>")))
        for path in ["/wire", "/other"] { #expect(try home.jimmy.run("subscribe", home.server.url + path).status == 0) }
        _ = try home.jimmy.run("edit", "Wire", "--tag", "News")
        func podcasts(_ query: String) throws -> [String] {
            Set(try home.jimmy.run("search", query).records.map { $0[2] }).sorted()
        }
        #expect(try podcasts("tag:news") == ["Wire"])
        #expect(try podcasts("keyword:news") == ["Other"])
        #expect(try podcasts("-tag:news") == ["Other"])
        #expect(try podcasts(#"tag:"news" OR keyword:news"#) == ["Other", "Wire"])
        _ = try home.jimmy.run("tag", "+commute", "Other 1")
        #expect(try home.jimmy.run("search", "tag:commute").records.map { $0[3] } == ["Other 1"])
        #expect(try home.jimmy.run("search", "tag:(commute OR news)").lines.count == 3)
        #expect(try home.jimmy.run("tag", "+gym", "--query", "tag:news").errors == "2 episodes tagged.\n")
        #expect(try home.jimmy.run("search", "tgs:x").errors.contains("did you mean 'tag:x'"))
    }

    @Test func `a query that begins with a minus is a query`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 3)
        _ = try home.jimmy.run("queue", "add", "Night Radio 1")
        for command in [
            ["search", "-is:queued"], ["search", "--sort", "date", "-is:queued"], ["search", "-is:queued night"],
            ["search", "night", "-is:queued"], ["export", "json", "-is:queued"],
            ["export", "json", "--limit", "9", "-is:queued"],
            ["episodes", "--query", "-is:queued"],
        ] {
            let run = try home.jimmy.run(command)
            #expect(run.lines.count == 2, "\(command): \(run.errors)")
        }
        #expect(try home.jimmy.run("search", "-q", "-is:queued", "--limit", "1").errors == "")
    }

    @Test func `a query with a name is taken wherever a query is`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 3)
        #expect(
            try home.jimmy.run("config", "set", "query.commute", "title:1 OR title:2").errors
                == "query:commute means title:1 OR title:2\n")
        #expect(try home.jimmy.run("config", "query.commute").output == "title:1 OR title:2\n")
        #expect(try home.jimmy.run("config").output.contains("query.commute\ttitle:1 OR title:2\t"))
        #expect(try home.jimmy.run("search", "query:commute").lines.count == 2)
        #expect(try home.jimmy.run("search", "-query:commute").records.map { $0[3] } == ["Night Radio 3"])
        #expect(try home.jimmy.run("episodes", "--query", "query:commute -title:1").lines.count == 1)
        #expect(try home.jimmy.run("export", "json", "query:commute").lines.count == 2)
        #expect(try home.jimmy.run("tag", "+a", "--query", "query:commute").errors == "2 episodes tagged.\n")
        #expect(try home.jimmy.run("queue", "add", "--query", "query:commute").lines.count == 2)
        for query in ["night", "query:loop night"] {
            #expect(try home.jimmy.run("config", "set", "query.loop", query).status == 0)
        }
        #expect([0, 1].contains(try home.jimmy.run("search", "query:loop").status))
        #expect(try home.jimmy.run("config", "set", "query.bad", "is:nwe").status == 64)
        #expect(try home.jimmy.run("tag", "+a", "--query", "query:unknown").status == 64)
        #expect(try home.jimmy.run("config", "unset", "query.commute").status == 0)
        #expect(try home.jimmy.run("config", "query.commute").status == 66)
    }

    @Test func `today is the owner's day`() throws {
        let home = try Home()
        var jimmy = home.jimmy
        func count(_ zone: String, _ arguments: [String], now: String) throws -> Int {
            jimmy.environment["TZ"] = zone
            return try jimmy.run(arguments).lines.count
        }
        // One episode at each hour of the last two days.
        let script = "for i in $(seq 0 47); do date -u -d \"-$i hours -1 minute\" '+%a, %d %b %Y %H:%M:%S GMT'; done"
        let dates = try home.run(script: script).lines
        let items = dates.map { "<item><title>Hour</title><guid>\($0)</guid><pubDate>\($0)</pubDate></item>" }
        home.server.on("/hours", .feed("<rss version=\"2.0\"><channel><title>Hours</title>\(items.joined())</channel></rss>"))
        #expect(try jimmy.run("subscribe", home.server.url + "/hours").status == 0)
        for zone in ["XXX12", "UTC0", "XXX-12"] {
            let hour = try home.run(script: "TZ=\(zone) date +%H").lines[0]
            let expected = try #require(Int(hour))
            for arguments in [
                ["episodes", "--since", "today"], ["search", "hour", "--since", "today", "--limit", "99"],
                ["search", "hour after:today", "--limit", "99"], ["episodes", "--query", "after:today"],
            ] {
                // The hour that has begun counts if a minute of it has passed.
                let count = try count(zone, arguments, now: hour)
                #expect(count == expected || count == expected + 1, "\(zone) \(arguments)")
            }
        }
    }
}
