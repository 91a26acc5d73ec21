import Glibc
import LoopbackServer
import Testing

/// Files of chapters as users meet them: refresh, search, show, play.
@Suite struct ChapterTests {
    private func home(_ count: Int = 1, transcript: Bool = false) throws -> Home {
        let home = try Home()
        let items = (1...count).map { number in
            let spoken = transcript ? "<p:transcript url=\"\(home.server.url)/t.vtt\" type=\"text/vtt\"/>" : ""
            return """
                <item><title>Talk \(number)</title><guid>\(number)</guid><pubDate>0\(number) May 2024 08:00:00 GMT</pubDate>
                <enclosure url="http://media.example/\(number).mp3" type="audio/mpeg"/>
                <p:chapters url="\(home.server.url)/c/\(number).json" type="application/json+chapters"/>\(spoken)</item>
                """
        }
        home.server.on(
            "/talks",
            .feed(
                "<rss xmlns:p=\"https://podcastindex.org/namespace/1.0\"><channel><title>Talks</title>\(items.joined())</channel></rss>"
            ))
        home.server.on(
            "/c/1.json",
            .feed(
                """
                {"version":"1.2.0","chapters":[
                  {"startTime":0,"title":"Welcome"},{"startTime":90.5,"title":"The zirconium interview","img":"https://x.example/i.png"},
                  {"startTime":100,"title":"Hidden advert","toc":false},{"startTime":754}]}
                """, type: "application/json+chapters"))
        home.server.on("/t.vtt", .feed("WEBVTT\n\n00:05.000 --> 00:09.000\nHafnium was said.\n", type: "text/vtt"))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/talks").status == 0)
        return home
    }

    @Test func `they are fetched, found, shown, and played from`() throws {
        let home = try home()
        #expect(try home.jimmy.run("search", "zirconium").status == 1)
        let run = try home.jimmy.run("refresh", "--chapters")
        #expect(run.status == 0)
        #expect(run.errors.contains("1 file of chapters fetched."), "\(run.errors)")
        let results = try home.jimmy.run("search", "zirconium", "--json").output
        #expect(results.contains(#""field":"chapter""#) && results.contains(#""start":90.5"#), "\(results)")
        #expect(try home.jimmy.run("search", "chapter:zirconium").records[0].last == "00:01:30 The ‹zirconium› interview")
        #expect(try home.jimmy.run("search", "transcript:zirconium").status == 1)
        #expect(try home.jimmy.run("search", "hidden").status == 1)
        let shown = try home.jimmy.run("show", "Talk 1").output
        #expect(shown.contains("0:00 Welcome") && shown.contains("1:30 The zirconium interview"))
        #expect(shown.contains("12:34 Chapter 3"))
        #expect(
            try home.jimmy.run("show", "Talk 1", "--json").output.contains(
                #""keptChapters":[{"start":0,"title":"Welcome"},{"start":90.5,"title":"The zirconium interview"}"#))
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_PLAYER"] = "sh -c 'echo \"$0\" > \"$HOME/played\"' {start}"
        #expect(try jimmy.run("play", "Talk 1", "--chapter", "2").status == 0)
        #expect(try home.text("played") == "90.5\n")
        #expect(try jimmy.run("play", "Talk 1", "--chapter", "4").errors.contains("the episode has 3 chapters"))
        #expect(try home.jimmy.run("verify").status == 0)
        // The next run asks for nothing.
        home.server.forgetRequests()
        #expect(try home.jimmy.run("refresh", "--chapters").status == 0)
        #expect(home.server.requests.isEmpty)
        // Made again, the index has them too.
        _ = try home.run(script: "rm -rf .cache/jimmy")
        #expect(try home.jimmy.run("search", "zirconium").lines.count == 1)
    }

    @Test func `what is not fetched yet is told`() throws {
        let home = try home()
        let run = try home.jimmy.run("play", "Talk 1", "--chapter", "1")
        #expect(run.status == 1)
        #expect(run.errors.contains("'jimmy refresh --chapters"))
    }

    @Test func `the setting, and each podcast's own`() throws {
        let home = try home()
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_CHAPTERS"] = "all"
        _ = try home.jimmy.run("edit", "Talks", "--chapters", "off")
        #expect(try jimmy.run("refresh", "--all").status == 0)
        #expect(home.server.requests(to: "/c/1.json").isEmpty)
        _ = try home.jimmy.run("edit", "Talks", "--chapters", "on")
        #expect(try home.jimmy.run("refresh", "--all").status == 0)
        #expect(home.server.requests(to: "/c/1.json").count == 1)
        #expect(try home.jimmy.run("config").output.contains("chapters"))
    }

    @Test func `transcripts and chapters do not displace each other`() throws {
        let home = try home(transcript: true)
        #expect(try home.jimmy.run("refresh", "--transcripts").status == 0)
        #expect(try home.jimmy.run("refresh", "--chapters").status == 0)
        for word in ["zirconium", "hafnium"] { #expect(try home.jimmy.run("search", word).lines.count == 1, "\(word)") }
        #expect(try home.jimmy.run("show", "Talk 1", "--transcript").lines.count == 1)
        #expect(try home.run(script: "rm -rf .cache/jimmy").status == 0)
        for word in ["zirconium", "hafnium"] { #expect(try home.jimmy.run("search", word).lines.count == 1, "\(word)") }
        #expect(try home.jimmy.run("search", "has:transcript has:chapters").lines.count == 1)
        // Unsubscribed and taken back, they are there again.
        _ = try home.jimmy.run("unsubscribe", "Talks")
        #expect(try home.jimmy.run("undo").status == 0)
        #expect(try home.jimmy.run("search", "chapter:zirconium").lines.count == 1)
    }

    @Test(.foldersOnly("it looks into the library's files")) func `damage is found, and the next fetch mends it`() throws {
        let home = try home()
        _ = try home.jimmy.run("refresh", "--chapters")
        #expect(try home.run(script: "sed -i s/zirconium/plutonium/ library/transcripts/*/*.chapters.jsonl").status == 0)
        #expect(try home.jimmy.run("verify").status == 65)
        _ = try home.jimmy.run("verify", "--repair")
        #expect(try home.jimmy.run("refresh", "--force", "--chapters").status == 0)
        #expect(try home.jimmy.run("verify").status == 0)
        #expect(try home.jimmy.run("search", "zirconium").lines.count == 1)
    }

    @Test func `a server that fails changes no exit code, and is tried again later`() throws {
        let home = try home(2)
        let run = try home.jimmy.run("refresh", "--chapters", "--json")
        #expect(run.status == 0)
        #expect(run.lines.last?.contains(#""chapters":{"added":1,"replaced":0,"unchanged":0,"failed":1,"waiting":0}"#) == true)
        home.server.forgetRequests()
        _ = try home.jimmy.run("refresh", "--chapters")
        #expect(home.server.requests(to: "/c/2.json").isEmpty)
    }
}
