import LoopbackServer
import ProgramSupport
import Testing

/// What people see: the same commands on a pseudo-terminal.
@Suite(.enabled(if: Program.hasTerminals, "this system has no pseudo-terminals: /dev/pts is not mounted"))
struct TerminalTests {
    @Test func `columns fit the terminal, with a heading and colour`() throws {
        let home = try Home()
        let id = try home.subscribe("A podcast with quite a long title that goes on and on")
        let run = try home.jimmy.onTerminal("podcasts", columns: 60)
        let lines = run.output.removingStyles.split(separator: "\n").map(String.init)
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("ID"))
        #expect(lines[1].hasPrefix("\(id.prefix(8))  A podcast with"))
        #expect(lines[1].contains("…"))
        #expect(lines.allSatisfy { $0.count <= 60 })
        #expect(run.output.contains("\u{1B}["))
    }

    @Test func `nothing is wider than the terminal, and no word is broken that fits`() throws {
        let home = try Home()
        let long = "An extraordinarily long title about lighthouses and the internationalization of harbors"
        let id = try home.subscribe(long)
        try home.subscribe("Night Radio", episodes: 3)
        try home.subscribe("Broken")
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 5)))
        home.server.on("/broken", Reply(404))
        _ = try home.jimmy.run("refresh", "--all")
        _ = try home.jimmy.run("tag", "+starred", "Night Radio 1")
        _ = try home.jimmy.run("queue", "add", "Night Radio 2", "\(id)/1")
        let commands = [
            [], ["podcasts"], ["podcasts", "--failing"], ["episodes"], ["search", "sea"], ["show", "Night Radio 1"],
            ["show", id],
            ["status"], ["explain", "Broken"], ["queue"], ["tag"], ["suggest"], ["serach"], ["--help"], ["download", "--help"],
        ]
        for command in commands {
            let words = Set(
                try home.jimmy.onTerminal(command, columns: 1_000, rows: 500).output.removingStyles.split(
                    whereSeparator: \.isWhitespace))
            // The parser sets what options do in a column of its own, which needs some room.
            for columns in [30, 40, 80, 200] as [UInt16] where columns > 30 || command.last != "--help" {
                let lines = try home.jimmy.onTerminal(command, columns: columns, rows: 500).output.removingStyles
                    .split(whereSeparator: \.isNewline)
                for line in lines {
                    #expect(line.count <= columns, "\(command): \(line)")
                    for word in line.split(separator: " ") where !words.contains(word) && !word.contains("…") {
                        // What is wider than its column is broken anywhere.
                        let wholes = words.filter { $0.count > word.count && $0.contains(word) }
                        #expect(
                            wholes.isEmpty || wholes.contains { $0.count > Int(columns) - 20 }, "\(command), \(columns): \(word)")
                    }
                }
            }
        }
    }

    @Test(arguments: [40, 80, 200] as [UInt16]) func `a tour of the lists drops nothing important`(columns: UInt16) throws {
        let home = try Home()
        let items = (1...3).map { number in
            """
            <item><title>The keeper of the northern lighthouse and her boats, part \(number)</title><guid>\(number)</guid>
            <itunes:season>2</itunes:season><itunes:episode>\(number)</itunes:episode><itunes:duration>45:0\(number)</itunes:duration>
            <pubDate>0\(number) May 2024 08:00:00 GMT</pubDate><description>About the sea.</description>
            <enclosure url="\(home.server.url)/\(number).wav" type="audio/wav"/></item>
            """
        }
        home.server.on(
            "/ferry",
            .feed(
                """
                <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
                <channel><title>Night Ferry to the Outer Islands</title>\(items.joined())</channel></rss>
                """))
        home.server.on("/2.wav", Reply(headers: [("Content-Type", "audio/wav")], body: Audio.silence(seconds: 1)))
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        #expect(try jimmy.run("subscribe", home.server.url + "/ferry").status == 0)
        let ids = try jimmy.run("episodes").records.map { $0[0] }
        _ = try jimmy.run(["tag", "+new"] + ids)
        _ = try jimmy.run("queue", "add", "Night Ferry", "--season", "2")
        _ = try jimmy.run("mark", ids[0], "12:34", "the bell")
        #expect(try jimmy.run("download", ids[1]).status == 0)
        jimmy.environment["JIMMY_PLAYER"] = "sh -c 'sleep 0.3' {file}"
        _ = try jimmy.run("play", ids[2], "--at", "1:40")
        // Each list, its rows, and what each row shows at any width. A title may be cut behind its first words.
        let lists: [(command: [String], rows: Int, shown: [Regex<Substring>])] = [
            (["episodes"], 3, [/The keeper/, /45:0\d/, /S2E\d|2024/]), (["episodes", "--new"], 3, [/The keeper/, /45:0\d/]),
            (["search", "lighthouse"], 3, [/keeper/, /45:0\d/, /S2E\d/]), (["queue"], 3, [/The keeper/, /45:0\d/]),
            (["next"], 1, [/The keeper/, /45:0\d/]), (["podcasts"], 1, [/Night Ferry/]), (["downloads"], 1, [/keeper/, /kB/]),
            (["marks"], 1, [/The keeper/, /12:34/, /the bell/]), (["history"], 1, [/The keeper/]),
            (["undo", "--list"], 1, [/queue add/, /mark/, /play/, /3 episodes/]), (["tag"], 1, [/new/, /3/]),
            (["status"], 1, [/podcasts +1\n/]), (["chart"], 1, [/Night/]), ([], 1, [/The keeper/]), (["similar", ids[0]], 1, []),
            (["suggest"], 1, []),
        ]
        for (command, rows, shown) in lists {
            let lines = try jimmy.onTerminal(command, columns: columns, rows: 500).output.removingStyles
                .split(whereSeparator: \.isNewline).map(String.init)
            #expect(lines.allSatisfy { $0.count <= columns }, "\(command): \(lines)")
            let text = lines.joined(separator: "\n")
            for pattern in shown { #expect(text.matches(of: pattern).count >= rows, "\(command), \(columns): \(text)") }
            // The beginning of an id that can be typed.
            if ["episodes", "search", "queue", "podcasts"].contains(command.first ?? "") {
                #expect(text.contains(ids[0].prefix(8)), "\(command), \(columns): \(text)")
            }
        }
    }

    @Test(arguments: ["NO_COLOR", "CLICOLOR", "TERM"])
    func `no colour where the environment says so`(variable: String) throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        var jimmy = home.jimmy
        jimmy.environment[variable] = variable == "TERM" ? "dumb" : variable == "CLICOLOR" ? "0" : "1"
        let run = try jimmy.onTerminal("podcasts")
        #expect(run.output.contains("Night Radio"))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test(arguments: [40, 80, 200] as [UInt16]) func `a locale that is not UTF-8 gets ASCII, data apart`(columns: UInt16) throws {
        let home = try Home()
        try home.subscribe("A podcast with quite a long title that goes on and on, wider than any screen there is")
        var jimmy = home.jimmy
        jimmy.environment["NO_COLOR"] = "1"
        (jimmy.environment["LANG"], jimmy.environment["LC_ALL"]) = ("C.UTF-8", "C")
        let commands = [
            [], ["podcasts"], ["search", "sea"], ["search", "zzz"], ["edit", "podcast", "--title", "Short"], ["chart"],
            ["--help"], ["refresh", "--help"], ["help", "cron"],
        ]
        for arguments in commands {
            let output = try jimmy.onTerminal(arguments, columns: columns, rows: 1_000).output
            #expect(output.utf8.allSatisfy { $0 < 128 }, "\(arguments): \(output)")
        }
        #expect(try jimmy.onTerminal("search", "sea", columns: columns).output.contains("the <sea>"))
        #expect(try jimmy.run("search", "zzz").errors.contains("Nothing found for 'zzz'"))
        // What programs read is the same in all locales; so are letters.
        #expect(try jimmy.run("search", "sea").output.contains("the ‹sea›"))
        _ = try jimmy.run("edit", "Short", "--title", "Gäste – “live”")
        #expect(try jimmy.onTerminal("podcasts", columns: columns).output.contains("Gäste - \"live\""))
        jimmy.environment["LC_ALL"] = "de_DE.utf8"
        #expect(try jimmy.onTerminal("podcasts", columns: columns).output.contains("Gäste – “live”"))
    }

    @Test func `without colour, marks show what matched`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 1)
        var jimmy = home.jimmy
        jimmy.environment["NO_COLOR"] = "1"
        #expect(try jimmy.onTerminal("search", "sea").output.contains("the ‹sea›"))
        #expect(try jimmy.onTerminal("search", "title:night").output.contains("‹Night› Radio 1"))
        #expect(try !home.jimmy.onTerminal("search", "sea").output.contains("‹"))
    }

    @Test func `a quiet refresh prints nothing but errors`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 4)))
        #expect(try home.jimmy.onTerminal("refresh", "--all", "--quiet").output == "")
        home.server.on("/night-radio", Reply(500))
        #expect(
            try home.jimmy.onTerminal("refresh", "--all", "--quiet").output
                == "jimmy: refresh: every feed failed; 'jimmy podcasts --failing' shows why\n")
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 5)))
        #expect(try home.jimmy.run("refresh", "--all", "--quiet").records.map { $0[0] } == ["updated"])
    }

    @Test func `a first fetch is not called new, and a first failure is not called long`() throws {
        let home = try Home()
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 4)))
        _ = try home.jimmy.run("subscribe", "--no-fetch", home.server.url + "/night-radio")
        let first = try home.jimmy.onTerminal("refresh").output.removingStyles.onScreen
        #expect(first.first == "Night Radio  4 episodes")
        #expect(first.last?.contains("0 new episodes, 4 by first fetches.") == true)
        #expect(try home.jimmy.run("refresh").errors.contains("1 podcast, none due; 'jimmy refresh --all' fetches it anyway."))
        home.server.on("/night-radio", Reply(404))
        _ = try home.jimmy.run("refresh", "--all")
        for columns in [40, 80, 200] as [UInt16] {
            let failing = try home.jimmy.onTerminal("podcasts", "--failing", columns: columns).output.removingStyles
            #expect(failing.replacing("\n ", with: "").contains("HTTP 404, not found; failed just now"), "\(failing)")
        }
        // Programs are told the time.
        #expect(try home.jimmy.run("podcasts", "--failing").output.contains("; failing since 20"))
    }

    @Test func `status has problems first, and dormant podcasts as a count`() throws {
        let home = try Home()
        let paused = try home.subscribe("A paused one")
        for number in 1...3 { try home.subscribe("Dormant \(number)") }
        try home.subscribe("Z broken one")
        _ = try home.jimmy.run("edit", paused, "--pause")
        home.server.on("/z-broken-one", Reply(404))
        _ = try home.jimmy.run("refresh", "--all")
        for columns in [40, 80, 200] as [UInt16] {
            let status = try home.jimmy.onTerminal("status", columns: columns, rows: 100).output.removingStyles
            #expect(status.contains("3 dormant"))
            #expect(!status.contains("Dormant 1"))
            let broken = try #require(status.firstRange(of: "Z broken one"))
            let paused = try #require(status.firstRange(of: "A paused one"))
            #expect(broken.lowerBound < paused.lowerBound)
            #expect(status.split(separator: "\n").allSatisfy { $0.count <= columns })
        }
    }

    @Test func `hostile titles cannot act on the terminal`() throws {
        let home = try Home()
        home.server.on("/x", .feed(Home.feed("x\u{202E}gpj\u{9B}31m", episodes: 1)))
        let id = try home.jimmy.run("subscribe", home.server.url + "/x").records[0][0]
        for arguments in [["podcasts"], ["episodes"], ["show", id], ["explain", id], ["search", "sea"], ["status"]] {
            var jimmy = home.jimmy
            jimmy.environment["NO_COLOR"] = "1"
            let run = try jimmy.onTerminal(arguments[0], arguments.count > 1 ? arguments[1] : "--quiet")
            // status only counts it: it is dormant.
            if arguments != ["status"] { #expect(run.output.contains("xgpj31m")) }
            #expect(!run.output.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{9B}" || $0 == "\u{1B}" })
        }
    }

    @Test func `a refresh shows how far it is, and leaves only its results`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 4)))
        let run = try home.jimmy.onTerminal("refresh", "--all")
        // What is due in a library that others share is not counted before.
        #expect(run.output.contains("0/1") || Home.usesDatabase)
        let screen = run.output.removingStyles.onScreen
        #expect(screen.first == "Night Radio  2 new")
        #expect(screen.last?.contains("2 new episodes") == true)
        #expect(!screen.contains { $0.contains("0/1") })
        #expect(try !home.jimmy.onTerminal("refresh", "--all", "--no-progress").output.contains("0/1"))
    }

    @Test func `what is longer than the screen goes through the pager`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 28)
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_PAGER"] = "sed s/^/paged:/"
        let long = try jimmy.onTerminal("episodes", rows: 20)
        #expect(long.output.split(separator: "\n").allSatisfy { $0.hasPrefix("paged:") })
        #expect(try !jimmy.onTerminal("episodes", rows: 40).output.contains("paged:"))
        jimmy.environment["JIMMY_PAGER"] = "no-such-program"
        #expect(try jimmy.onTerminal("episodes", rows: 20).output.contains("Night Radio 28"))
    }

    @Test func `jimmy alone shows what is new and what fails`() throws {
        let home = try Home()
        #expect(try home.jimmy.onTerminal().output.hasPrefix("No subscriptions yet.") || Home.usesDatabase)
        try home.subscribe("Night Radio")
        try home.subscribe("Day Radio")
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 3)))
        home.server.on("/day-radio", Reply(404))
        _ = try home.jimmy.run("refresh", "--all")
        let today = try home.jimmy.onTerminal().output.removingStyles
        #expect(today.contains("1 new episode\n"))
        #expect(today.contains("Night Radio 3"))
        #expect(today.contains("1 podcast in trouble: jimmy status\n  Day Radio: HTTP 404, not found"))
    }

    @Test func `episodes of one podcast need no column for it, and long lists end at 50`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 28)
        let lines = try home.jimmy.onTerminal("episodes", "night radio", rows: 100).output.removingStyles
            .split(separator: "\n")
        #expect(lines.count == 29)
        #expect(lines[0] == "ID                 PUBLISHED    TITLE")
    }
}

extension String {
    /// The text without its colours.
    var removingStyles: String {
        var result = ""
        var remaining = self[...]
        while let escape = remaining.firstRange(of: "\u{1B}[") {
            result += remaining[..<escape.lowerBound]
            let body = remaining[escape.upperBound...]
            guard let end = body.firstIndex(where: \.isLetter) else { return result }
            if body[end] == "K" { result += "\u{1B}[K" }
            remaining = body[body.index(after: end)...]
        }
        return result + remaining
    }

    /// The lines that stay on a terminal, where a carriage return goes back and `ESC [ K` clears what follows.
    var onScreen: [String] {
        split(separator: "\n").map { line in
            var shown: [Character] = []
            var column = 0
            var characters = line[...]
            while let character = characters.first {
                if character == "\r" {
                    column = 0
                } else if characters.hasPrefix("\u{1B}[K") {
                    shown.removeLast(max(0, shown.count - column))
                    characters = characters.dropFirst(2)
                } else {
                    if column < shown.count { shown[column] = character } else { shown.append(character) }
                    column += 1
                }
                characters = characters.dropFirst()
            }
            return String(shown)
        }
    }

}
