import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// `jimmy import`, with files made by the other programs.
@Suite struct ImportTests {
    private static func has(_ program: String) -> Bool { access("/usr/bin/" + program, X_OK) == 0 }

    private func home() throws -> Home {
        let home = try Home()
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 3)))
        return home
    }

    private func titles(_ jimmy: Program, _ query: String) throws -> [String] {
        try jimmy.run("episodes", "--query", query).records.map { $0[3] }.sorted()
    }

    /// What the databases below have in common.
    private func expectHarbor(_ home: Home, _ imported: Run) throws {
        let jimmy = home.jimmy
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.records.map { $0[0] } == ["added"])
        #expect(imported.errors.contains("1 added, 0 already subscribed."), "\(imported.errors)")
        #expect(imported.errors.contains(" for the first fetch: 'jimmy refresh'."), "\(imported.errors)")
        #expect(try jimmy.run("refresh").status == 0)
        #expect(try titles(jimmy, "is:played") == ["Harbor 1"])
        #expect(try jimmy.run("tag", "--dump").output.contains("+played "))
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test(.enabled(if: has("gpo"), "gpodder is not installed")) func `a database of gPodder is taken over`() throws {
        let home = try home()
        let made = try home.run(
            script: """
                gpo -q subscribe '\(home.server.url)/harbor' >/dev/null 2>&1 || exit 9
                /usr/bin/python3 - <<'END' >/dev/null 2>&1
                import gpodder
                gpodder.prefix = '/usr'
                import gpodder.core
                core = gpodder.core.Core()
                for podcast in core.model.get_podcasts():
                    podcast.section = 'evening'
                    podcast.save()
                    for episode in podcast.get_all_episodes():
                        if episode.title == 'Harbor 1':
                            (episode.is_new, episode.last_playback) = (False, 1700000000)
                        if episode.title == 'Harbor 2':
                            (episode.is_new, episode.archive) = (False, True)
                            (episode.total_time, episode.current_position) = (1000, 100)
                            episode.current_position_updated = 1700000000
                        episode.save()
                core.shutdown()
                END
                sha256sum gPodder/Database
                """)
        try #require(made.status == 0, "\(made.errors)")
        let imported = try home.jimmy.run("import", home.folder + "/gPodder/Database")
        #expect(imported.errors.contains("3 episodes: 1 new, 1 played, 1 starred, 1 begun."), "\(imported.errors)")
        try expectHarbor(home, imported)
        #expect(try home.run(script: "sha256sum gPodder/Database; ls gPodder").output.hasPrefix(made.output))
        #expect(try titles(home.jimmy, "is:starred") == ["Harbor 2"])
        #expect(try titles(home.jimmy, "is:new") == ["Harbor 3"])
        #expect(try titles(home.jimmy, "tag:evening").count == 3)
        #expect(try home.jimmy.run("tag", "--dump").output.contains("+starred position=100/1000 heard=2023-11-14T22:13:20Z"))
        #expect(try home.jimmy.run("next").records.map { $0[3] } == ["Harbor 2"])
    }

    @Test(.enabled(if: has("newsboat"), "newsboat is not installed")) func `newsboat's cache and urls are taken over`() throws {
        let home = try home()
        let made = try home.run(
            script: """
                printf '%s\\n' '# mine' '\(home.server.url)/harbor sea "~My Harbor" "in the evening"' 'exec:cat' '' > urls
                run="newsboat -u urls -c cache.db -C /dev/null"
                $run -x reload >/dev/null 2>&1 || exit 9
                echo Harbor-1 > read
                $run -I read >/dev/null
                """)
        try #require(made.status == 0, "\(made.errors)")
        try expectHarbor(home, home.jimmy.run("import", home.folder + "/cache.db"))
        let listed = try home.jimmy.run("import", home.folder + "/urls")
        #expect(listed.status == 1)
        #expect(listed.records.map { $0[0] } == ["known"])
        #expect(listed.errorLines.contains("jimmy: \(home.folder)/urls, line 3: not taken, because it is no feed URL: exec:cat"))
        var other = home.jimmy
        other.environment["JIMMY_LIBRARY"] = home.folder + "/other"
        let first = try other.run(["import", "-"], input: home.text("urls"))
        #expect(first.records.map { $0[2] } == ["My Harbor"])
        #expect(try other.run("podcasts", "--json").output.contains(#""tags":["sea","in the evening"]"#))
    }

    /// The tables that AntennaPod 3 exports, as far as jimmy reads them, with what its user did.
    private func antennaPod(_ url: String) -> String {
        """
        CREATE TABLE Feeds (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, custom_title TEXT, download_url TEXT,
          username TEXT, password TEXT, keep_updated INTEGER DEFAULT 1, feed_playback_speed REAL DEFAULT -1,
          feed_skip_intro INTEGER DEFAULT 0, feed_skip_ending INTEGER DEFAULT 0, tags TEXT, state INTEGER DEFAULT 0);
        CREATE TABLE FeedItems (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, pubDate INTEGER, read INTEGER, link TEXT,
          feed INTEGER, item_identifier TEXT);
        CREATE TABLE FeedMedia (id INTEGER PRIMARY KEY AUTOINCREMENT, duration INTEGER, download_url TEXT,
          downloaded INTEGER, position INTEGER, playback_completion_date INTEGER, feeditem INTEGER, last_played_time INTEGER);
        CREATE TABLE Queue (id INTEGER PRIMARY KEY, feeditem INTEGER, feed INTEGER);
        CREATE TABLE Favorites (id INTEGER PRIMARY KEY AUTOINCREMENT, feeditem INTEGER, feed INTEGER);
        INSERT INTO Feeds VALUES (1, 'Harbor', 'My Harbor', '\(url)/harbor', NULL, NULL, 1, 1.4, 45, 30,
          '#root' || char(30) || 'sea', 0);
        INSERT INTO Feeds VALUES (2, 'Tapes', NULL, 'antennapod_local:/tapes', NULL, NULL, 1, -1, 0, 0, NULL, 0);
        INSERT INTO Feeds VALUES (3, 'Looked at', NULL, '\(url)/other', NULL, NULL, 1, -1, 0, 0, NULL, 1);
        INSERT INTO FeedItems VALUES (1, 'Harbor 1', 1, 1, NULL, 1, 'Harbor-1'), (2, 'Harbor 2', 2, 0, NULL, 1, 'Harbor-2'),
          (3, 'Harbor 3', 3, -1, NULL, 1, NULL), (4, 'Gone', 3, 1, NULL, 1, NULL);
        INSERT INTO FeedMedia VALUES (1, 60000, 'x', 0, 60000, 1700000000000, 1, 1700000000000),
          (2, 1000000, 'y', 1, 100500, 0, 2, 1700000000000), (3, 0, 'http://media.example/3.mp3', 0, 0, 0, 3, 0);
        INSERT INTO Queue VALUES (0, 3, 1), (1, 2, 1);
        INSERT INTO Favorites VALUES (1, 2, 1);
        """
    }

    private func database(_ home: Home, _ statements: String) throws {
        try home.write(statements, to: "statements")
        let made = try home.run(
            script: "/usr/bin/python3 -c 'import sqlite3; c = sqlite3.connect(\"pod.db\"); "
                + "c.executescript(open(\"statements\").read()); c.commit()'")
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test func `a database of AntennaPod is taken over, and undone as one`() throws {
        let home = try home()
        let jimmy = home.jimmy
        try database(home, antennaPod(home.server.url))
        let imported = try jimmy.run("import", home.folder + "/pod.db")
        #expect(imported.status == 1)
        #expect(
            imported.errorLines.filter { $0.hasPrefix("jimmy: ") } == [
                "jimmy: Tapes: not taken, because it is a folder on the other device",
                "jimmy: Harbor: Gone: not taken, because it has neither a guid nor a media URL",
            ])
        #expect(imported.errors.contains("3 episodes: 1 new, 1 played, 1 starred, 2 queued, 1 begun."), "\(imported.errors)")
        #expect(imported.errors.contains("1 downloaded file not taken"))
        #expect(try jimmy.run("podcasts", "--json").output.contains(#""title":"My Harbor""#))
        let waiting = try jimmy.run("tag", "--dump").lines
        #expect(waiting.count == 3)
        _ = try jimmy.run("refresh")
        #expect(try jimmy.run("queue").records.map { $0[4] } == ["Harbor 3", "Harbor 2"])
        #expect(try titles(jimmy, "is:starred") == ["Harbor 2"])
        #expect(try titles(jimmy, "is:played") == ["Harbor 1"])
        #expect(try jimmy.run("tag", "--dump").output.contains("+starred position=100.5/1000 heard=2023-11-14T22:13:20Z"))
        let again = try jimmy.run("import", home.folder + "/pod.db")
        #expect(again.records.map { $0[0] } == ["known"])
        #expect(try jimmy.run("queue").lines.count == 2)
    }

    @Test func `an import is undone and done again as one`() throws {
        let home = try home()
        let jimmy = home.jimmy
        try database(home, antennaPod(home.server.url))
        _ = try jimmy.run("import", home.folder + "/pod.db")
        let (podcasts, waiting) = (try jimmy.run("podcasts", "--json").output, try jimmy.run("tag", "--dump").output)
        for _ in 0..<2 {
            #expect(try jimmy.run("undo").output.hasPrefix("import\tunsubscribed from My Harbor"))
            #expect(try jimmy.run("podcasts").output == "")
            #expect(try jimmy.run("tag", "--dump").output == "")
            #expect(try jimmy.run("redo").status == 0)
            #expect(try jimmy.run("podcasts", "--json").output == podcasts)
            #expect(try jimmy.run("tag", "--dump").output == waiting)
        }
        _ = try jimmy.run("refresh")
        #expect(try jimmy.run("queue").lines.count == 2)
    }

    @Test func `lists of other programs are taken over`() throws {
        let home = try home()
        let list = """
            <opml version="1.0"><head><title>Pocket Casts Feeds</title></head><body><outline text="feeds">
            <outline type="rss" text="Harbor" xmlUrl="\(home.server.url)/harbor"/></outline></body></opml>
            """
        let imported = try home.jimmy.run(["import", "--refresh", "-"], input: list)
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(try home.jimmy.run("episodes").lines.count == 3)
        #expect(try home.jimmy.run("undo").output.hasPrefix("import\tunsubscribed from Harbor"))
    }

    @Test func `what cannot be imported is refused in one line`() throws {
        let home = try home()
        try database(home, "CREATE TABLE other (id INTEGER)")
        _ = try home.run(script: "printf 'SQLite format 3\\0' > broken.db; head -c 4096 /dev/urandom >> broken.db; mkdir folder")
        try home.write("just words\n", to: "words")
        for (file, input, status) in [
            ("pod.db", nil, Int32(65)), ("broken.db", nil, 65), ("words", nil, 65), ("missing", nil, 66), ("folder", nil, 66),
            ("-", "", 65), ("-", "SQLite format 3\0", 64), ("-", "<html></html>", 65),
        ] as [(String, String?, Int32)] {
            let run = try home.jimmy.run(["import", file == "-" ? file : home.folder + "/" + file], input: input ?? "")
            #expect(run.status == status, "\(file) \(input ?? ""): \(run.errors)")
            #expect(run.errorLines.count == 1 && run.errors.hasPrefix("jimmy: "), "\(run.errors)")
        }
        #expect(try home.jimmy.run("import").status == 64)
        #expect(try home.jimmy.run("podcasts").output == "")
    }
}
