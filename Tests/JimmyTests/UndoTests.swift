import Glibc
import LoopbackServer
import Testing

/// `jimmy undo`, one command at a time.
@Suite struct UndoTests {
    private func ids(_ jimmy: Program, _ arguments: String...) throws -> [String] {
        try jimmy.run(arguments).records.map { $0[0] }
    }

    @Test func `an unsubscription is taken back with everything that belonged to it`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Night Radio", episodes: 3)
        try home.subscribe("Harbor", episodes: 1)
        let all = try ids(jimmy, "episodes", "Night Radio")
        _ = try jimmy.run("tag", "+starred", "+later", all[1])
        _ = try jimmy.run("queue", "add", all[0], "Harbor 1", all[2])
        _ = try jimmy.run("edit", "Night Radio", "--title", "Mine", "--tag", "evening")
        _ = try jimmy.run(["edit", "Mine", "--user", "me"], input: "secret\n")
        let (before, queue) = (try jimmy.run("episodes", "--json").lines.sorted(), try jimmy.run("queue").output)
        let shown = try jimmy.run("podcasts", "--json").lines.sorted()
        let left = try jimmy.run("unsubscribe", "Mine")
        #expect(left.output.contains("/night-radio"))
        #expect(try jimmy.run("queue").lines.count == 1)
        #expect(try jimmy.run("tag").output == "")
        home.server.forgetRequests()

        #expect(try jimmy.run("undo").status == 0)
        #expect(try jimmy.run("episodes", "--json").lines.sorted() == before)
        #expect(try jimmy.run("podcasts", "--json").lines.sorted() == shown)
        #expect(try jimmy.run("queue").output == queue)
        #expect(try ids(jimmy, "search", "tag:later") == [all[1]])
        #expect(try jimmy.run("tag", "--dump").lines.count == 1)
        #expect(try jimmy.run("verify").status == 0)
        #expect(home.server.requests.isEmpty)
        _ = try jimmy.run("refresh", "--all")
        #expect(home.server.requests.contains { $0.headers.contains { $0.name.lowercased() == "authorization" } })
    }

    @Test func `undo goes back one command at a time, whatever a refresh did`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Night Radio", episodes: 2)
        let all = try ids(jimmy, "episodes")
        _ = try jimmy.run("tag", "+starred", all[0])
        _ = try jimmy.run("tag", "-starred", "+later", "--query", "night")
        _ = try jimmy.run("tag", "+later", all[0])
        _ = try jimmy.run("edit", "Night Radio", "--title", "Mine", "--feed-url", home.server.url + "/elsewhere")
        _ = try jimmy.run("queue", "add", all[1], all[0])
        _ = try jimmy.run("queue", "clear")
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 3)))
        home.server.on("/elsewhere", .feed(Home.feed("Night Radio", episodes: 3)))
        #expect(try jimmy.run("refresh", "--all").status == 0)
        _ = try jimmy.run("queue", "add", all[0])

        #expect(try jimmy.run("undo").output == "queue add\tqueue: 1 episode removed\n")
        // The refresh brought an episode, which cannot be taken back; what was before it, can.
        func last() throws -> String { try #require(try jimmy.run("undo", "--list").records.first?.first) }
        #expect(try jimmy.run("undo").status == 1)
        #expect(try jimmy.run("undo", last()).output == "queue clear\tqueue: 2 episodes back\n")
        #expect(try jimmy.run("queue").records.map { $0[1] } == [all[1], all[0]])
        #expect(try jimmy.run("undo", last()).output == "queue add\tqueue: 2 episodes removed\n")
        #expect(try jimmy.run("undo", last()).output.hasPrefix("edit\ttitle: Mine → Night Radio\tfeed URL: "))
        #expect(try jimmy.run("podcasts", "--json").output.contains(#""title":"Night Radio""#))
        #expect(try jimmy.run("podcasts", "--json").output.contains("/night-radio"))
        #expect(try jimmy.run("undo", last(), "--json").output.contains(#""command":"tag""#))
        #expect(try jimmy.run("tag").lines.contains("starred\t1"))
        #expect(!(try jimmy.run("tag").output.contains("later")))
        #expect(try jimmy.run("undo", last()).status == 0)
        #expect(!(try jimmy.run("tag").output.contains("starred")))
        #expect(try jimmy.run("undo", last()).output == "subscribe\tunsubscribed from Night Radio\n")
        #expect(try jimmy.run("podcasts").output == "")
        #expect(try jimmy.run("undo", "--list").output == "")
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `what was marked as seen becomes new again`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        for title in ["Night Radio", "Day Radio"] { try home.subscribe(title, episodes: 1) }
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 3)))
        home.server.on("/day-radio", .feed(Home.feed("Day Radio", episodes: 2)))
        _ = try jimmy.run("refresh", "--all")
        let new = try jimmy.run("episodes", "--new").output
        _ = try jimmy.run("seen", "--all", "Night Radio")
        let left = try jimmy.run("episodes", "--new").output
        _ = try jimmy.run("tag", "+starred", "Night Radio 1")
        #expect(try jimmy.run("seen").errors == "1 episode seen.\n")
        // That nothing was new is no step.
        #expect(try jimmy.run("seen").errors == "Nothing was new.\n")
        #expect(try jimmy.run("undo").output == "seen\t+new: 1 episode\n")
        #expect(try jimmy.run("episodes", "--new").output == left)
        #expect(try jimmy.run("undo").status == 0)
        #expect(try jimmy.run("undo").output == "seen\t+new: 2 episodes\n")
        #expect(try jimmy.run("episodes", "--new").output == new)
        let subscribed = try #require(try jimmy.run("undo", "--list").records.first?.first)
        #expect(try jimmy.run("undo").status == 1)
        #expect(try jimmy.run("undo", subscribed).output.hasPrefix("subscribe\t"))
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `every command that changes something is taken back, and done again`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Night Radio", episodes: 4)
        try home.subscribe("Harbor", episodes: 1)
        home.server.on("/other", .feed(Home.feed("Other", episodes: 1)))
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 5)))
        _ = try jimmy.run("refresh", "--all")
        try home.write(
            "<opml version=\"2.0\"><body><outline type=\"rss\" xmlUrl=\"https://radio.example/feed\"/></body></opml>",
            to: "list.opml")
        let all = try ids(jimmy, "episodes", "Night Radio")
        func view() throws -> [String] {
            try [["queue"], ["tag", "--dump"], ["podcasts", "--json"], ["episodes"]].map {
                try jimmy.run($0).lines.sorted().joined(separator: "\n").replacing(/"revision":\d+/, with: "")
            }
        }
        for command in [
            ["queue", "add", all[0], all[1], all[2]], ["queue", "move", all[2], "1"], ["queue", "remove", all[0]],
            ["queue", "next", "--done"], ["tag", "+starred", "-new", all[3]], ["tag", "+new", all[1]], ["seen"],
            ["queue", "clear"],
            ["edit", "Night Radio", "--title", "My Wire"], ["unsubscribe", "My Wire"],
            ["opml", "import", home.folder + "/list.opml"],
            ["subscribe", home.server.url + "/other"],
        ] {
            let before = try view()
            let run = try jimmy.run(command)
            let after = try view()
            #expect(run.status == 0 && before != after, "\(command): \(run.errors)")
            let undone = try jimmy.run("undo")
            #expect(undone.output.hasPrefix(command[0]), "\(command): \(undone.output)\(undone.errors)")
            #expect(try view() == before, "\(command)")
            #expect(try jimmy.run("redo").status == 0)
            #expect(try view() == after, "\(command) again")
            #expect(try jimmy.run("redo").status == 1)
        }
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `a step is undone by its number, and what came later stays`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Wire", episodes: 2)
        let all = try ids(jimmy, "episodes")
        _ = try jimmy.run("edit", "Wire", "--title", "My Wire")
        _ = try jimmy.run("queue", "add", all[0])
        _ = try jimmy.run("tag", "+later", all[1])
        let list = try jimmy.run("undo", "--list")
        #expect(
            list.records.map { [$0[2], $0[3]] } == [
                ["tag", "1 episode"], ["queue add", "1 episode"], ["edit", "1 podcast"], ["subscribe", "1 podcast"],
            ])
        #expect(try jimmy.run("undo", list.records[2][0]).output == "edit\ttitle: My Wire → Wire\n")
        #expect(try jimmy.run("queue").lines.count == 1)
        #expect(try jimmy.run("tag").output == "later\t1\n")
        #expect(try jimmy.run("undo", "999").status == 1)
        // Two are taken back and done again, the last one first.
        _ = try jimmy.run("undo")
        _ = try jimmy.run("undo")
        #expect(try jimmy.run("redo").output == "queue add\tqueue: 1 episode back\n")
        #expect(try jimmy.run("redo").output == "tag\t+later: 1 episode\n")
        _ = try jimmy.run("undo")
        // After something new, nothing is done again.
        _ = try jimmy.run("tag", "+other", all[0])
        #expect(try jimmy.run("redo").status == 1)
    }

    @Test func `a subscription that was made again keeps its tags once`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Night Radio", episodes: 1)
        _ = try jimmy.run("tag", "+starred", "Night Radio 1")
        _ = try jimmy.run("unsubscribe", "Night Radio")
        #expect(try jimmy.run("tag", "--dump").lines.count == 1)
        _ = try jimmy.run("undo")
        _ = try jimmy.run("tag", "-starred", "Night Radio 1")
        #expect(try jimmy.run("tag", "--dump").output == "")
        _ = try jimmy.run("unsubscribe", "--keep-episodes", "Night Radio")
        #expect(try jimmy.run("undo").status == 0)
        #expect(try jimmy.run("episodes").lines.count == 1)
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `episodes of a podcast that was left are tagged and dumped, but not queued or downloaded`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Night Radio", episodes: 1)
        let link = #"<x:link xmlns:x="http://www.w3.org/2005/Atom" rel="self" href="http://radio.example/feed"/>"#
        home.server.on("/day-radio", .feed(Home.feed("Day Radio", episodes: 1, extra: link)))
        _ = try jimmy.run("subscribe", home.server.url + "/day-radio")
        let ids = try jimmy.run("episodes").records.map { $0[0] }
        _ = try jimmy.run("unsubscribe", "--keep-episodes", "Night Radio", "Day Radio")
        #expect(try jimmy.run(["tag", "+starred"] + ids).errors == "2 episodes tagged.\n")
        let dump = try jimmy.run("tag", "--dump")
        #expect(dump.lines == ["+starred -- http://radio.example/feed Day Radio-1"])
        #expect(dump.errors.hasPrefix("1 episode left out"))
        #expect(try jimmy.run("tag", "--restore", input: dump.output).status == 1)
        for command in [["queue", "add"], ["download"]] {
            let run = try jimmy.run(command + [ids[0]])
            #expect(run.status == 66)
            #expect(run.errors.hasPrefix("jimmy: \(ids[0]): you unsubscribed from its podcast;"))
        }
    }

    @Test(.foldersOnly("it looks into the library's files"))
    func `a damaged step is found, set aside, and stops no other command`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 1)
        _ = try home.jimmy.run("tag", "+starred", "Night Radio 1")
        let path = home.library + "/undo/2.json"
        let text = try String(reading: path)
        let file = try #require(fopen(path, "w"))
        fputs(text.replacing("starred", with: "staared"), file)
        fclose(file)
        #expect(try home.jimmy.run("undo").status == 65)
        #expect(try home.jimmy.run("verify").status == 65)
        #expect(try home.jimmy.run("tag", "+later", "Night Radio 1").status == 0)
        #expect(try home.jimmy.run("verify", "--repair").status == 65)
        #expect(try home.jimmy.run("verify").status == 0)
        #expect(try home.jimmy.run("undo").status == 0)
        #expect(try home.jimmy.run("tag").lines == ["starred\t1"])
    }

    @Test func `a setting is taken back, and set again`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        _ = try jimmy.run("config", "set", "rewind", "9s")
        // No library was begun: an empty folder has no step, and a database no library.
        #expect(try jimmy.run("undo").status == (Home.usesDatabase ? 66 : 1))
        try home.subscribe("Harbor", episodes: 1)
        _ = try jimmy.run("tag", "+a", "Harbor 1")
        _ = try jimmy.run("config", "set", "rewind", "7s")
        _ = try jimmy.run("config", "set", "query.short", "shorter:30m")
        _ = try jimmy.run("config", "unset", "rewind")
        #expect(try jimmy.run("undo").output == "config set\trewind: default → 7s\n")
        #expect(try jimmy.run("config", "rewind").output == "7s\n")
        #expect(try jimmy.run("undo").output == "config set\tquery.short: shorter:30m → default\n")
        #expect(try jimmy.run("config", "query.short").status == 66)
        #expect(try jimmy.run("redo").output == "config set\tquery.short: default → shorter:30m\n")
        #expect(try jimmy.run("config", "query.short").output == "shorter:30m\n")
        #expect(try jimmy.run("undo").status == 0)
        #expect(try jimmy.run("undo").output == "config set\trewind: 7s → 9s\n")
        #expect(try jimmy.run("undo").output == "tag\t-a: 1 episode\n")
        _ = try jimmy.run("config", "set", "podcast-index-secret", "hidden")
        #expect(try !jimmy.run("undo", "--list", "--json").output.contains("config"))
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `what cannot be taken back is said if it was last`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Harbor", episodes: 1)
        _ = try jimmy.run("tag", "+a", "Harbor 1")
        _ = try jimmy.run("refresh", "--force")
        #expect(try jimmy.run("undo").output == "tag\t-a: 1 episode\n")
        _ = try jimmy.run("redo")
        for episodes in 2...3 {
            home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: episodes)))
            _ = try jimmy.run("refresh", "--force")
        }
        let number = try #require(try jimmy.run("undo", "--list").records.first?.first)
        let refused = try jimmy.run("undo")
        #expect(refused.status == 1)
        #expect(refused.errors.hasPrefix("jimmy: undo: the last change cannot be taken back: jimmy refresh, "))
        #expect(refused.errors.hasSuffix("; nothing was changed; 'jimmy undo \(number)' takes back jimmy tag\n"))
        #expect(try jimmy.run("search", "tag:a").lines.count == 1)
        #expect(try jimmy.run("undo", number).output == "tag\t-a: 1 episode\n")
        _ = try jimmy.run("tag", "+b", "Harbor 1")
        #expect(try jimmy.run("undo").status == 0)
    }

    @Test func `an unsubscription that is done again loses nothing`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Harbor", episodes: 2)
        _ = try jimmy.run("tag", "+later", "Harbor 1")
        _ = try jimmy.run("mark", "Harbor 2", "1:30", "the bell")
        let dump = try jimmy.run("tag", "--dump").output
        #expect(dump.contains("mark=90/") && dump.contains("/the%20bell -- "))
        for command in [["unsubscribe", "Harbor"], ["undo"], ["redo"], ["undo"], ["redo"]] {
            #expect(try jimmy.run(command).status == 0)
            #expect(try jimmy.run("tag", "--dump").output == dump, "\(command)")
        }
        try home.subscribe("Harbor", episodes: 2)
        #expect(try jimmy.run("search", "tag:later").lines.count == 1)
        #expect(try jimmy.run("marks").lines.count == 1)
        #expect(try jimmy.run("tag", "--dump").output == dump)
        // In another library, the lines say the same.
        var other = jimmy
        other.environment["JIMMY_LIBRARY"] = home.folder + "/other"
        _ = try other.run("subscribe", home.server.url + "/harbor")
        #expect(try other.run(["tag", "--restore"], input: dump).status == 0)
        #expect(try other.run("tag", "--dump").output == dump)
        #expect(try other.run("undo").status == 0)
        #expect(try other.run("tag", "--dump").output == "")
    }

    @Test func `a list that is imported after an unsubscription begins anew`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Harbor", episodes: 2)
        try home.write(try jimmy.run("opml", "export").output, to: "list.opml")
        _ = try jimmy.run("unsubscribe", "Harbor")
        let step = try #require(try jimmy.run("undo", "--list").records.first?.first)
        #expect(try jimmy.run("opml", "import", home.folder + "/list.opml").status == 0)
        #expect(try jimmy.run("verify").status == 0)
        #expect(try jimmy.run("episodes").output == "")
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 3)))
        _ = try jimmy.run("refresh", "--all")
        #expect(try jimmy.run("episodes").lines.count == 3)
        // The new subscription goes, the old one comes back.
        _ = try jimmy.run("unsubscribe", "Harbor")
        #expect(try jimmy.run("undo", step).output.contains("subscribed to Harbor again"))
        #expect(try jimmy.run("episodes").lines.count == 2)
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `a dump has what belongs to kept episodes`() throws {
        let home = try Home()
        try home.subscribe("Harbor", episodes: 1)
        _ = try home.jimmy.run("mark", "Harbor 1", "1:30")
        let dump = try home.jimmy.run("tag", "--dump").output
        _ = try home.jimmy.run("unsubscribe", "--keep-episodes", "Harbor")
        #expect(try home.jimmy.run("tag", "--dump").output == dump)
    }

    @Test func `one of two podcasts that moved to one URL comes back`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        let old = try home.subscribe("Harbor")
        let new = try home.subscribe("Pier")
        for path in ["/harbor", "/pier"] { home.server.on(path, .redirect(301, to: "/quay")) }
        home.server.on("/quay", .feed(Home.feed("Quay", episodes: 2)))
        #expect(try jimmy.run("refresh", "--all").status == 0)
        let url = home.server.url + "/quay"
        #expect(try jimmy.run("podcasts").records.map { $0[4] } == [url, url])
        let ambiguous = try jimmy.run("unsubscribe", url)
        #expect(ambiguous.status == 64)
        #expect([old, new].allSatisfy { ambiguous.errors.contains($0.prefix(8)) })
        _ = try jimmy.run("tag", "+starred", "\(old)/quay 1")
        let before = try jimmy.run("podcasts", "--json").output

        for id in [old, new] {
            #expect(try jimmy.run("unsubscribe", id).status == 0)
            #expect(try jimmy.run("undo").output.contains("subscribed to Quay again"))
            #expect(try jimmy.run("podcasts", "--json").output == before)
        }
        #expect(try jimmy.run("search", "tag:starred").records.map { $0[0].hasPrefix(old) } == [true])
        // Both are gone when the URL is subscribed to again, so neither comes back beside it.
        #expect(try jimmy.run("unsubscribe", old, new).status == 0)
        #expect(try jimmy.run("subscribe", url).status == 0)
        let step = try #require(try jimmy.run("undo", "--list").records.dropFirst().first)
        #expect(step[2] == "unsubscribe")
        _ = try jimmy.run("undo", step[0])
        #expect(try jimmy.run("podcasts").lines.count == 1)
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `an edit that is taken back leaves later edits`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Harbor")
        _ = try jimmy.run("edit", "Harbor", "--title", "Mine", "--tag", "sea", "--keep", "3")
        _ = try jimmy.run("edit", "Mine", "--speed", "1.5", "--tag", "sea", "--tag", "ships", "--keep", "4")
        #expect(try jimmy.run("undo", "2").output == "edit\ttitle: Mine → Harbor\ttags: sea, ships → ships\n")
        let shown = try jimmy.run("show", "Harbor", "--json").output
        #expect(shown.contains(#""tags":["ships"]"#))
        #expect(try jimmy.run("redo").output == "edit\ttitle: Harbor → Mine\ttags: ships → sea, ships\n")
        #expect(try jimmy.run("undo").status == 0)
        #expect(try jimmy.run("undo").output == "edit\ttags: ships → none\tkeep: 4 files → 3 files\tspeed: 1.5 → 1.0\n")
    }

    @Test func `an edit that is taken back leaves the next fetch as it was`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Harbor")
        let url = home.server.url + "/harbor"
        home.server.on("/pier", .feed(Home.feed("Harbor", episodes: 2)))
        func shown() throws -> String { try jimmy.run("podcasts", "--json").output.replacing(/"revision":\d+/, with: "") }
        let before = try shown()
        #expect(before.contains(#""nextDueAt":"#))
        #expect(try jimmy.run("edit", "Harbor", "--feed-url", url).status == 0)
        #expect(try shown() == before)
        #expect(try jimmy.run("undo", "--list").lines.count == 1)
        let edits = [["--feed-url", home.server.url + "/pier"], ["--user", "me"]]
        for edit in edits {
            #expect(try jimmy.run(["edit", "Harbor"] + edit, input: "secret\n").status == 0)
            let edited = try shown()
            #expect(edited != before)
            for _ in 1...2 {
                #expect(try jimmy.run("undo").status == 0)
                #expect(try shown() == before)
                home.server.forgetRequests()
                #expect(try jimmy.run("refresh").status == 0)
                #expect(home.server.requests.isEmpty)
                #expect(try jimmy.run("redo").status == 0)
                #expect(try shown() == edited)
            }
            _ = try jimmy.run("undo")
        }
        // What was fetched from another address says nothing about the first.
        _ = try jimmy.run(["edit", "Harbor"] + edits[0])
        _ = try jimmy.run("refresh")
        let step = try #require(try jimmy.run("undo", "--list").records.first { $0[2] == "edit" }?.first)
        #expect(try jimmy.run("undo", step).status == 0)
        home.server.forgetRequests()
        #expect(try jimmy.run("refresh").status == 0)
        #expect(home.server.requests.map(\.path) == ["/harbor"])
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `lines that wait are counted, and what changed since is told`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 2)))
        _ = try jimmy.run("subscribe", "--no-fetch", home.server.url + "/harbor")
        let lines = (1...2).map { "+later -- \(home.server.url)/harbor Harbor-\($0)\n" }.joined()
        #expect(try jimmy.run(["tag", "--restore"], input: lines).status == 1)
        #expect(try jimmy.run("undo", "--list").records.first?.suffix(2) == ["tag", "2 lines"])
        #expect(try jimmy.run("undo").output == "tag\t2 waiting lines removed\n")
        #expect(try jimmy.run("redo").output == "tag\t2 waiting lines back\n")
        _ = try jimmy.run("refresh")
        #expect(try jimmy.run("tag").lines == ["later\t2"])
        let step = try #require(try jimmy.run("undo", "--list").records.first?.first)
        let undone = try jimmy.run("undo", step)
        #expect(undone.status == 1 && undone.output == "" && undone.errors.hasPrefix("Nothing was changed back"))
        #expect(try jimmy.run("tag").lines == ["later\t2"])
    }

    @Test func `if the last change is gone already, no earlier one is taken back instead`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Harbor", episodes: 1)
        _ = try jimmy.run("config", "set", "concurrency", "7")
        try home.write("concurrency = 8\n", to: ".config/jimmy/config")
        let undone = try jimmy.run("undo")
        #expect(undone.status == 1 && undone.output == "")
        #expect(
            undone.errors == "Nothing was changed back: what 'jimmy config set' changed was changed again since.\n")
        #expect(try jimmy.run("config", "concurrency").output == "8\n")
        #expect(try jimmy.run("podcasts").lines.count == 1)
        #expect(try jimmy.run("undo").output == "subscribe\tunsubscribed from Harbor\n")
        #expect(try jimmy.run("redo").status == 0)
        #expect(try jimmy.run("podcasts").lines.count == 1)
    }
}
