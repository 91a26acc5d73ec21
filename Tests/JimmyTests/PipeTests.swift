import Glibc
import LoopbackServer
import Testing

/// What scripts see: one record a line, stable fields, exit codes.
@Suite struct PipeTests {
    @Test func `a subscription is a line of id, title and episode count`() throws {
        let home = try Home()
        home.server.on("/radio", .feed(Home.feed("Night Radio", episodes: 3)))
        let run = try home.jimmy.run("subscribe", home.server.url + "/radio")
        #expect(run.status == 0)
        #expect(run.records.map { Array($0.dropFirst()) } == [["Night Radio", "3"]])
        #expect(run.errors == "")

        let again = try home.jimmy.run("subscribe", home.server.url + "/radio")
        #expect(again.status == 0)
        #expect(again.output == run.output)
    }

    @Test func `several URLs stand each for itself`() throws {
        let home = try Home()
        home.server.on("/a", .feed(Home.feed("A", episodes: 1)))
        home.server.on("/page", Reply(body: Array("<html><body>no feed</body></html>".utf8)))
        let some = try home.jimmy.run("subscribe", home.server.url + "/missing", home.server.url + "/a")
        #expect(some.status == 1)
        #expect(some.errors == "jimmy: \(home.server.url)/missing: HTTP 404, not found\n")
        #expect(try home.jimmy.run("subscribe", home.server.url + "/missing").status == 69)
        #expect(try home.jimmy.run("subscribe", home.server.url + "/page").status == 65)
        #expect(try home.jimmy.run("subscribe", "ftp://example.com/feed").status == 64)
        #expect(try home.jimmy.run("podcasts").lines.count == 1)
    }

    @Test func `URLs are read from standard input, one per line`() throws {
        let home = try Home()
        for name in ["a", "b", "c"] { home.server.on("/" + name, .feed(Home.feed(name.uppercased(), episodes: 1))) }
        let url = home.server.url
        let run = try home.jimmy.run("subscribe", url + "/a", "-", input: "# mine\r\n\(url)/b\r\n \n\n  \(url)/c")
        #expect(run.status == 0)
        #expect(run.errors == "")
        #expect(run.records.map { $0[1] }.sorted() == ["A", "B", "C"])
        let some = try home.jimmy.run("subscribe", "-", input: "\(url)/missing\n\(url)/a\n")
        #expect(some.status == 1)
        #expect(some.errors == "jimmy: \(url)/missing: HTTP 404, not found\n")
        #expect(try home.jimmy.run("subscribe", "-", input: "ftp://example.com/feed\n").status == 64)
        let none = try home.jimmy.run("subscribe", "-", input: "# later\n\n")
        #expect(none.status == 0 && none.output == "" && none.errors == "There are no URLs on standard input.\n")
    }

    @Test func `podcasts and episodes are tab-separated, newest first`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        let url = home.server.url + "/night-radio"
        #expect(try home.jimmy.run("podcasts").records == [[id, "Night Radio", "2", "2024-05-02T08:00:00Z", url]])
        let episodes = try home.jimmy.run("episodes").records
        #expect(
            episodes.map { Array($0[1...3]) } == [
                ["2024-05-02T08:00:00Z", "Night Radio", "Night Radio 2"],
                ["2024-05-01T08:00:00Z", "Night Radio", "Night Radio 1"],
            ])
        #expect(try home.jimmy.run("episodes", "--until", "2024-05-01").lines.count == 1)
        for date in ["2024-05", "2024", "2024-5-2"] {
            #expect(try home.jimmy.run("episodes", "--until", date).lines.count == 2)
        }
        #expect(try home.jimmy.run("episodes", "--until", "2024-04").lines.isEmpty)
        #expect(try home.jimmy.run("episodes", "night radio", "--since", "2024-05-02", "--limit", "5").lines.count == 1)
    }

    @Test func `a refresh tells each podcast and a summary as JSON Lines`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 3)))
        let run = try home.jimmy.run("refresh", "--all", "--json")
        #expect(run.status == 0)
        #expect(run.lines.count == 2)
        #expect(run.lines.first?.contains(#""outcome":"updated","status":200,"added":1,"changed":0,"withdrawn":0"#) == true)
        #expect(run.lines.last?.contains(#""type":"summary","podcasts":1,"updated":1"#) == true)
        #expect(try home.jimmy.run("episodes", "--new").records.map { $0[3] } == ["Night Radio 3"])
    }

    @Test func `a refresh in which every feed failed exits 69, with --strict 1 if one did`() throws {
        let home = try Home()
        try home.subscribe("A")
        try home.subscribe("B")
        home.server.on("/a", Reply(500))
        #expect(try home.jimmy.run("refresh", "--all").status == 0)
        #expect(try home.jimmy.run("refresh", "--all", "--strict").status == 1)
        home.server.on("/b", Reply(500))
        let run = try home.jimmy.run("refresh", "--all")
        #expect(run.status == 69)
        #expect(
            run.records.map { [$0[0], $0[2], $0[6]] }.sorted { $0[1] < $1[1] } == [
                ["failed", "A", "HTTP 500, internal server error"], ["failed", "B", "HTTP 500, internal server error"],
            ])
        let failing = try home.jimmy.run("podcasts", "--failing", "--json")
        #expect(failing.lines.count == 2)
        #expect(failing.lines.allSatisfy { $0.contains(#""error":{"code":"http","status":500"#) })
    }

    @Test func `a search marks what matched, and exits 1 where nothing does`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 1)
        let run = try home.jimmy.run("search", "sea")
        #expect(run.records.map { $0[4] } == ["All about Night Radio and the ‹sea›."])
        let json = try home.jimmy.run("search", "sea", "--json").output
        #expect(
            json.contains(
                #""field":"description","snippet":"All about Night Radio and the ‹sea›.","matches":[{"offset":31,"length":3}]"#))
        #expect(try home.jimmy.run("search", "sea", "-radio").status == 1)
        let nothing = try home.jimmy.run("search", "xylophone")
        #expect(nothing.status == 1)
        #expect(nothing.output == "")
        #expect(nothing.errors.hasPrefix("Nothing found for ‘xylophone’."))
    }

    @Test func `the queue keeps its order and no repeats`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 3)
        let ids = try home.jimmy.run("episodes").records.map { $0[0] }
        #expect(try home.jimmy.run(["queue", "add"] + ids + [ids[0]]).lines.count == 3)
        #expect(try home.jimmy.run("queue", "move", ids[2], "1").status == 0)
        #expect(try home.jimmy.run("queue").records.map { $0[1] } == [ids[2], ids[0], ids[1]])
        #expect(try home.jimmy.run("queue", "next", "--done").records.map { $0[0] } == [ids[2]])
        #expect(try home.jimmy.run("queue", "remove", ids[2]).status == 1)
        #expect(try home.jimmy.run("queue", "remove", ids[1]).status == 0)
        #expect(try home.jimmy.run("queue", "list", "--json").lines.count == 1)
        #expect(try home.jimmy.run("queue", "clear").status == 0)
        #expect(try home.jimmy.run("queue", "next").status == 1)
        #expect(try home.jimmy.run("queue", "add", "nope-nope").status == 66)
    }

    @Test func `unsubscribing removes episodes, queue entries and what search finds`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        try home.subscribe("Day Radio")
        let episode = try home.jimmy.run("episodes", id).records[0][0]
        #expect(try home.jimmy.run("queue", "add", episode).status == 0)
        #expect(try home.jimmy.run("unsubscribe", "night radio").status == 0)
        #expect(try home.jimmy.run("queue").lines.isEmpty)
        #expect(try home.jimmy.run("episodes").records.map { $0[2] } == ["Day Radio", "Day Radio"])
        #expect(try home.jimmy.run("search", "night").status == 1)
        #expect(try home.jimmy.run("show", episode).status == 66)
    }

    @Test func `subscriptions go out and come in as OPML, without their secrets`() throws {
        let home = try Home()
        #expect(
            try home.jimmy.run(
                "opml", "import", "-",
                input: """
                    <opml><body><outline text="Sea"><outline text="Private &amp; mine" xmlUrl="http://me:secret@127.0.0.1:9/a"/>
                    </outline><outline text="x" xmlUrl="gopher://x"/></body></opml>
                    """
            ).status == 1)
        let exported = try home.jimmy.run("opml", "export")
        #expect(exported.output.contains(#"title="Private &amp; mine" xmlUrl="http://127.0.0.1:9/a""#))
        let listed = try home.jimmy.run("podcasts", "--json")
        #expect(listed.output.contains(#""tags":["Sea"]"#))
        #expect(!(exported.output + listed.output).contains("secret"))
        #expect(try home.jimmy.run("opml", "export", "--with-secrets").output.contains("http://me:secret@127.0.0.1:9/a"))
        #expect(try home.jimmy.run("opml", "import", "-", input: "no list").status == 65)
    }

    @Test func `an import tells of a list that is cut off and of outlines without an address`() throws {
        let home = try Home()
        let cut = try home.jimmy.run(
            "opml", "import", "-", input: #"<opml><body><outline text="A" xmlUrl="http://127.0.0.1:9/a"/><outl"#)
        #expect(cut.status == 1)
        #expect(cut.errors.contains("jimmy: standard input: the list is cut off; anything after that is missing\n"))
        #expect(cut.lines.count == 1)
        let local = try home.jimmy.run(
            "opml", "import", "-", input: #"<opml><body><outline text="L" xmlUrl="file:///etc/passwd"/></body></opml>"#)
        #expect(local.status == 65)
        #expect(local.errors.contains("jimmy: L: a file on this computer"), "\(local.errors)")
        #expect(!local.output.contains("passwd"))
        let empty = try home.jimmy.run(
            "opml", "import", "-", input: #"<opml><body><outline text="B" xmlUrl=""/><outline xmlUrl=""/></body></opml>"#)
        #expect(empty.status == 65)
        #expect(
            empty.errors.contains(
                "jimmy: B: no feed URL jimmy can fetch\njimmy: an outline without a title: no feed URL jimmy can fetch\n"))
    }

    @Test func `status and explain tell how each podcast is doing`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        home.server.on("/night-radio", Reply(401))
        _ = try home.jimmy.run("refresh", "--all")
        let status = try home.jimmy.run("status", "--json")
        #expect(status.output.contains(#""health":"needsPassword""#))
        #expect(try home.jimmy.run("status", "--strict", "--quiet").status == 1)
        let explained = try home.jimmy.run("explain", id)
        #expect(explained.output.contains("HTTP 401, user and password needed"))
        #expect(explained.output.contains("the wait after a failure"))
    }

    @Test func `a directory's hits show their feed URLs`() throws {
        let home = try Home()
        home.server.on("/search") { _ in
            Reply(
                body: Array(
                    """
                    {"resultCount":2,"results":[{"collectionName":"Night Radio","artistName":"Ada","feedUrl":"http://a.example/f","trackCount":7},
                    {"collectionName":"No feed"}]}
                    """.utf8))
        }
        let run = try home.jimmy.run("discover", "night", "radio", "--directory", home.server.url + "/search")
        #expect(run.records == [["http://a.example/f", "Night Radio", "Ada", "7"]])
        #expect(home.server.requests.first?.target.contains("term=night%20radio") == true)
        home.server.on("/search", Reply(body: Array(#"{"resultCount":0,"results":[]}"#.utf8)))
        #expect(try home.jimmy.run("discover", "x", "--directory", home.server.url + "/search").status == 1)
        home.server.on("/search", Reply(403))
        #expect(try home.jimmy.run("discover", "x", "--directory", home.server.url + "/search").status == 69)
    }

    @Test func `a podcast can get another title, tags, and another address with a password`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        #expect(try home.jimmy.run("edit", id, "--title", "Nocturne", "--tag", "night", "--tag", "radio").status == 0)
        #expect(try home.jimmy.run("podcasts", "--json").output.contains(#""title":"Nocturne""#))
        #expect(try home.jimmy.run("search", "podcast:nocturne").lines.count == 2)

        home.server.on("/new") { request in
            request["Authorization"] == "Basic bWU6c2VjcmV0" ? .feed(Home.feed("Night Radio", episodes: 3)) : Reply(401)
        }
        let address = home.server.url.replacing("http://", with: "http://me:secret@") + "/new"
        #expect(try home.jimmy.run("edit", "nocturne", "--feed-url", address).status == 0)
        #expect(try home.jimmy.run("refresh", id).status == 0)
        #expect(try home.jimmy.run("episodes", "--new").lines.count == 1)
        let explained = try home.jimmy.run("explain", id).output
        #expect(explained.contains("changed by you, previously at \(home.server.url)/night-radio"))
        #expect(!explained.contains("secret"))
        #expect(try home.jimmy.run("edit", id).status == 64)
        let other = try home.subscribe("Day Radio")
        #expect(try home.jimmy.run("edit", other, "--feed-url", home.server.url + "/new").status == 64)
    }

    @Test func `an exported feed is one that jimmy itself reads`() throws {
        let home = try Home()
        home.server.on("/a", .feed(Home.feed("Tom &amp; \"J\", Inc", episodes: 2)))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/a").status == 0)
        let feed = try home.jimmy.run("export", "rss", "sea").output
        home.server.on("/again", .feed(feed))
        let parsed = try home.jimmy.run("parse", "-", input: feed)
        #expect(parsed.status == 0)
        #expect(parsed.output.contains(#""wellFormed":true"#))
        #expect(
            parsed.output.contains(
                #""title":"Tom & \"J\", Inc 2","description":"All about Tom & \"J\", Inc and the sea.","publishedAt":"2024-05-02T08:00:00Z""#
            ))
        #expect(parsed.output.contains(#""enclosures":[{"url":"http://media.example/2.mp3","type":"audio/mpeg","length":1000}]"#))

        let csv = try home.jimmy.run("export", "csv", "--limit", "1").lines
        #expect(csv.first == "id,podcast,title,publishedAt,seconds,link,media")
        #expect(csv.last?.contains(#","Tom & ""J"", Inc","Tom & ""J"", Inc 2",2024-05-02T08:00:00Z,"#) == true)
        #expect(try home.jimmy.run("export", "json").lines.count == 2)
        #expect(try home.jimmy.run("export", "markdown").lines.count == 3)
        #expect(try home.jimmy.run("export", "rss", "--queue").status == 1)
        #expect(try home.jimmy.run("export", "pdf").status == 64)
    }

    @Test func `new episodes are handed to commands as JSON Lines`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        let seen = home.folder + "/seen"
        let command = ["refresh", "--all", "--on-new", "cat > \(seen)"]
        #expect(try home.jimmy.run(command).status == 0)
        #expect(access(seen, F_OK) != 0)
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 4)))
        #expect(try home.jimmy.run(command).status == 0)
        let lines = try String(reading: seen).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(#""podcastTitle":"Night Radio""#) && $0.contains(#""enclosures":[{"url":"#) })
        let quiet = ["refresh", "--all", "--quiet", "--on-new", "exit 3"]
        #expect(try home.jimmy.run(quiet).errors == "")
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 5)))
        let hooked = try home.jimmy.run(quiet)
        #expect(hooked.errors == "jimmy: --on-new: exited with 3\n")
        #expect(hooked.status == 1)
    }

    @Test func `files are written through symbolic links and to open descriptors`() throws {
        let home = try Home()
        try home.subscribe("Harbor", episodes: 1)
        _ = try home.jimmy.run("tag", "+later", "Harbor 1")
        let dump = try home.jimmy.run("tag", "--dump").output
        // A link as /dev/stdout is one; if it were replaced, nothing would be printed.
        symlink("/proc/self/fd/1", home.folder + "/stdout")
        let run = try home.run(
            script: """
                set -e
                ln -s list real-list
                for path in stdout /dev/fd/1; do
                    echo before > file
                    { jimmy tag --dump $path; echo after; } >> file
                    jimmy tag --dump $path | cat >> file
                    cat file
                done
                jimmy opml export real-list
                """)
        #expect(run.status == 0)
        #expect(run.output == String(repeating: "before\n\(dump)after\n\(dump)", count: 2))
        for (link, target) in [("stdout", "/proc/self/fd/1"), ("real-list", "list")] {
            var bytes = [CChar](repeating: 0, count: 100)
            let length = readlink("\(home.folder)/\(link)", &bytes, bytes.count)
            #expect(String(decoding: bytes.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self) == target)
        }
        #expect(try home.text("list").contains("<opml"))
    }

    @Test func `what a command prints, another takes`() throws {
        let home = try Home()
        let podcast = try home.subscribe("Harbor", episodes: 3)
        let jimmy = home.jimmy
        let ids = try jimmy.run("episodes").records.map { $0[0] }
        // A search lists the podcast beside its episodes.
        for found in [try jimmy.run("search", "harbor"), try jimmy.run("search", "harbor", "--json")] {
            #expect(found.lines.count == 4)
            #expect(found.lines[0].hasPrefix(podcast + "\t") || found.lines[0].hasPrefix(#"{"type":"podcast""#))
            let tagged = try jimmy.run(["tag", "+later", "-"], input: found.output)
            #expect(tagged.errors == "1 podcast on standard input left out; '-' takes episodes.\n3 episodes tagged.\n")
        }
        #expect(try jimmy.run(["tag", "+later", "-"], input: try jimmy.run("podcasts").output).status == 66)
        _ = try jimmy.run(["queue", "add", "-"], input: ids.joined(separator: "\n"))
        #expect(try jimmy.run(["star", "-"], input: try jimmy.run("queue").output).errors == "3 episodes tagged.\n")
        let two = try jimmy.run("queue").lines.prefix(2).joined(separator: "\n")
        #expect(try jimmy.run(["queue", "remove", "-"], input: two).status == 0)
        #expect(try jimmy.run("queue").records.map { $0[1] } == [ids[2]])
        #expect(try jimmy.run(["queue", "remove", "-"], input: "nothing\n\(ids[2])\n").status == 66)
        #expect(try jimmy.run(["queue", "remove", "-"], input: ids.joined(separator: "\n")).status == 1)
        #expect(try jimmy.run("queue").output == "")
    }
}
