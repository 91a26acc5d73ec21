import Glibc
import LoopbackServer
import Testing

/// `jimmy undo` of a command that subscribed.
@Suite struct UndoSubscribeTests {
    /// What belongs to the owner.
    private func view(_ jimmy: Program) throws -> [String] {
        try [["tag", "--dump"], ["queue"], ["tag"], ["episodes"]].map {
            try jimmy.run($0).lines.sorted().joined(separator: "\n")
        }
    }

    @Test func `what became new with the subscription is gone with it`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        _ = try jimmy.run("config", "set", "new-on-subscribe", "2")
        try home.subscribe("Harbor", episodes: 3)
        #expect(try jimmy.run("tag").lines == ["new\t2"])
        _ = try jimmy.run("tag", "+later", "Harbor 3")
        let subscription = try #require(try jimmy.run("undo", "--list").records.last?.first)
        #expect(try jimmy.run("undo", subscription).output == "subscribe\tunsubscribed from Harbor\n")
        // What the owner did since waits, as after `unsubscribe`.
        #expect(try jimmy.run("tag", "--dump").lines == ["+later -- \(home.server.url)/harbor Harbor-3"])
        #expect(try jimmy.run("redo").status == 0)
        #expect(try jimmy.run("tag").lines.sorted() == ["later\t1", "new\t2"])
        _ = try jimmy.run("tag", "-later", "Harbor 3")
        #expect(try jimmy.run("undo").status == 0)
        #expect(try jimmy.run("undo").status == 0)
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `new episodes wait if an unsubscription is done again`() throws {
        let home = try Home()
        _ = try home.jimmy.run("config", "set", "new-on-subscribe", "1")
        try home.subscribe("Harbor", episodes: 1)
        for command in [["unsubscribe", "Harbor"], ["undo"], ["redo"]] {
            #expect(try home.jimmy.run(command).status == 0)
        }
        #expect(try home.jimmy.run("tag", "--dump").output.hasPrefix("+new -- "))
    }

    @Test(arguments: [true, false]) func `lines that the subscription applied wait again`(isList: Bool) throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Pier", episodes: 1)
        _ = try jimmy.run("queue", "add", "Pier 1")
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 3)))
        let url = home.server.url + "/harbor"
        let lines = [
            "+later position=30/60 heard=2026-01-02T03:04:05Z queued=2 -- \(url) Harbor-1",
            "mark=7/2026-01-02T03:04:05Z/ queued=1 -- \(url) Harbor-2",
            "queued=3 -- \(url) Harbor-3",
        ]
        #expect(try jimmy.run(["tag", "--restore"], input: lines.joined(separator: "\n") + "\n").status == 1)
        let before = try view(jimmy)
        #expect(try jimmy.run("tag", "--dump").lines == lines)
        if isList {
            try home.write(
                "<opml version=\"2.0\"><body><outline type=\"rss\" xmlUrl=\"\(url)\"/></body></opml>", to: "list.opml")
            #expect(try jimmy.run("opml", "import", "--refresh", home.folder + "/list.opml").status == 0)
        } else {
            #expect(try jimmy.run("subscribe", url).status == 0)
        }
        let after = try view(jimmy)
        #expect(try jimmy.run("queue").lines.count == 4)
        let step = try #require(try jimmy.run("undo", "--list").records.first { $0[2] != "refresh" }?.first)
        #expect(try jimmy.run("undo", step).status == 0)
        #expect(try view(jimmy) == before)
        #expect(try jimmy.run("redo").status == 0)
        #expect(try view(jimmy) == after)
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `episodes of a podcast that moved are not left out of a dump`() throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Harbor", episodes: 2)
        home.server.on("/harbor", .redirect(301, to: "/quay"))
        home.server.on("/quay", .feed(Home.feed("Harbor", episodes: 2)))
        _ = try jimmy.run("refresh", "--all")
        _ = try jimmy.run("mark", "Harbor 1", "1:30")
        let dump = try jimmy.run("tag", "--dump")
        let subscription = try #require(try jimmy.run("undo", "--list").records.last?.first)
        #expect(try jimmy.run("undo", subscription).status == 0)
        let after = try jimmy.run("tag", "--dump")
        #expect(after.output == dump.output && after.output.contains("/quay Harbor-1"))
        #expect(after.errors == "")
    }

    @Test(arguments: [true, false]) func `episodes that were kept are kept again`(isList: Bool) throws {
        let home = try Home()
        let jimmy = home.jimmy
        try home.subscribe("Harbor", episodes: 2)
        _ = try jimmy.run("tag", "+later", "Harbor 1")
        let ids = try jimmy.run("episodes", "Harbor").records.map { $0[0] }
        _ = try jimmy.run("unsubscribe", "--keep-episodes", "Harbor")
        let before = try jimmy.run("tag", "--dump").output
        home.server.on("/pier", .feed(Home.feed("Pier", episodes: 1)))
        let urls = ["/harbor", "/pier"].map { home.server.url + $0 }
        if isList {
            let outlines = urls.map { "<outline type=\"rss\" xmlUrl=\"\($0)\"/>" }.joined()
            try home.write("<opml version=\"2.0\"><body>\(outlines)</body></opml>", to: "list.opml")
            #expect(try jimmy.run("opml", "import", home.folder + "/list.opml").status == 0)
        } else {
            #expect(try jimmy.run(["subscribe"] + urls).status == 0)
        }
        for _ in 1...2 {
            #expect(try jimmy.run("undo").status == 0)
            #expect(try jimmy.run("podcasts").output == "")
            for id in ids { #expect(try jimmy.run("show", id).status == 0) }
            #expect(try jimmy.run("tag", "--dump").output == before)
            #expect(try jimmy.run("tag").lines == ["later\t1"])
            #expect(try jimmy.run("show", "Pier 1").status == 66)
            #expect(try jimmy.run("verify").status == 0)
            #expect(try jimmy.run("redo").status == 0)
            #expect(try jimmy.run("podcasts").lines.count == 2)
            #expect(try jimmy.run("episodes", "Harbor").records.map { $0[0] } == ids)
            #expect(try jimmy.run("verify").status == 0)
        }
    }
}
