import Glibc
import LoopbackServer
import SeededNumbers
import Testing

/// Wrong usage, wrong data, closed outputs and interrupts give one line and the right exit code, and lose nothing.
@Suite struct FailureTests {
    @Test(arguments: [
        (["podcasts", "--jsn"], "podcasts: no such option: '--jsn'; did you mean '--json'?"),
        (["serach", "foo"], "no such command: 'serach'; did you mean 'search'?"),
        (["frobnicate"], "no such command: 'frobnicate'; see 'jimmy --help'"),
        (["--json", "refesh"], "no such command: 'refesh'; did you mean 'refresh'?"),
        (["list"], "no such command: 'list'; did you mean 'podcasts' or 'episodes'?"),
        (["help", "serach"], "help: no such command or topic: 'serach'; did you mean 'search'?"),
        (["queue", "ad", "x"], "queue: no such command: 'ad'; did you mean 'queue add'?"),
        (["queue", "frobnicate"], "queue: no such command: 'frobnicate'; see 'jimmy queue --help'"),
        (["opml", "frobnicate"], "opml: no such command: 'frobnicate'; see 'jimmy opml --help'"),
        (["subscribe"], "subscribe: missing argument: <url> ...; see 'jimmy subscribe --help'"),
        (
            ["episodes", "--limit", "many"],
            "episodes: 'many' is not a valid value for --limit (a whole number, 0 or more); see 'jimmy episodes --help'"
        ),
        (
            ["episodes", "--since", "soon"],
            "episodes: 'soon' is not a valid value for --since (a date such as 2024-03-01 or yesterday, or a span back from now: 3d, 2w, 6m, 1y); see 'jimmy episodes --help'"
        ),
        (
            ["refresh", "--concurrency", "513"],
            "refresh: '513' is not a valid value for --concurrency (a whole number from 1 to 512); see 'jimmy refresh --help'"
        ),
        (
            ["refresh", "--concurrency"],
            "refresh: --concurrency needs a value: a whole number from 1 to 512; see 'jimmy refresh --help'"
        ),
        (["refresh", "--all=x"], "refresh: --all takes no value; see 'jimmy refresh --help'"),
        (
            ["discover", "x", "--limit", "201"],
            "discover: '201' is not a valid value for --limit (a whole number from 1 to 200); see 'jimmy discover --help'"
        ),
        (["search"], "search: missing argument: <query> ...; see 'jimmy search --help'"),
        (["search", "x", "--nope"], "search: no such option: '--nope'; see 'jimmy search --help'"),
        (["search", "x", "--podcsat", "y"], "search: no such option: '--podcsat'; did you mean '--podcast'?"),
        (["show", "--query", "sea"], "show: no such option: '--query'; see 'jimmy show --help'"),
        (["tag", "+x", "--query", "sea", "--limit", "4"], "tag: no such option: '--limit'; see 'jimmy tag --help'"),
        (["queue", "add", "--query", "sea", "--sotr", "date"], "queue add: no such option: '--sotr'; did you mean '--sort'?"),
        (
            ["search", "x", "--sort", "best"],
            "search: 'best' is not a valid value for --sort (relevance, date or oldest); see 'jimmy search --help'"
        ),
        (["queue", "move", "x"], "queue move: missing argument: <position>; see 'jimmy queue move --help'"),
        (
            ["queue", "move", "x", "-1"],
            "queue move: '-1' is not a valid value for <position> (a whole number, 1 or more); see 'jimmy queue move --help'"
        ),
        (
            ["search", "--limit", "-1", "x"],
            "search: '-1' is not a valid value for --limit (a whole number, 0 or more); see 'jimmy search --help'"
        ),
        (["undo", "x"], "undo: 'x' is not a valid value for <number> (a whole number, 1 or more); see 'jimmy undo --help'"),
        (
            ["edit", "x", "--speed", "5"],
            "edit: '5' is not a valid value for --speed (a number from 0.25 to 4, or 'default'); see 'jimmy edit --help'"
        ),
        (
            ["edit", "x", "--skip-intro", "long"],
            "edit: 'long' is not a valid value for --skip-intro (a span such as 45s or 1m30s, or 'default'); see 'jimmy edit --help'"
        ),
        (
            ["play", "x", "--at", "99:99"],
            "play: '99:99' is not a valid value for --at (a time such as 12:34, 1:02:03 or 90s); see 'jimmy play --help'"
        ),
        (["queue", "list", "x"], "queue list: unexpected argument: 'x'; see 'jimmy queue list --help'"),
        (
            ["discover", "--directory", "x", "y"],
            "discover: 'x' is not a valid value for --directory (an http or https URL); see 'jimmy discover --help'"
        ),
        (["edit", "x"], "edit: no change was given; add an option such as --title or --pause, or see 'jimmy edit --help'"),
        (
            ["edit", "x", "--interval", "6h"],
            "edit: no such option: '--interval'; did you mean '--max-interval' or '--min-interval'?"
        ),
        (
            ["export", "pdf"],
            "export: 'pdf' is not a valid value for <format> (rss, json, csv or markdown); see 'jimmy export --help'"
        ),
        (["config", "concurency"], "config: no such setting: 'concurency'; did you mean 'concurrency'?"),
        (
            ["config", "set", "per-host", "0"],
            "config set: '0' is not a valid value for per-host (a whole number from 1 to 512)"
        ),
        (["podcasts", "--set", "tmieout=3"], "--set: no such setting: 'tmieout'; did you mean 'timeout'?"),
    ])
    func `wrong usage is one line and exit 64`(arguments: [String], line: String) throws {
        let run = try Home().jimmy.run(arguments)
        #expect(run.errors == "jimmy: " + line + "\n")
        #expect(run.status == 64)
        #expect(run.output == "")
    }

    @Test(
        .foldersOnly("a database without a library is an error"),
        arguments: [["podcasts"], ["episodes"], ["search", "x"], ["refresh"]])
    func `where nothing is subscribed, commands say how to begin`(arguments: [String]) throws {
        let home = try Home()
        let run = try home.jimmy.run(arguments)
        withExtendedLifetime(home) {}
        #expect(run.errors.hasPrefix("No subscriptions yet. 'jimmy subscribe URL' adds one"))
    }

    @Test func `a limit of 0 is told to show nothing`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        for arguments in [["episodes"], ["search", "radio"], ["suggest"], ["similar", "radio/1"]] {
            let run = try home.jimmy.run(arguments + ["--limit", "0"])
            #expect(run.output == "")
            #expect(run.errors == "A limit of 0 shows nothing.\n")
        }
    }

    @Test(.foldersOnly("a database without a library is an error")) func `an export of nothing says so`() throws {
        let home = try Home()
        let run = try home.jimmy.run("export", "csv", "xylophone")
        #expect(try home.jimmy.run("export", "csv", "--limit", "0").errors == "A limit of 0 shows nothing.\n")
        #expect(run.output == "id,podcast,title,publishedAt,seconds,link,media\n")
        #expect(run.errors == "No episodes to export.\n")
        #expect(run.status == 1)
    }

    @Test func `a refresh without a network asks whether there is one, and holds it against no podcast`() throws {
        let home = try Home()
        for number in 1...2 { try home.subscribe("Night Radio \(number)") }
        home.server.stop()
        let refresh = try home.jimmy.run("refresh", "--all")
        #expect(refresh.status == 69)
        #expect(refresh.errorLines.last == "jimmy: refresh: no server could be reached; check that this computer is online")
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
        #expect(ambiguous.errors.hasPrefix("jimmy: Night Radio: a podcast of 2 episodes; 'jimmy queue add --all'"))
    }

    @Test(arguments: [
        ["subscribe", "ftp://me:secret@example.org/f"], ["show", "http://me:secret@example.org/f"], ["explain", "//me:secret@x"],
    ])
    func `errors repeat no password`(arguments: [String]) throws {
        let run = try Home().jimmy.run(arguments)
        #expect(run.status != 0)
        #expect(!run.errors.contains("secret"))
    }

    @Test func `a password that breaks a URL is not repeated, and how to write it is said`() throws {
        let home = try Home()
        for password in ["S3cr#et", "S3cr/et", "S3cr?et", "S3 cr#et", "S3@cr#et", "S3@cr?et"] {
            let run = try home.jimmy.run("subscribe", "http://listener:\(password)@example.com/f")
            #expect(run.status == 64)
            #expect(!(run.errors + run.output).contains("S3"), "\(run.errors)")
            #expect(run.errors.contains("http://example.com/f: not a URL") && run.errors.contains("# as %23"), "\(run.errors)")
        }
        for address in ["postgresql:/u:S3cret@x", "postgres:u:S3cret@x/y"] {
            let run = try home.jimmy.run("--library", address, "episodes")
            #expect(run.status == 64, "\(run.errors)")
            #expect(!run.errors.contains("S3cret"), "\(run.errors)")
        }
    }

    @Test func `a 403 refuses the program, and a 401 wants a password`() throws {
        let home = try Home()
        home.server.on("/a", Reply(403))
        home.server.on("/b", Reply(202, headers: [("x-amzn-waf-action", "challenge")], body: Array("<html>x".utf8)))
        home.server.on("/c", Reply(202, body: Array("later".utf8)))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/a").errors.contains("--user-agent"))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/b").errors.contains("AWS WAF takes this program for a robot"))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/c").errors.contains("HTTP 202"))
        _ = try home.jimmy.run("subscribe", "--no-fetch", home.server.url + "/a")
        _ = try home.jimmy.run("refresh")
        #expect(!(try home.jimmy.run("status").output.contains("needs a password")))
    }

    @Test(.foldersOnly("it looks into the library's files"))
    func `a damaged library exits 65 until it is repaired and fetched again`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        try home.subscribe("Day Radio", episodes: 3)
        #expect(try home.jimmy.run("tag", "+new", "--query", "radio").status == 0)
        let file = "\(home.library)/podcasts/\(id).jsonl"
        let descriptor = open(file, O_WRONLY)
        #expect(pwrite(descriptor, "#", 1, 30) == 1)
        close(descriptor)
        #expect(try home.jimmy.run("verify").status == 65)
        // A search that found something says what may be missing.
        for (words, count, status) in [
            (["episodes"], 3, 65), (["episodes", "--new"], 3, 65), (["episodes", "--query", "radio"], 3, 65),
            (["search", "radio"], 3, 0), (["suggest"], 1, 65),
        ] {
            let run = try home.jimmy.run(words)
            #expect(run.status == status)
            #expect(run.lines.count == count && run.errors.contains("\(id)"), "\(words) \(run.output)\(run.errors)")
        }
        #expect(try home.jimmy.run("verify", "--repair").status == 1)
        #expect(try home.jimmy.run("refresh", "--force").status == 0)
        #expect(try home.jimmy.run("verify").status == 0)
        #expect(try home.jimmy.run("episodes").lines.count == 5)
    }

    @Test(
        .foldersOnly("it looks into the library's files"),
        arguments: [
            "podcasts.sync-conflict-20261126-183100-ABCDEFG.jsonl", "tags (desk's conflicted copy 2026-11-26).jsonl",
            "podcasts/aaaa (conflicted copy 2026-11-26 183100).jsonl",
        ])
    func `a copy that a synchronised folder made in a conflict is named until its owner deletes it`(name: String) throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        try home.write("{}\n", to: "library/" + name)
        let verify = try home.jimmy.run("verify")
        #expect(verify.status == 65)
        #expect(verify.output.contains(name), "\(verify.output)")
        let repair = try home.jimmy.run("verify", "--repair")
        #expect(repair.status == 65 && repair.output.contains("conflict\t\(name)"), "\(repair.output)")
        unlink("\(home.library)/\(name)")
        #expect(try home.jimmy.run("verify").status == 0)
        #expect(try home.jimmy.run("episodes").lines.count == 2)
    }

    @Test(.foldersOnly("it changes the library's permissions"))
    func `a library that may not be written is named in full, with what to check`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        unlink(home.library + "/lock")
        chmod(home.library, 0o500)
        defer { chmod(home.library, 0o700) }
        var jimmy = home.jimmy
        // Root may write everything unless it lacks this capability.
        if getuid() == 0 { jimmy.prelude = #"exec setpriv --bounding-set=-dac_override "$0" "$@""# }
        for arguments in [["tag", "+a", "radio/1"], ["refresh", "--all"]] {
            let run = try jimmy.run(arguments)
            #expect(
                run.errors == """
                    jimmy: \(home.library)/lock: open: permission denied; check the owner and permissions of the file and its folder

                    """)
            #expect(run.status == 77)
        }
        #expect(try jimmy.run("episodes").lines.count == 2)
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
        // The one that was cut short does not count as fetched.
        home.server.on("/quick", .feed(Home.feed("Quick", episodes: 4)))
        let asked = home.server.requests(to: "/slow").count
        let again = try home.jimmy.start(["refresh", "--all"])
        #expect(again.nextLine()?.hasPrefix("updated") == true)
        while home.server.requests(to: "/slow").count == asked { usleep(10_000) }
        again.signal(signal)
        let notes = try again.end().errors
        #expect(notes.contains("1 podcast fetched") && notes.contains("1 interrupted"), "\(notes)")
        #expect(try home.jimmy.run("episodes", "quick").lines.count == 4)
        #expect(try home.jimmy.run("podcasts", "--failing").lines.isEmpty)
        #expect(try home.jimmy.run("verify").status == 0)
    }

    /// A signal once came while a bare `jimmy` ended, and killed it by SIGSEGV.
    @Test func `an interruption at any moment ends a command, and damages nothing`() throws {
        let home = try Home()
        try home.subscribe("Quick")
        var random = SplitMix(seed: 1)
        for arguments in [[], ["episodes"], ["tag", "+later", "--query", "quick"], ["search", "quick"]] {
            for _ in 0..<40 {
                let run = try home.jimmy.start(arguments)
                // In microseconds: a run takes a few milliseconds.
                usleep(UInt32.random(in: 0...9_000, using: &random))
                run.signal(SIGINT)
                let status = try run.end().status
                #expect([0, 1, 130, -SIGINT].contains(status), "\(arguments)")
            }
        }
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

    @Test func `a name that is not UTF-8 is refused, and no other file is used in its place`() throws {
        let home = try Home()
        let before = try home.run(script: "ls").output
        for script in [
            "jimmy --library \"$(printf 'lib\\377')\" podcasts", "JIMMY_LIBRARY=\"$(printf 'lib\\377')\" jimmy podcasts",
            "jimmy parse \"$(printf 'feed\\377.xml')\"", "XDG_CACHE_HOME=\"$(printf '/tmp/\\377')\" jimmy search x",
        ] {
            let run = try home.run(script: script)
            #expect(run.status == 64 && run.errorLines.count == 1, "\(script): \(run.status) \(run.errors)")
            #expect(run.errors.hasPrefix("jimmy: ") && run.errors.contains("not UTF-8"), "\(run.errors)")
        }
        #expect(try home.run(script: "ls").output == before)
        let nested = try home.run(
            script:
                "mkdir \"$(printf 'x\\377')\" && cd \"$(printf 'x\\377')\" && jimmy --library lib subscribe --no-fetch http://a.example/ && ls"
        )
        #expect(nested.output.contains("lib\n"), "\(nested.output)\(nested.errors)")
        #expect(try home.run(script: "ls").lines.count == before.split(separator: "\n").count + 1)
    }

    @Test func `a 403 on a URL with a key also says how to give it a new one`() throws {
        let home = try Home()
        home.server.on("/a", .feed(Home.feed("Patrons", episodes: 1)))
        let url = home.server.url + "/a?token=0123"
        let id = try home.jimmy.run("subscribe", url).records[0][0]
        home.server.on("/a", Reply(403))
        let refreshed = try home.jimmy.run("refresh", "--force").output
        #expect(refreshed.contains("'jimmy edit \(id) --feed-url URL'") && refreshed.contains("--user-agent"), "\(refreshed)")
        #expect(try home.jimmy.run("explain", id).output.contains("--feed-url URL"))
        #expect(try home.jimmy.run("unsubscribe", id).status == 0)
        let refused = try home.jimmy.run("subscribe", url).errors
        #expect(refused.contains("--feed-url") && refused.contains("--user-agent"), "\(refused)")
        // Without a key, the address is not to blame.
        #expect(try !home.jimmy.run("subscribe", home.server.url + "/a").errors.contains("--feed-url"))
    }
}
