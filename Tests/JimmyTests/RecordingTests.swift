import Glibc
import LoopbackServer
import Testing

/// `refresh --record`, `refresh --replay` and `jimmy replay`, by the built program.
@Suite struct RecordingTests {
    /// Refreshes and records it, and replays it on copies of the library as it was before: they must be equal.
    @discardableResult
    private func replay(_ home: Home, _ arguments: String...) throws -> String {
        let recording = home.folder + "/run.rec"
        for copy in ["one", "two"] {
            try home.shell("rm -rf \(copy) && cp -a library \(copy)")
        }
        let run = try home.jimmy.run(["refresh", "--record", recording] + arguments)
        #expect(run.status == 0 || run.status == 69, "\(run.errors)")
        let settings = [("one", "concurrency=1", "Asia/Tokyo"), ("two", "concurrency=64", "America/Lima")]
        for (copy, setting, zone) in settings {
            var jimmy = home.jimmy
            jimmy.environment["TZ"] = zone
            let replayed = try jimmy.run(
                "refresh", "--replay", recording, "--library", "\(home.folder)/\(copy)", "--set", setting)
            #expect(replayed.status == 0, "\(replayed.errors)")
            #expect(try home.shell("diff -r library \(copy)") == "")
        }
        return recording
    }

    @Test func aReplayGivesTheSameLibrary() throws {
        let home = try Home()
        for number in 0..<12 { home.server.on("/\(number)", .feed(Home.feed("Feed \(number)", episodes: number + 1))) }
        home.server.on("/moved", .redirect(301, to: "/3?id=9"))
        home.server.on("/other", .redirect(302, to: "/4"))
        home.server.on("/gone", Reply(410))
        home.server.on("/busy", Reply(503, headers: [("Retry-After", "900")]))
        home.server.on("/page", Reply(200, headers: [("Content-Type", "text/html")], body: Array("<html><body>".utf8)))
        home.server.on("/cut", Reply.feed(Home.feed("Cut", episodes: 9)).with { $0.cutAfter = 700 })
        let paths = (0..<12).map(String.init) + ["moved", "other", "gone", "busy", "page", "cut", "missing"]
        _ = try home.jimmy.run(["subscribe", "--no-fetch"] + paths.map { "\(home.server.url)/\($0)" })
        try replay(home, "--concurrency", "7")
        // What changed since, what did not, and what is not due.
        home.server.on("/5", .feed(Home.feed("Feed 5", episodes: 9)))
        try replay(home, "--all")
        try replay(home, "--force")
    }

    @Test func nothingOfASecretIsRecorded() throws {
        let home = try Home()
        let secrets = ["user9name", "p4ssw0rd", "qu3rytok", "p4thtok3n", "r3dirtok", "c00kieval", "s3lftok3n", "n3wfeedtok"]
        let links = """
            <atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="self" href="http://a.example/x?a=1&amp;token=s3lftok3n"/>
            <x:new-feed-url xmlns:x="http://www.itunes.com/dtds/podcast-1.0.dtd">http://127.0.0.1:1/n3wfeedtok</x:new-feed-url>
            """
        let feed = Home.feed(
            "Private", episodes: 3,
            extra: links + "<copyright>qu3rytok p4thtok3n user9name p4ssw0rd r3dirtok</copyright>")
        let cookie = ("Set-Cookie", "session=c00kieval")
        home.server.on("/f/p4thtok3n/feed.xml", Reply(302, headers: [("Location", "/end?key=r3dirtok"), cookie]))
        home.server.on("/end", .feed(feed, headers: [cookie]))
        home.server.on("/public", .feed(Home.feed("Public", episodes: 3, extra: links)))
        home.server.on("/error", Reply(404, headers: [cookie], body: Array("no token=qu3rytok here, p4thtok3n".utf8)))
        let login = home.server.url.replacing("http://", with: "http://user9name:p4ssw0rd@")
        _ = try home.jimmy.run(
            "subscribe", "--no-fetch", "\(login)/f/p4thtok3n/feed.xml?token=qu3rytok", "\(home.server.url)/public",
            "\(login)/error?token=qu3rytok&again=p4thtok3n")
        let recording = try replay(home, "--record-bodies", "all")
        let plain = try home.shell("zstd -dc '\(recording)' | tr -c '[:print:]' '\\n'")
        #expect(plain.contains("redacted-"))
        for secret in secrets { #expect(!plain.contains(secret), "\(secret)") }
        // Basic authentication tells both together.
        #expect(!plain.contains("Authorization"))
    }

    @Test func aKilledRunIsReplayedUpToItsEnd() throws {
        let home = try Home()
        for number in 0..<6 { home.server.on("/\(number)", .feed(Home.feed("Feed \(number)", episodes: 3))) }
        home.server.on("/slow", .hanging)
        _ = try home.jimmy.run(
            ["subscribe", "--no-fetch"] + (0..<6).map { "\(home.server.url)/\($0)" } + ["\(home.server.url)/slow"])
        try home.shell("cp -a library copy")
        // Kills it when the log shows that what came was stored.
        try home.shell(
            """
            jimmy refresh --record run.rec >/dev/null 2>&1 & pid=$!
            for _ in $(seq 300); do [ "$(cat library/podcasts/*.jsonl 2>/dev/null | wc -l)" -ge 24 ] && break; sleep 0.05; done
            sleep 0.3; kill -9 $pid; wait $pid 2>/dev/null
            true
            """)
        let replayed = try home.jimmy.run("refresh", "--replay", home.folder + "/run.rec", "--library", home.folder + "/copy")
        #expect(replayed.status == 0, "\(replayed.errors)")
        #expect(replayed.errors.contains("cut off"))
        #expect(try home.shell("diff -r -x lock -x refresh.lock library copy") == "")
    }

    @Test func oneFeedIsShownExtractedAndReplayed() throws {
        let home = try Home()
        let ids = try ["Alpha", "Beta", "Gamma"].map { try home.subscribe($0) }
        try home.shell("cp -a library copy")
        home.server.on("/beta", .feed(Home.feed("Beta", episodes: 5)))
        let recording = home.folder + "/run.rec"
        _ = try home.jimmy.run("refresh", "--force", "--record", recording)
        let shown = try home.jimmy.run("replay", "show", recording)
        #expect(shown.records.map { $0[0] }.sorted() == ids.sorted())
        #expect(shown.records.allSatisfy { $0[1] == "200" })
        #expect(
            try home.jimmy.run("replay", "show", recording, "--json").output.hasPrefix("{\"type\":\"recording\",\"version\":1"))
        let feed = Home.feed("Beta", episodes: 5)
        #expect(try home.jimmy.run("replay", "extract", recording, "/beta").output == feed)
        #expect(try home.jimmy.run("replay", "show", recording, "--extract", ids[1]).output == feed)
        #expect(try home.jimmy.run("replay", "extract", recording, "nothing").status == 66)

        let copy = home.folder + "/copy"
        let replayed = try home.jimmy.run("refresh", "--replay", recording, "--only", "/beta", "--library", copy)
        #expect(replayed.records.map { $0[1] } == [ids[1]])
        #expect(try home.jimmy.run("episodes", "--library", copy, "Beta").records.count == 5)
    }

    @Test func misuseIsRefused() throws {
        let home = try Home()
        try home.subscribe("Alpha")
        try home.write("nothing", to: "odd.rec")
        let odd = home.folder + "/odd.rec"
        #expect(try home.jimmy.run("refresh", "--replay", odd).status == 64)
        #expect(try home.jimmy.run("refresh", "--replay", odd, "--library", home.library).status == 65)
        #expect(try home.jimmy.run("refresh", "--replay", odd + "x", "--library", home.library).status == 66)
        #expect(try home.jimmy.run("refresh", "--record", odd, "--replay", odd).status == 64)
        #expect(try home.jimmy.run("refresh", "--until", "x").status == 64)
        #expect(try home.jimmy.run("replay", "show", odd).status == 65)
        let bare = home.folder + "/bare.rec"
        _ = try home.jimmy.run("refresh", "--force", "--record", bare, "--record-bodies", "none")
        #expect(try home.jimmy.run("replay", "show", bare).status == 0)
        let refused = try home.jimmy.run("refresh", "--replay", bare, "--library", home.library)
        #expect(refused.status == 65)
        #expect(refused.errors.contains("--record-bodies feeds"))
    }
}

extension Home {
    /// What a command of the shell prints, run in the home's folder, with the built program as `jimmy` on its path.
    @discardableResult
    fileprivate func shell(_ script: String) throws -> String { try run(script: script).output }
}
