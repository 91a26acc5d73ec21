import LoopbackServer
import Testing

/// `jimmy tag`, `jimmy seen`, what is new, and archived episodes.
@Suite struct TagTests {
    private func ids(_ home: Home, _ arguments: String...) throws -> [String] {
        try home.jimmy.run(arguments).records.compactMap(\.first)
    }

    @Test func `tags are added, removed, listed and found`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 3)
        let all = try ids(home, "episodes")
        #expect(try home.jimmy.run("tag").output == "")
        #expect(try home.jimmy.run("tag", "+Starred", "-q", "+ÄRGER", all[0], all[1]).status == 0)
        #expect(try home.jimmy.run("tag").lines == ["starred\t2", "ärger\t2"])
        #expect(try home.jimmy.run("tag", "--json").lines.first == #"{"tag":"starred","episodes":2}"#)
        #expect(try ids(home, "search", "tag:ärger", "--sort", "date") == Array(all[...1]))
        #expect(try ids(home, "episodes", "--query", "is:starred") == Array(all[...1]))
        #expect(try ids(home, "episodes", "--query", "-is:starred") == [all[2]])
        let row = try home.jimmy.run("episodes", "--json", "--limit", "1").output
        #expect(row.contains(#""ownTags":["starred","ärger"]"#))
        let removed = try home.jimmy.run("tag", "-starred", all[1])
        #expect(removed.errors == "starred removed from 1 episode.\n")
        #expect(try ids(home, "search", "is:starred") == [all[0]])
        #expect(try home.jimmy.run("show", all[0]).output.contains("starred"))
    }

    @Test func `words with a hyphen are tags, whatever options stand before the command`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 1)
        let episode = try ids(home, "episodes")[0]
        let library = try #require(home.jimmy.environment["JIMMY_LIBRARY"])
        for options in [["--quiet"], ["--library", library], ["--library=\(library)"], ["--set=per-host=1", "-q"]] {
            #expect(try home.jimmy.run(options + ["tag", "+a", "-b", episode]).status == 0, "\(options)")
            #expect(try home.jimmy.run("tag").lines == ["a\t1"])
            #expect(try home.jimmy.run(options + ["tag", "-a", episode]).status == 0, "\(options)")
            #expect(try home.jimmy.run("tag").output == "")
        }
    }

    @Test func `episodes are named by a query, the queue or standard input`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 3)
        let all = try ids(home, "episodes")
        let query = try home.jimmy.run("tag", "--query", "night radio", "+a")
        #expect(query.status == 0)
        #expect(query.errors == "3 episodes tagged.\n")
        #expect(try home.jimmy.run("tag", "+a", "--query", "nothing").status == 1)
        #expect(try home.jimmy.run("tag", "-a", "--query", "-tag:b").errors == "a removed from 3 episodes.\n")
        _ = try home.jimmy.run("queue", "add", all[1])
        #expect(try home.jimmy.run("tag", "+b", "--queue").errors == "1 episode tagged.\n")
        let mixed = try home.jimmy.run(["tag", "+c", "-"], input: "\(all[0])\n  \(all[2])\nnonsense-id\n")
        #expect(mixed.status == 66)
        #expect(mixed.errors.contains("nonsense-id"))
        #expect(try home.jimmy.run("tag").lines == ["b\t1"])
        #expect(try home.jimmy.run(["tag", "+c", "-"], input: "\(all[0])\n  \(all[2])\twords\n").status == 0)
        #expect(try home.jimmy.run("tag").lines == ["b\t1", "c\t2"])
    }

    @Test func `nothing is changed by a mistake`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        let all = try ids(home, "episodes")
        for (arguments, status) in [
            (["+ok", "+a/b", all[0]], 64), (["+ok", "-downloaded", all[0]], 64), (["+", all[0]], 64), ([all[0]], 64),
            (["+ok"], 64),
            (["+ok", all[0], "zzzzzzzz-zzzz"], 66), (["+ok", "--queue", all[0]], 64), (["--dump", "--restore"], 64),
        ] as [([String], Int32)] {
            let run = try home.jimmy.run(["tag"] + arguments)
            #expect(run.status == status, "\(arguments) \(run.errors)")
        }
        #expect(try home.jimmy.run("tag").output == "")
    }

    @Test func `a dump restores the tags in another library`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 2)
        let all = try ids(home, "episodes")
        _ = try home.jimmy.run("tag", "+played", "+starred", all[0])
        let file = home.folder + "/tags.txt"
        #expect(try home.jimmy.run("tag", "--dump", file).status == 0)
        let dump = try home.jimmy.run("tag", "--dump")
        #expect(dump.lines == ["+played +starred -- \(home.server.url)/night-radio Night Radio-2"])
        var other = home.jimmy
        other.environment["JIMMY_LIBRARY"] = home.folder + "/other"
        _ = try other.run("subscribe", "--no-fetch", home.server.url + "/elsewhere")
        let waiting = try other.run("tag", "--restore", file)
        #expect(waiting.status == 1)
        #expect(waiting.errors.contains("Night Radio-2"))
        #expect(try other.run("tag", "--dump").output == dump.output)
        _ = try other.run("subscribe", home.server.url + "/night-radio")
        #expect(try other.run("search", "is:starred").lines.count == 1)
        #expect(try other.run("tag", "--dump").output == dump.output)
        let bad = try home.jimmy.run(["tag", "--restore"], input: "-- \(home.server.url)/night-radio Night Radio-2\nnonsense\n")
        #expect(bad.status == 65)
        #expect(bad.errors.contains("line 2"))
        #expect(try home.jimmy.run("tag", "--dump").output == dump.output)
    }

    @Test func `archived episodes are left out unless asked for`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 3)
        let all = try ids(home, "episodes")
        _ = try home.jimmy.run("tag", "+archived", all[1])
        #expect(try ids(home, "episodes") == [all[0], all[2]])
        #expect(try ids(home, "episodes", "--all") == all)
        #expect(try ids(home, "search", "about night").count == 2)
        #expect(try ids(home, "search", "about night", "--all").count == 3)
        #expect(try ids(home, "search", "is:archived") == [all[1]])
        #expect(try home.jimmy.run("tag", "+a", "--query", "radio").errors == "2 episodes tagged.\n")
        #expect(try home.jimmy.run("tag", "+a", "--all", "--query", "radio").errors == "3 episodes tagged.\n")
        #expect(try home.jimmy.run("export", "csv", "radio").lines.count == 3)
    }

    @Test func `an episode is new until it was dealt with`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 1)
        let day = try home.subscribe("Day Radio", episodes: 1)
        #expect(try ids(home, "episodes", "--new").isEmpty)
        for title in ["Night Radio", "Day Radio"] {
            home.server.on("/" + title.lowercased().replacing(" ", with: "-"), .feed(Home.feed(title, episodes: 3)))
        }
        _ = try home.jimmy.run("refresh", "--all")
        _ = try home.jimmy.run("refresh", "--all")
        let new = try home.jimmy.run("episodes", "--new").records.filter { $0[2] == "Night Radio" }.map { $0[0] }
        #expect(new.count == 2)
        #expect(try ids(home, "episodes", "--new").count == 4)
        #expect(try home.jimmy.run().output.contains("4 new episodes"))
        #expect(try ids(home, "search", "is:new").count == 4)
        _ = try home.jimmy.run("tag", "+played", new[0])
        #expect(try ids(home, "episodes", "--new").count == 3)
        #expect(try home.jimmy.run("seen", "--all", day).status == 0)
        #expect(try ids(home, "episodes", "--new").count == 1)
        #expect(try home.jimmy.run("seen").errors == "1 episode seen.\n")
        let again = try home.jimmy.run("seen")
        #expect(again.status == 0)
        #expect(again.errors == "Nothing was new.\n")
    }

    @Test func `the newest few of a new subscription can be new`() throws {
        let home = try Home()
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_NEW_ON_SUBSCRIBE"] = "2"
        home.server.on("/a", .feed(Home.feed("Night", episodes: 3)))
        #expect(try jimmy.run("subscribe", home.server.url + "/a").status == 0)
        #expect(try jimmy.run("episodes", "--new").records.map { $0[3] } == ["Night 3", "Night 2"])
    }

    @Test func `on-new offers episodes until it succeeds`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 1)
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 3)))
        let failed = try home.jimmy.run("refresh", "--all", "--on-new", "cat > \"$HOME/first\"; exit 3")
        #expect(failed.status == 1)
        #expect(failed.errors.contains("2 new episodes wait"))
        let first = try home.jimmy.run("refresh", "--on-new", "cat > \"$HOME/second\"")
        #expect(first.status == 0)
        #expect(try home.text("second") == home.text("first"))
        #expect(try home.text("second").split(separator: "\n").count == 2)
        #expect(try home.text("second").contains(#""ownTags":["new"]"#))
        #expect(try home.jimmy.run("refresh", "--on-new", "cat > \"$HOME/third\"").status == 0)
        #expect(throws: TestFailure.self) { try home.text("third") }
        #expect(try ids(home, "episodes", "--new").count == 2)
    }

    @Test func `the queue's next stays until it is done`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 1)
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 3)))
        _ = try home.jimmy.run("refresh", "--all")
        let new = try ids(home, "episodes", "--new", "--sort", "oldest")
        #expect(try ids(home, "queue", "add", "--query", "is:new") == new)
        #expect(try home.jimmy.run(["queue", "add", "-"], input: new[0]).errors == "1 episode already queued.\n")
        #expect(try ids(home, "queue", "next") == [new[0]])
        #expect(try ids(home, "queue", "next") == [new[0]])
        #expect(try ids(home, "queue", "next", "--done") == [new[0]])
        #expect(try ids(home, "queue", "next") == [new[1]])
        #expect(try ids(home, "episodes", "--new") == [new[1]])
        #expect(try ids(home, "search", "is:played").isEmpty)
        #expect(try home.jimmy.run("queue", "add", "--query", "nothing").status == 1)
    }
}
