import Glibc
import LoopbackServer
import Testing

/// `jimmy play` with stand-ins for players.
@Suite struct PlayTests {
    /// A player that writes its arguments to `played`, a line each.
    private func home(exit status: Int = 0, arguments: String = "") throws -> (home: Home, jimmy: Program) {
        let home = try Home()
        try write("#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/played\"\nexit \(status)\n", to: home.folder + "/my player")
        chmod(home.folder + "/my player", 0o755)
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_PLAYER"] = "'\(home.folder)/my player' \(arguments)"
        return (home, jimmy)
    }

    private func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }

    @Test func `the queue's first is played, and stays there if its player ends at once`() throws {
        let (home, jimmy) = try home(arguments: "--at={start} -- {file}")
        try home.subscribe("Night Radio", episodes: 3)
        let all = try jimmy.run("episodes").records.map { $0[0] }
        #expect(try jimmy.run("play").status == 1)
        _ = try jimmy.run("queue", "add", all[1], all[2])
        _ = try jimmy.run("tag", "+new", all[1])
        let run = try jimmy.run("play")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try home.text("played") == "--at=0\n--\nhttp://media.example/2.mp3\n")
        #expect(run.errors == "Stopped at 0:00; 'jimmy play' continues.\n")
        #expect(try jimmy.run("queue").records.map { $0[1] } == [all[1], all[2]])
        #expect(try jimmy.run("search", "is:played").output == "")
        #expect(try jimmy.run("episodes", "--new").lines.count == 1)
        // Nothing was heard, so there is nothing to take back.
        #expect(try jimmy.run("undo", "--list").records.first?[2] == "tag")
        // The queue's first comes first, whatever was begun.
        #expect(try jimmy.run("play", all[0]).errors == "Stopped at 0:00; 'jimmy play \(all[0])' continues.\n")
    }

    @Test func `mpv plays what is downloaded, and what is not`() throws {
        let home = try Home()
        home.server.on("/1.wav", Reply(headers: [("Content-Type", "audio/wav")], body: Audio.silence(seconds: 2)))
        home.server.on("/2.wav", Reply(headers: [("Content-Type", "audio/wav")], body: Audio.silence(seconds: 2)))
        home.server.on("/3.wav", Reply(headers: [("Content-Type", "audio/wav")], body: Array("no sound".utf8)))
        let items = (1...3).map {
            "<item><title>Part \($0)</title><guid>\($0)</guid><enclosure url=\"\(home.server.url)/\($0).wav\" type=\"audio/wav\"/></item>"
        }
        home.server.on("/feed", .feed("<rss version=\"2.0\"><channel><title>Cast</title>\(items.joined())</channel></rss>"))
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        jimmy.environment["JIMMY_PLAYER"] = "mpv --no-config --ao=null --really-quiet --start={start} {file}"
        _ = try jimmy.run("subscribe", home.server.url + "/feed")
        _ = try jimmy.run("tag", "+new", "--query", "part")
        _ = try jimmy.run("queue", "add", "Part 1", "Part 2")
        #expect(try jimmy.run("download", "Part 1").status == 0)
        home.server.forgetRequests()
        let downloaded = try jimmy.run("play")
        #expect(downloaded.status == 0, "\(downloaded.errors)")
        #expect(home.server.requests.isEmpty)
        let streamed = try jimmy.run("play")
        #expect(streamed.status == 0, "\(streamed.errors)")
        #expect(!home.server.requests(to: "/2.wav").isEmpty)
        #expect(try jimmy.run("play", "Part 3").status == 1)
        #expect(try jimmy.run("queue").output == "")
        #expect(Set(try jimmy.run("search", "is:played").records.map { $0[3] }) == ["Part 1", "Part 2"])
        #expect(try jimmy.run("episodes", "--new").records.map { $0[3] } == ["Part 3"])
    }

    @Test func `only http and https reach a player, an export or --json, and a picture is not what is played`() throws {
        let (home, jimmy) = try home()
        func item(_ title: String, _ enclosures: String) -> String {
            "<item><title>\(title)</title><guid>\(title)</guid>\(enclosures)</item>"
        }
        func enclosure(_ url: String, _ type: String) -> String { "<enclosure url=\"\(url)\" type=\"\(type)\" length=\"9\"/>" }
        let hostile = [
            "file:///etc/passwd", "smb://host/share/a.mp3", "edl://%4%/a.mp3", "av://lavfi:testsrc",
            "data:audio/mpeg;base64,AAAA",
            "ytdl://abc",
        ]
        let items =
            item(
                "Cover First", enclosure("http://media.example/a.jpg", "image/jpeg") + enclosure("http://media.example/a.mp3", "")
            )
            + item(
                "Only Alternate",
                "<podcast:alternateEnclosure type=\"audio/opus\"><podcast:source uri=\"http://media.example/b.opus\"/>"
                    + "<podcast:source uri=\"file:///etc/shadow\"/></podcast:alternateEnclosure>")
            + hostile.enumerated().map { item("Hostile \($0)", enclosure($1, "audio/mpeg")) }.joined()
        let namespace = "xmlns:podcast=\"https://podcastindex.org/namespace/1.0\""
        home.server.on(
            "/feed", .feed("<rss version=\"2.0\" \(namespace)><channel><title>Cast</title>\(items)</channel></rss>"))
        #expect(try jimmy.run("subscribe", home.server.url + "/feed").status == 0)
        #expect(try jimmy.run("play", "Cover First").status == 0)
        #expect(try home.text("played") == "http://media.example/a.mp3\n")
        #expect(try jimmy.run("play", "Only Alternate").status == 0)
        #expect(try home.text("played") == "http://media.example/b.opus\n")
        unlink(home.folder + "/played")
        for number in hostile.indices { #expect(try jimmy.run("play", "Hostile \(number)").status == 1) }
        #expect(access(home.folder + "/played", F_OK) != 0)
        var outputs = [try jimmy.run("episodes", "--json").output, try jimmy.run("download", "--json", "Hostile 0").output]
        for format in ["rss", "json", "csv", "markdown"] {
            let run = try jimmy.run("export", format, "cast")
            #expect(run.status == 0, "\(run.errors)")
            outputs.append(run.output)
        }
        for output in outputs {
            for scheme in ["file:", "smb:", "edl:", "av:", "data:", "ytdl:"] { #expect(!output.contains(scheme), "\(output)") }
        }
        let row = try #require(try jimmy.run("episodes", "--json").lines.first { $0.contains("Cover First") })
        #expect(row.contains(#""enclosures":[{"url":"http://media.example/a.mp3""#), "\(row)")
    }

    @Test func `nothing changes if the player fails`() throws {
        let (home, jimmy) = try home(exit: 4)
        try home.subscribe("Night Radio", episodes: 1)
        let id = try jimmy.run("episodes").records[0][0]
        _ = try jimmy.run("queue", "add", id)
        let run = try jimmy.run("play", "Night Radio 1")
        #expect(run.status == 1)
        #expect(run.errors.contains("exited with 4"))
        #expect(try home.text("played") == "http://media.example/1.mp3\n")
        #expect(try jimmy.run("queue").lines.count == 1)
        #expect(try jimmy.run("tag").output == "")
        var other = jimmy
        other.environment["JIMMY_PLAYER"] = "/nonexistent/player"
        #expect(try other.run("play").status == 66)
        other.environment["JIMMY_PLAYER"] = nil
        other.environment["PATH"] = "/nonexistent"
        #expect(try other.run("play").status == 66)
        #expect(try jimmy.run("play", "--set", "player='unclosed").status == 64)
    }

    @Test func `playing begins where a text is said, or at a chapter`() throws {
        let (home, jimmy) = try home(arguments: "{start}")
        home.server.on(
            "/1.vtt",
            Reply(
                body: Array(
                    "WEBVTT\n\n00:00:03.500 --> 00:00:09.000\nWelcome to the\n\n00:00:09.000 --> 00:00:12.000\nSHOW tonight.\n"
                        .utf8)))
        home.server.on(
            "/a",
            .feed(
                """
                <rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:psc="http://podlove.org/simple-chapters">
                <channel><title>Night</title><item><title>One</title><guid>1</guid>
                <enclosure url="http://media.example/1.mp3" type="audio/mpeg"/>
                <podcast:transcript url="\(home.server.url)/1.vtt" type="text/vtt"/>
                <psc:chapters version="1.2"><psc:chapter start="0:00" title="A"/><psc:chapter start="1:30" title="B"/></psc:chapters>
                </item></channel></rss>
                """))
        _ = try jimmy.run("subscribe", home.server.url + "/a")
        #expect(try jimmy.run("play", "One", "--transcript", "show").status == 1)
        _ = try jimmy.run("refresh", "--transcripts")
        let run = try jimmy.run("play", "One", "--transcript", "the  show")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try home.text("played") == "3.5\nhttp://media.example/1.mp3\n")
        #expect(try jimmy.run("play", "One", "--chapter", "2").status == 0)
        #expect(try home.text("played") == "90\nhttp://media.example/1.mp3\n")
        unlink(home.folder + "/played")
        #expect(try jimmy.run("play", "One", "--transcript", "never said").status == 1)
        #expect(try jimmy.run("play", "One", "--chapter", "3").status == 1)
        #expect(access(home.folder + "/played", F_OK) != 0)
    }

    @Test func `playing goes on a few seconds before, at most at the beginning`() throws {
        // A player that fails leaves the place where it was.
        let (home, jimmy) = try home(exit: 4, arguments: "{start}")
        try home.subscribe("Night Radio", episodes: 1)
        let heard = "position=90/1000 heard=2024-05-06T08:00:00Z -- \(home.server.url)/night-radio Night Radio-1\n"
        #expect(try jimmy.run(["tag", "--restore"], input: heard).status == 0)
        func start(_ arguments: String..., settings: [String: String] = [:]) throws -> String {
            var jimmy = jimmy
            jimmy.environment.merge(settings) { $1 }
            #expect(try jimmy.run(["play"] + arguments).status == 1)
            return try String(home.text("played").prefix { $0 != "\n" })
        }
        #expect(try start() == "85")
        #expect(try start(settings: ["JIMMY_REWIND": "30s"]) == "60")
        #expect(try start(settings: ["JIMMY_REWIND": "3m"]) == "0")
        #expect(try start("Night Radio") == "85")
        #expect(try start("--from-start") == "0")
        #expect(try start("--at", "12:30") == "750")
        _ = try jimmy.run("edit", "Night Radio", "--skip-intro", "87s")
        #expect(try start() == "87")
    }

    @Test func `next says in JSON which row it would play`() throws {
        let (home, jimmy) = try home()
        try home.subscribe("Night Radio", episodes: 2)
        let rows = try jimmy.run("episodes", "--json").lines
        #expect(try jimmy.run("next", "Night Radio", "--json").lines == [rows[0]])
    }
}
