import Glibc
import LoopbackServer
import Testing

/// Slips of the keyboard, and lists that show only a part: the user is told, on standard error.
@Suite struct MistakeTests {
    @Test func `a library that was named and is not there is no empty library`() throws {
        let home = try Home()
        let missing = home.folder + "/typo"
        for command in [
            [], ["podcasts"], ["episodes"], ["search", "x"], ["show", "x"], ["status"], ["queue"], ["queue", "add", "x"],
            ["export", "csv"], ["opml", "export"], ["refresh"], ["verify"], ["explain", "x"], ["chart"], ["tag"],
            ["tag", "+a", "x"], ["tag", "--dump"], ["seen"], ["download"], ["downloads"], ["play"], ["undo"], ["suggest"],
            ["similar", "x"], ["edit", "x", "--pause"], ["unsubscribe", "x"],
        ] {
            let run = try home.jimmy.run(command + ["--library", missing])
            #expect(run.status == 66, "\(command)")
            #expect(
                run.errors
                    == "jimmy: \(missing): no such library; 'jimmy subscribe URL' or 'jimmy opml import FILE' creates one there\n"
            )
            #expect(access(missing, F_OK) != 0)
        }
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_LIBRARY"] = missing
        #expect(try jimmy.run("refresh").status == 66)
        home.server.on("/a", .feed(Home.feed("A", episodes: 1)))
        let begun = try jimmy.run("subscribe", home.server.url + "/a")
        #expect(begun.status == 0)
        #expect(begun.errors == "Created a library in \(missing).\n")
        #expect(try jimmy.run("podcasts").lines.count == 1)
        let list = #"<opml><body><outline text="A" xmlUrl="http://127.0.0.1:9/a"/></body></opml>"#
        let imported = try home.jimmy.run("opml", "import", "-", "--library", missing + "2", input: list)
        #expect(imported.errorLines.first == "Created a library in \(missing)2.")
        jimmy.environment["JIMMY_LIBRARY"] = nil
        #expect(try jimmy.run("podcasts").status == 0)
        #expect(try jimmy.run("refresh").status == 0)
    }

    @Test(arguments: ["podcast:", "tag: is:new", "title: harbor"])
    func `a field without a value is told, and refused where something changes`(query: String) throws {
        let home = try Home()
        try home.subscribe("Harbor", episodes: 1)
        let field = query.prefix { $0 != " " }
        let meant = "'\(field)' is not a field or condition"
        let searched = try home.jimmy.run("search", query)
        #expect(searched.errorLines.first == "\(meant) and was searched as words; try '\(field)word'", "\(searched.errors)")
        let refused = try home.jimmy.run("tag", "+later", "--query", query)
        #expect(refused.status == 64)
        #expect(refused.errors == "jimmy: tag: \(meant); try '\(field)word'\n", "\(refused.errors)")
        #expect(try home.jimmy.run("search", "harbor: 1").errors == "")
    }

    @Test func `a list of feeds is no feed, and the command for it is named`() throws {
        let home = try Home()
        try home.write(#"<opml version="2.0"><body><outline xmlUrl="https://a.example/f"/></body></opml>"#, to: "list.opml")
        let run = try home.jimmy.run("subscribe", home.folder + "/list.opml")
        #expect(run.status == 65)
        #expect(run.errors.hasSuffix(": not a feed: a list of feeds, for 'jimmy opml import'\n"))
    }

    @Test(.foldersOnly("it names folders"))
    func `a folder of other files is no library`() throws {
        let home = try Home()
        let folder = home.folder + "/letters"
        mkdir(folder, 0o700)
        try home.write("Dear Ann", to: "letters/ann.txt")
        for command in [["podcasts"], ["refresh"], ["undo"], ["tag", "+a", "x"], ["verify"]] {
            let run = try home.jimmy.run(command + ["--library", folder])
            #expect(run.status == 66, "\(command)")
            #expect(run.errors.hasPrefix("jimmy: \(folder): no such library;"))
        }
        #expect(try home.run(script: "ls -A letters").output == "ann.txt\n")
        home.server.on("/a", .feed(Home.feed("A", episodes: 1)))
        let begun = try home.jimmy.run("subscribe", home.server.url + "/a", "--library", folder)
        #expect(begun.errors == "Created a library in \(folder).\n")
        #expect(try home.jimmy.run("podcasts", "--library", folder).lines.count == 1)
    }

    @Test(arguments: [
        "jimmy podcasts --library \"$library\"", "JIMMY_LIBRARY=$library jimmy refresh",
        "jimmy subscribe --no-fetch http://a.example/ --library \"$library\"",
    ]) func `a library's path that is not UTF-8 is refused`(_ command: String) throws {
        let home = try Home()
        let run = try home.run(script: "library=$PWD/$(printf 'a\\377'); \(command); status=$?; ls -d a*; exit $status")
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("jimmy: ") && run.errors.contains(": not UTF-8"))
    }

    @Test func `an unknown condition is searched as words and told; export refuses it`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        let search = try home.jimmy.run("search", "radio is:nwe")
        #expect(search.status == 1)
        #expect(
            search.errorLines.first == "'is:nwe' is not a field or condition and was searched as words; did you mean 'is:new'?")
        #expect(try home.jimmy.run("search", "titel:radio", "--quiet").errors == "")
        #expect(try home.jimmy.run("search", "radio", "after:foo").errors.contains("'after:foo' is not a field"))
        let export = try home.jimmy.run("export", "csv", "is:nwe")
        #expect(export.status == 64)
        #expect(export.output == "")
        #expect(export.errors == "jimmy: export: 'is:nwe' is not a field or condition; did you mean 'is:new'?\n")
        for command in [["tag", "+a", "--query"], ["download", "--query"], ["queue", "add", "--query"]] {
            let refused = try home.jimmy.run(command + ["is:nwe"])
            #expect(refused.status == 64)
            #expect(refused.errors.hasSuffix("'is:nwe' is not a field or condition; did you mean 'is:new'?\n"))
        }
        #expect(try home.jimmy.run("search", "after:foo").errors.contains("try 'after:2024-03-01' or 'after:2w'"))
    }

    @Test func `a condition may begin with a minus`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 3)
        #expect(try home.jimmy.run("tag", "+played", "Night Radio 1").status == 0)
        for command in [
            ["search", "-is:played"], ["export", "json", "-is:played"], ["export", "json", "night", "-is:played"],
            ["episodes", "--query", "-is:played"], ["queue", "add", "--query", "-is:played"],
        ] {
            #expect(try home.jimmy.run(command).lines.count == 2, "\(command)")
        }
        #expect(try home.jimmy.run("tag", "+a", "--query", "-is:played").errors == "2 episodes tagged.\n")
        let option = try home.jimmy.run("export", "json", "--limt", "3")
        #expect(option.status == 64)
        #expect(option.errors == "jimmy: export: no such option: '--limt'; did you mean '--limit'?\n")
    }

    @Test(arguments: [
        (["serach", "foo"], "'serach'; did you mean 'search'?"), (["hlep"], "did you mean 'help'?"),
        (["help", "serach", "x"], "did you mean 'search'?"), (["queue", "ad", "x"], "did you mean 'queue add'?"),
        (["search", "--limt", "3", "x"], "did you mean '--limit'?"), (["config", "set", "nmae", "x"], "did you mean 'name'?"),
        (["--set", "serach-limit=3", "search", "x"], "did you mean 'search-limit'?"),
        (["config", "set", "name", "{titel}"], "{title}"), (["export", "cvs"], "rss, json, csv or markdown"),
        (["discover", "x", "--limit", "201"], "a whole number from 1 to 200"),
        (["download", "x", "--max-total", "much"], "a number of bytes such as 500k, 64M or 1G"),
    ]) func `a slip is answered with what was meant`(_ arguments: [String], _ answer: String) throws {
        let run = try Home().jimmy.run(arguments)
        #expect(run.status == 64)
        #expect(run.output == "")
        #expect(run.errorLines.count == 1)
        #expect(run.errors.contains(answer), "\(run.errors)")
    }

    @Test func `lists that are cut say how much is left out, exports are not cut`() throws {
        let home = try Home()
        let items = (1...130).map { "<item><title>Sea \($0)</title><guid>\($0)</guid></item>" }.joined()
        home.server.on("/sea", .feed("<rss version=\"2.0\"><channel><title>Coast</title>\(items)</channel></rss>"))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/sea").status == 0)
        for arguments in [["search", "sea"], ["search", "sea", "--json"], ["search", "title:sea", "--sort", "oldest"]] {
            let run = try home.jimmy.run(arguments)
            #expect(run.lines.count == 20)
            #expect(run.errors == "110 more; '--limit N' shows more.\n")
            #expect(try home.jimmy.run(arguments + ["--quiet"]).errors == "")
        }
        #expect(try home.jimmy.run("search", "sea", "--limit", "9223372036854775807").errors == "")
        #expect(try home.jimmy.run("episodes", "--limit", "5", "--json").errors == "125 more; '--limit N' shows more.\n")
        #expect(try home.jimmy.run("episodes", "--limit", "130").errors == "")
        #expect(try home.jimmy.run("export", "json", "sea").lines.count == 130)
        #expect(try home.jimmy.run("export", "json").lines.count == 130)
        #expect(try home.jimmy.run("export", "json", "sea", "--limit", "3").lines.count == 3)
    }

    @Test func `what is named is fetched though it is not due, but not against its server's will`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        home.server.forgetRequests()
        #expect(try home.jimmy.run("refresh").errors.contains("none due"))
        #expect(try home.jimmy.run("refresh", "night radio").errors.contains("1 podcast fetched"))
        #expect(home.server.requests.count == 1)
        home.server.on("/night-radio", Reply(410))
        _ = try home.jimmy.run("refresh", id)
        home.server.forgetRequests()
        let gone = try home.jimmy.run("refresh", id, "--json")
        #expect(gone.lines.first?.contains(#""outcome":"skipped""#) == true)
        #expect(gone.errors.contains("Night Radio: skipped; its server answered 410, gone. 'jimmy refresh --force"))
        #expect(home.server.requests.isEmpty)
        _ = try home.jimmy.run("refresh", "--force", id)
        #expect(home.server.requests.count == 1)
    }

    @Test func `a title is looked for in the directory only if there is one`() throws {
        let home = try Home()
        try home.subscribe("Night's Radio")
        let list = #"<opml><body><outline xmlUrl="\#(home.server.url)/none"/></body></opml>"#
        _ = try home.jimmy.run("opml", "import", "-", input: list)
        for path in ["/night's-radio", "/none"] { home.server.on(path, Reply(410)) }
        _ = try home.jimmy.run("refresh", "--all")
        let status = try home.jimmy.run("status").output
        #expect(status.contains("jimmy discover 'Nights Radio' or jimmy unsubscribe "))
        #expect(status.matches(of: /jimmy.unsubscribe/).count == 2)
        #expect(!status.contains("discover 'http"))
    }

    @Test func `who asked for all is not told to ask for all`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        home.server.on("/night-radio", Reply(503, headers: [("Retry-After", "3600")]))
        _ = try home.jimmy.run("refresh", "--all")
        for option in ["--all", "--force"] {
            let run = try home.jimmy.run("refresh", option)
            #expect(run.status == 0)
            #expect(run.errors.contains("1 podcast skipped: "), "\(run.errors)")
            #expect(!run.errors.contains("--all"))
        }
    }

    @Test func `unsubscribe prints the feed URL without its password`() throws {
        let home = try Home()
        home.server.on("/a", .feed(Home.feed("A", episodes: 1)))
        let url = home.server.url + "/a"
        #expect(try home.jimmy.run("subscribe", url.replacing("http://", with: "http://me:secret@")).status == 0)
        let gone = try home.jimmy.run("unsubscribe", "a")
        #expect(gone.records.first?.last == url)
        #expect(!(gone.output + gone.errors).contains("secret"))
        try home.subscribe("Night Radio")
        let shown = try home.jimmy.onTerminal("unsubscribe", "night radio").output.removingStyles
        #expect(shown == "Unsubscribed from Night Radio.\n  \(home.server.url)/night-radio\n")
    }

    @Test func `the queue takes ids from standard input`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 3)
        let ids = try home.jimmy.run("episodes").records.map { $0[0] }
        let added = try home.jimmy.run("queue", "add", "-", input: ids.joined(separator: "\n") + "\nnope-nope\n")
        #expect(added.status == 66)
        #expect(added.lines.isEmpty)
        #expect(added.errors.contains("nope-nope: no such episode; nothing was done"))
        #expect(try home.jimmy.run("queue").lines.isEmpty)
    }

    /// A number names an episode by its title, as any word does, never by its position.
    @Test func `the queue says which episode a number meant`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 3)
        let ids = try home.jimmy.run("episodes").records.map { $0[0] }
        _ = try home.jimmy.run("queue", "add", ids[0], ids[2])
        let titles = try home.jimmy.run("queue").records.map { $0[4] }
        let number = try #require(titles[0].last)
        #expect(try home.jimmy.run("queue", "move", "\(number)", "2").errors == "Now at position 2: \(titles[0])\n")
        #expect(try home.jimmy.run("queue", "remove", "\(number)").errors == "Removed from the queue: \(titles[0])\n")
        let missed = try home.jimmy.run("queue", "remove", "\(number)")
        #expect(missed.errors.contains("words of its title or its id"))
        #expect(missed.status == 1)
    }

    @Test func `episodes of several podcasts, first seen lately, oldest first`() throws {
        let home = try Home()
        for title in ["Night Radio", "Day Radio", "Deep Sea"] { try home.subscribe(title) }
        #expect(
            Set(try home.jimmy.run("episodes", "night radio", "deep sea").records.map { $0[2] }) == ["Night Radio", "Deep Sea"])
        #expect(try home.jimmy.run("search", "radio added:1d").lines.count == 4)
        #expect(try home.jimmy.run("search", "radio added:..2020").status == 1)
        let oldest = try home.jimmy.run("search", "radio", "--sort", "oldest").records.map { $0[1] }
        #expect(oldest == oldest.sorted())
        #expect(try home.jimmy.run("search", "radio", "--sort", "date").records.map { $0[1] } == oldest.reversed())
    }

    @Test func `the other feeds of a page are told`() throws {
        let home = try Home()
        home.server.on("/a", .feed(Home.feed("A", episodes: 1)))
        let page = """
            <html><head><link rel="alternate" type="application/rss+xml" href="/a" title="Audio">
            <link rel="alternate" type="application/rss+xml" href="/b" title="Video"></head></html>
            """
        home.server.on("/", Reply(headers: [("Content-Type", "text/html")], body: Array(page.utf8)))
        let lines = ["The page links to other feeds too:", "  \(home.server.url)/b  Video"]
        #expect(try home.jimmy.run("subscribe", home.server.url + "/").errorLines == lines)
        #expect(try home.jimmy.onTerminal("subscribe", home.server.url + "/").output.contains(lines.joined(separator: "\n")))
    }
}

/// What people call podcasts and episodes.
@Suite struct NameTests {
    @Test func `words of a title are enough, in any order, case and accents`() throws {
        let home = try Home()
        func feed(_ title: String, _ episodes: [String]) -> Reply {
            .feed(
                "<rss version=\"2.0\"><channel><title>\(title)</title>"
                    + episodes.map { "<item><title>\($0)</title><guid>\($0)</guid></item>" }.joined() + "</channel></rss>")
        }
        home.server.on("/a", feed("Spår i snön", ["Launched at last", "Café at home", "Twice"]))
        home.server.on("/b", feed("Night Radio", ["Launch party / part two", "古い地図", "Twice"]))
        home.server.on("/c", feed("Night Radio Extra", ["The launch"]))
        let ids = try "abc".map { try home.jimmy.run("subscribe", home.server.url + "/\($0)").records[0][0] }
        func title(_ name: String) throws -> String? { try home.jimmy.run("show", name).lines.first }
        #expect(try title("Spar") == "Spår i snön")
        #expect(try title("snon SPÅR") == "Spår i snön")
        #expect(try title("night radio") == "Night Radio")
        #expect(try title("extra night") == "Night Radio Extra")
        #expect(try title("cafe home") == "Café at home")
        #expect(try title("launched") == "Launched at last")
        #expect(try title("地図") == "古い地図")
        #expect(try title("spar/twice") == "Twice")
        #expect(try title("Launch party / part two") == "Launch party / part two")
        let twice = try home.jimmy.run("show", "twice")
        #expect(twice.status == 64)
        #expect(twice.errorLines.count == 3)
        #expect(try home.jimmy.run("episodes", "night").status == 64)
        #expect(try home.jimmy.run("episodes", "nothing of it").status == 66)
        for id in ids where ids.count(where: { $0.prefix(2) == id.prefix(2) }) == 1 {
            #expect(try home.jimmy.run("explain", String(id.prefix(2))).output.contains(id))
        }
        let episode = try home.jimmy.run("episodes", "extra").records[0][0]
        #expect(try home.jimmy.run("queue", "add", "extra/launch").records[0][0] == episode)
        #expect(try home.jimmy.run("queue", "move", "launch", "1").status == 0)
    }
}
