import Glibc
import LoopbackServer
import Testing

/// Wrong usage, wrong data, closed outputs and interrupts: one line, the right exit code, nothing lost.
@Suite struct FailureTests {
    @Test(arguments: [
        (["podcasts", "--jsn"], "jimmy: podcasts: unknown option '--jsn'; did you mean '--json'? see 'jimmy podcasts --help'"),
        (["frobnicate"], "jimmy: usage: no such command 'frobnicate'; see 'jimmy --help'"),
        (["subscribe"], "jimmy: subscribe: missing expected argument '<url> ...'; see 'jimmy subscribe --help'"),
        (
            ["episodes", "--limit", "many"],
            "jimmy: episodes: the value 'many' is invalid for '--limit <n>'; it takes a whole number such as 20; see 'jimmy episodes --help'"
        ),
        (
            ["episodes", "--since", "soon"],
            "jimmy: episodes: the value 'soon' is invalid for '--since <date>'; it takes a date such as 2024-03-01 or yesterday, or a span such as 3d, 2w, 6m, 1y ago; see 'jimmy episodes --help'"
        ),
        (
            ["refresh", "--concurrency", "0"],
            "jimmy: refresh: the value '0' is invalid for '--concurrency <n>'; it takes a whole number from 1 to 10000; see 'jimmy refresh --help'"
        ),
        (["search"], "jimmy: search: missing expected argument '<query> ...'; see 'jimmy search --help'"),
        (["search", "x", "--nope"], "jimmy: search: unknown option '--nope'; see 'jimmy search --help'"),
        (["queue", "move", "x"], "jimmy: queue move: missing expected argument '<position>'; see 'jimmy queue move --help'"),
        (
            ["queue", "move", "x", "-1"],
            "jimmy: queue move: the value '-1' is invalid for '<position>'; it takes a whole number, 1 or more; see 'jimmy queue move --help'"
        ),
        (
            ["search", "--limit", "-1", "x"],
            "jimmy: search: the value '-1' is invalid for '--limit <n>'; it takes a whole number such as 20; see 'jimmy search --help'"
        ),
        (["queue", "frobnicate"], "jimmy: queue: no such command 'frobnicate'; see 'jimmy queue --help'"),
        (["opml", "frobnicate"], "jimmy: opml: no such command 'frobnicate'; see 'jimmy opml --help'"),
        (["queue", "list", "x"], "jimmy: queue list: unexpected argument 'x'; see 'jimmy queue list --help'"),
        (
            ["discover", "--directory", "x", "y"],
            "jimmy: discover: the value 'x' is invalid for '--directory <url>'; it takes an http or https address; see 'jimmy discover --help'"
        ),
        (["edit", "x"], "jimmy: edit: nothing to change: give an option such as --title or --pause; see 'jimmy edit --help'"),
        (["edit", "x", "--interval", "6h"], "jimmy: edit: unknown option '--interval'; see 'jimmy edit --help'"),
    ])
    func `wrong usage is one line and exit 64`(arguments: [String], line: String) throws {
        let run = try Home().jimmy.run(arguments)
        #expect(run.errors == line + "\n")
        #expect(run.status == 64)
        #expect(run.output == "")
    }

    @Test(arguments: [["podcasts"], ["episodes"], ["search", "x"], ["refresh"]])
    func `where nothing is subscribed, commands say how to begin`(arguments: [String]) throws {
        let run = try Home().jimmy.run(arguments)
        #expect(run.errors.hasPrefix("No subscriptions yet. 'jimmy subscribe URL' adds one"))
    }

    @Test func `a limit of 0 is told to show nothing`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        for arguments in [["episodes", "--limit", "0"], ["search", "--limit", "0", "radio"]] {
            let run = try home.jimmy.run(arguments)
            #expect(run.output == "")
            #expect(run.errors == "A limit of 0 shows nothing.\n")
        }
    }

    @Test func `an export of nothing says so`() throws {
        let run = try Home().jimmy.run("export", "csv", "xylophone")
        #expect(run.output == "id,podcast,title,publishedAt,seconds,link,media\n")
        #expect(run.errors == "No episode to export.\n")
        #expect(run.status == 1)
    }

    @Test func `a refresh without a network asks whether there is one, and holds it against no podcast`() throws {
        let home = try Home()
        for number in 1...2 { try home.subscribe("Night Radio \(number)") }
        home.server.stop()
        let refresh = try home.jimmy.run("refresh", "--all")
        #expect(refresh.status == 69)
        #expect(refresh.errorLines.last == "jimmy: refresh: no server could be reached; is this computer online?")
        #expect(try home.jimmy.run("podcasts", "--failing").errors == "No podcast is failing.\n")
    }

    @Test func `names that are unknown exit 66, ambiguous ones 64 with the candidates`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        let unknown = try home.jimmy.run("show", "Day Radio")
        #expect(unknown.status == 66)
        #expect(unknown.errors.hasPrefix("jimmy: Day Radio: no such podcast or episode"))
        let ambiguous = try home.jimmy.run("queue", "add", id)
        #expect(ambiguous.status == 64)
        #expect(ambiguous.errorLines.count == 3)
        #expect(ambiguous.errorLines[0] == "jimmy: \(id): 2 episodes match; give more of its id")
    }

    @Test(arguments: [
        ["subscribe", "ftp://me:secret@example.org/f"], ["show", "http://me:secret@example.org/f"], ["explain", "//me:secret@x"],
    ])
    func `errors repeat no password`(arguments: [String]) throws {
        let run = try Home().jimmy.run(arguments)
        #expect(run.status != 0)
        #expect(!run.errors.contains("secret"))
    }

    @Test func `a damaged library exits 65 until it is repaired and fetched again`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        let file = "\(home.library)/podcasts/\(id).jsonl"
        let descriptor = open(file, O_WRONLY)
        #expect(pwrite(descriptor, "#", 1, 30) == 1)
        close(descriptor)
        #expect(try home.jimmy.run("verify").status == 65)
        #expect(try home.jimmy.run("episodes").status == 65)
        #expect(try home.jimmy.run("verify", "--repair").status == 1)
        #expect(try home.jimmy.run("refresh", "--force").status == 0)
        #expect(try home.jimmy.run("verify").status == 0)
        #expect(try home.jimmy.run("episodes").lines.count == 2)
    }

    @Test func `results that cannot be printed exit 74, and the work is done`() throws {
        let home = try Home()
        home.server.on("/a", .feed(Home.feed("A", episodes: 1)))
        home.server.on("/b", .feed(Home.feed("B", episodes: 1)))
        let full = try home.jimmy.run(["subscribe", home.server.url + "/a"], output: .file("/dev/full"))
        #expect(full.status == 74)
        #expect(full.errors == "jimmy: standard output: no space left on device\n")
        let closed = try home.jimmy.run(["subscribe", home.server.url + "/b"], output: .closed)
        #expect(closed.status == 74)
        #expect(closed.errors == "jimmy: standard output: bad file descriptor\n")
        #expect(try home.jimmy.run("podcasts").records.map { $0[1] } == ["A", "B"])
        #expect(try home.jimmy.run("verify").status == 0)
    }

    @Test func `a second writer waits, then exits 75`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        home.server.on("/night-radio", .hanging)
        let first = try home.jimmy.start(["refresh", "--all", "--timeout", "30"])
        while home.server.requests(to: "/night-radio").count < 2 { usleep(10_000) }
        let second = try home.jimmy.run("queue", "clear")
        #expect(second.status == 75)
        #expect(second.errors.hasPrefix("jimmy: clear: another jimmy (process \(first.id)) is writing this library"))
        #expect(try home.jimmy.run("podcasts").lines.count == 1)
        first.signal(SIGTERM)
        #expect(try first.end().status == 143)
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `an interrupted refresh keeps what servers answered until then`(signal: Int32, status: Int32) throws {
        let home = try Home()
        try home.subscribe("Quick")
        try home.subscribe("Slow")
        home.server.on("/quick", .feed(Home.feed("Quick", episodes: 3)))
        home.server.on("/slow", .hanging)
        let run = try home.jimmy.start(["refresh", "--all", "--json"])
        let first = run.nextLine()
        #expect(first?.contains(#""title":"Quick""#) == true)
        run.signal(signal)
        let end = try run.end()
        #expect(end.status == status)
        #expect(try home.jimmy.run("episodes", "quick").lines.count == 3)
        #expect(try home.jimmy.run("podcasts", "--failing").lines.isEmpty)
        #expect(try home.jimmy.run("verify").status == 0)
    }

    @Test func `help and version go to standard output`() throws {
        let home = try Home()
        #expect(try home.jimmy.run("--version").status == 0)
        for arguments in [["--help"], ["help", "refresh"], ["help", "search"], ["help", "exit-codes"], ["queue", "--help"]] {
            let run = try home.jimmy.run(arguments)
            #expect(run.status == 0)
            #expect(run.output.utf8.count > 200)
            #expect(run.errors == "")
        }
    }
}
