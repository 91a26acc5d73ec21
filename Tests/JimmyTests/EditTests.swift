import Glibc
import LoopbackServer
import Testing

/// What people set for one podcast.
@Suite struct EditTests {
    @Test func `a paused podcast is left alone, unless it is named with --force`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        #expect(try home.jimmy.run("edit", id, "--pause").status == 0)
        home.server.forgetRequests()
        #expect(try home.jimmy.run("refresh", "--all").status == 0)
        #expect(home.server.requests.isEmpty)
        #expect(try home.jimmy.run("podcasts", "--json").output.contains(#""paused":true"#))
        #expect(try home.jimmy.run("status").output.contains("jimmy edit \(id) --resume"))
        let skipped = try home.jimmy.run("refresh", id)
        #expect(skipped.status == 0)
        #expect(skipped.errors.contains("Night Radio: skipped; you paused it."))
        #expect(home.server.requests.isEmpty)
        #expect(try home.jimmy.run("refresh", "--force", id).status == 0)
        #expect(home.server.requests.count == 1)
        #expect(try home.jimmy.run("edit", id, "--resume").status == 0)
        #expect(try home.jimmy.run("refresh", "--all").status == 0)
        #expect(home.server.requests.count == 2)
    }

    @Test func `the minimum interval stays below the maximum`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        let both = try home.jimmy.run("edit", id, "--min-interval", "3h", "--max-interval", "1h")
        #expect(both.status == 64)
        #expect(both.errors.hasPrefix("jimmy: edit: --min-interval would be longer than --max-interval;"))
        #expect(try home.jimmy.run("edit", id, "--min-interval", "3h").status == 0)
        #expect(try home.jimmy.run("edit", id, "--max-interval", "1h").status == 64)
        #expect(try home.jimmy.run("edit", id, "--min-interval", "default", "--max-interval", "1h").status == 0)
        #expect(try home.jimmy.run("show", id).output.contains("60 min"))
    }

    @Test func `limits of one podcast are its own, and can be taken back`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio", episodes: 20)
        try home.subscribe("Deep Sea", episodes: 20)
        #expect(try home.jimmy.run("edit", id, "--max-size", "1k", "--timeout", "5", "--user-agent", "Ears/1").status == 0)
        #expect(try home.jimmy.run("show", id).output.contains("given up after 5 s, up to 1.0 kB, User-Agent Ears/1"))
        let refresh = try home.jimmy.run("refresh", "--force")
        #expect(refresh.records.map { $0[0] } == ["failed"])
        #expect(refresh.output.contains("larger than allowed"))
        #expect(home.server.requests(to: "/night-radio").last?["User-Agent"] == "Ears/1")
        #expect(try home.jimmy.run("edit", id, "--max-size", "default", "--timeout", "default", "--user-agent", "").status == 0)
        #expect(try home.jimmy.run("refresh", "--force").output.isEmpty)
        #expect(try !home.jimmy.run("show", id).output.contains("your settings"))
    }

    @Test func `bounds of the interval count at once`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        #expect(try home.jimmy.run("edit", id, "--min-interval", "5d").status == 0)
        let explained = try home.jimmy.run("explain", id)
        #expect(explained.output.contains("the interval you set for it"))
        #expect(explained.output.contains("fetched every 5 days at most"))
        let verified = try home.jimmy.run("verify")
        #expect(verified.status == 0)
    }

    @Test func `a user is set with a password that is read, and shown nowhere`() throws {
        let home = try Home()
        home.server.on("/secret") { request in
            request["Authorization"] == "Basic bWU6c2VzYW1l" ? .feed(Home.feed("Secret", episodes: 1)) : Reply(401)
        }
        let id = try home.jimmy.run("subscribe", "--no-fetch", home.server.url + "/secret").records[0][0]
        #expect(
            try home.jimmy.run("refresh").output.contains("user and password needed; 'jimmy edit \(id) --user NAME' signs in"))
        #expect(try home.jimmy.run("edit", id, "--user", "me", input: "sesame\n").status == 0)
        #expect(try home.jimmy.run("refresh", "--all").records.map { $0[0] } == ["updated"])
        for command in [["show", id], ["explain", id], ["podcasts", "--json"], ["opml", "export"]] {
            #expect(try !home.jimmy.run(command).output.contains("sesame"))
        }
        #expect(try home.jimmy.run("show", id).output.contains("a user and password are set"))
        #expect(try home.jimmy.run("edit", id, "--user", "me", input: "wrong\n").errors == "sign-in: another user or password\n")
        #expect(try home.jimmy.run("refresh", id).output.contains("HTTP 401, wrong user or password"))
        #expect(try home.jimmy.run("podcasts", "--failing").output.contains("HTTP 401, wrong user or password"))
        #expect(try home.jimmy.run("edit", id, "--user", "").status == 0)
        #expect(try home.jimmy.run("refresh", "--force").output.contains("user and password needed"))
        #expect(try home.jimmy.run("edit", id, "--user", "me").status == 64)
    }

    @Test func `an edit says what it changed`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        let edited = try home.jimmy.run("edit", id, "--title", "Nocturne", "--min-interval", "6h", "--tag", "a", "--tag", "b")
        #expect(
            edited.errorLines == [
                "title: Night Radio → Nocturne", "tags: none → a, b", "minimum interval: default → 6 h",
            ])
        #expect(edited.records.first?.prefix(2) == [id, "Nocturne"])
        #expect(try home.jimmy.run("edit", id, "--title", "Nocturne").errors == "Nothing changed.\n")
        #expect(try home.jimmy.run("podcasts", "--tag", "A").lines.count == 1)
        #expect(try home.jimmy.run("podcasts", "--tag", "c").errors.hasPrefix("No podcast has the tag ‘c’"))
        let shown = try home.jimmy.onTerminal("edit", id, "--pause").output.removingStyles
        #expect(shown == "Nocturne\n  paused: no → yes\n")
    }

    @Test(arguments: [
        ["--timeout", "0"], ["--timeout", "soon"], ["--max-size", "-1"], ["--min-interval", "1m"], ["--max-interval", "8d"],
        ["--max-interval", "99999999999999999999d"], ["--transcripts", "perhaps"], ["--pause", "--resume"],
        ["--tag", "a", "--no-tags"],
        ["--user-agent", "a\nb"], [],
    ])
    func `what makes no sense is said in one line`(options: [String]) throws {
        let run = try Home().jimmy.run(["edit", "x"] + options)
        #expect(run.status == 64)
        #expect(run.errorLines.count == 1)
    }

    @Test func `subscribe signs in with a password that is read, to the server that was named`() throws {
        let home = try Home()
        let other = try LoopbackServer()
        defer { other.stop() }
        home.server.on("/secret") { request in
            request["Authorization"] == "Basic bWU6c2VzYW1l" ? .feed(Home.feed("Secret", episodes: 1)) : Reply(401)
        }
        let url = home.server.url + "/secret"
        let refused = try home.jimmy.run("subscribe", url)
        #expect(
            refused.errors == "jimmy: \(url): HTTP 401, user and password needed; 'jimmy subscribe --user NAME URL' signs in\n")
        let wrong = try home.jimmy.run("subscribe", url, "--user", "me", input: "wrong\n")
        #expect(wrong.errors.contains("HTTP 401, wrong user or password; 'jimmy subscribe --user"), "\(wrong.errors)")
        let run = try home.jimmy.run("subscribe", "--user", "me", url, input: "sesame\n")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.records.map { $0[1...] } == [["Secret", "1"]])
        #expect(!(run.output + run.errors).contains("sesame"))
        #expect(try home.jimmy.run("refresh", "--force").status == 0)
        let again = try home.jimmy.run("subscribe", "--user", "you", url, input: "sesame\n")
        #expect(again.errors.contains("Its sign-in stays as it was; 'jimmy edit "), "\(again.errors)")
        // A page elsewhere that the address leads to does not get the password.
        other.on("/feed", .feed(Home.feed("Elsewhere", episodes: 1)))
        let page = "<html><head><link rel=alternate type=application/rss+xml href='\(other.url)/feed'></head></html>"
        home.server.on("/page", Reply(headers: [("Content-Type", "text/html")], body: Array(page.utf8)))
        #expect(try home.jimmy.run("subscribe", "--user", "me", home.server.url + "/page", input: "sesame\n").status == 0)
        #expect(home.server.requests(to: "/page").contains { $0["Authorization"] != nil })
        #expect(other.requests(to: "/feed").allSatisfy { $0["Authorization"] == nil })
        let stored = try home.jimmy.run("subscribe", "--no-fetch", "--user", "me", home.server.url + "/later", input: "sesame\n")
        #expect(stored.status == 0)
        #expect(try home.jimmy.run("show", home.server.url + "/later").output.contains("a user and password are set"))
        for options in [[url, url], ["-"], []] {
            #expect(try home.jimmy.run(["subscribe", "--user", "me"] + options, input: "sesame\n").status == 64)
        }
        #expect(try home.jimmy.run("subscribe", "--user", "me", url).errors.contains("none was given"))
        #expect(try home.jimmy.run("subscribe", "--user", "", url).status == 64)
    }

    @Test(.enabled(if: Program.hasTerminals)) func `subscribe asks for a password on a terminal without showing it`() throws {
        let home = try Home()
        home.server.on("/secret") { request in
            request["Authorization"] == "Basic bWU6c2VzYW1l" ? .feed(Home.feed("Secret", episodes: 1)) : Reply(401)
        }
        let run = try home.jimmy.onTerminal(
            ["subscribe", "--user", "me", home.server.url + "/secret"], typing: [("Password for me: ", "sesame\n")])
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("Secret") && !run.output.contains("sesame"))
    }

    @Test(.enabled(if: Program.hasTerminals)) func `Ctrl-C ends the question for a password`() throws {
        let run = try Home().jimmy.onTerminal(
            ["subscribe", "--user", "me", "http://127.0.0.1:9/feed"], typing: [("Password for me: ", "ses\u{3}")])
        #expect(run.status == 130 && run.output.contains("interrupted"), "\(run.output)")
    }
}
