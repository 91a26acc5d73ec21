import DatabaseServer
import LoopbackServer
import ProgramSupport
import Testing

/// A search finds and shows the same, in the same order, in a database as in the folder that was copied into it.
@Suite(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
struct SearchInDatabaseTests {
    /// Options and words as a shell reads them.
    private static let queries = """
        radio | sea | lighthouse | lighthouse keeper | keepers | keeping | "the lighthouse" | "night radio" | night radio | radio sea
        light* | k* | radio* sea | title:radio | title:"night radio" | podcast:harbor | author:ada | person:bob | tag:history | -radio sea
        radio -sea | sea OR storm | '(sea OR storm) -radio' | storm OR reactor | NOT radio | title:sea -title:2 | wi-fi | wifi | livestream | live stream
        cafe | café | straße | strasse | 地図 | 図書館 | 図 | 책을 | книги | libro | libros
        after:2024-05-03 | before:2024-05-03 | sea after:2024-05-02 before:2024-05-05 | longer:10m | shorter:10m | season:2 | type:trailer | has:transcript | has:chapters | is:withdrawn
        is:starred | -is:starred sea | in:queue | tag:loved OR in:queue | reactor | transcript:reactor | chapter:boilers | is:new | raido | lighthuose
        --sort date sea | --sort oldest sea | --sort oldest before:2030-01-01 | --limit 2 sea | --podcast Harbor sea | --facets podcast,year,language sea | --since 2024-05-04 sea | --all sea | --explain lighthouse sea | Harbor
        harvest | harvest moon | "harvest moon" | harv* moon | title:harvest | harvest -moon | harvest OR moon | almanac harvest | --limit 90 harvest | --limit 3 moon harvest
        --sort date harvest | --sort oldest harvest | --sort date "harvest moon" | harvest longer:5m | --facets year harvest | --explain --limit 2 harvest
        """.split { $0 == "|" || $0 == "\n" }.map { $0.trimmingPrefix { $0 == " " } }

    /// More of them, the same each time, made of words, fields and operators.
    private static var random: [String] {
        var seed: UInt64 = 48
        func next<Value>(_ values: [Value]) -> Value {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return values[Int(seed >> 33) % values.count]
        }
        let words = [
            "harvest", "moon", "tide", "frost", "seed", "barn", "wheat", "sea", "radio", "night", "lighthouse", "keeper", "storm",
            "day", "cafe", "libro", "harv*", "li*", "\\\"harvest moon\\\"", "\\\"night radio\\\"", "after:2024-05-09",
            "longer:5m", "is:starred", "podcast:almanac",
        ]
        return (0..<200).map { _ in
            (0..<next([1, 1, 2, 2, 3, 4])).map { number in
                (number > 0 ? next(["", "", "", "OR ", "-"]) : "") + next(["", "", "", "title:"])
                    + next(words)
            }.joined(separator: " ")
        }
    }

    private static func feed(_ title: String, _ items: [String], language: String = "en") -> String {
        """
        <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0">
        <channel><title>\(title)</title><language>\(language)</language><itunes:author>Ada Lovelace</itunes:author>
        \(items.enumerated().map { item($0 + 1, $1, of: title) }.joined())</channel></rss>
        """
    }

    private static func item(_ number: Int, _ text: String, of podcast: String) -> String {
        // No two are of the same second: the order of such is each library's own.
        let second = podcast.utf8.reduce(0) { ($0 * 31 + Int($1)) % 85_999 } + number
        let time = [second / 3_600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        let day = number % 28 + 1
        return """
            <item><guid>\(number)</guid><pubDate>\(day) May 2024 \(time.joined(separator: ":")) GMT</pubDate>\(text)</item>
            """
    }

    private static func titled(_ title: String, _ text: String, _ more: String = "") -> String {
        "<title>\(title)</title><description>\(text)</description>\(more)"
    }

    /// One of more episodes than a search looks at if their terms already tell which are the best.
    private static func day(_ number: Int) -> String {
        let words = ["harvest", "moon", "tide", "frost", "seed", "barn", "wheat"]
        let text = (0..<8 + number % 23).map { words[(number * 7 + $0 * $0 * (number % 5 + 1)) % (3 + number % 5)] }
        return titled(
            number % 9 == 0 ? "Harvest \(number)" : "Day \(number)", text.joined(separator: " "),
            "<itunes:duration>\(number * 3)</itunes:duration>")
    }

    /// Texts of many languages, and what is looked for in them.
    private static func samples() throws -> [(name: String, texts: [String], queries: [String])] {
        let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Fixtures/search"
        var samples: [(name: String, texts: [String], queries: [String])] = []
        for name in try Scripts.names(in: folder) where name.hasSuffix(".txt") {
            let lines = try String(reading: "\(folder)/\(name)").split(separator: "\n")
            samples.append(
                (
                    String(name.dropLast(4)), lines.filter { !"+-#".contains($0.first ?? "#") }.map(String.init),
                    lines.filter { $0.hasPrefix("+ ") }.map { String($0.dropFirst(2)) }
                ))
        }
        return samples.sorted { $0.name < $1.name }
    }

    private func library() throws -> (Home, queries: [String]) {
        let home = try Home(database: nil)
        let url = home.server.url
        home.server.on("/talk.vtt", .feed("WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ada>The reactor hummed.\n", type: "text/vtt"))
        home.server.on(
            "/chapters.json",
            .feed(#"{"version":"1.2.0","chapters":[{"startTime":5,"title":"Boilers"}]}"#, type: "application/json+chapters"))
        var feeds = [
            Self.feed(
                "Harbor Radio",
                [
                    Self.titled(
                        "Lighthouse keepers", "What keeping a light by the sea is like.",
                        "<itunes:duration>2000</itunes:duration>"),
                    Self.titled("The lighthouse", "Night radio from the harbor; a live stream of the storm."),
                    Self.titled("Sea 2", "A keeper speaks.", "<itunes:season>2</itunes:season><category>history</category>"),
                    Self.titled("Trailer", "Soon: storms.", "<itunes:episodeType>trailer</itunes:episodeType>"),
                    Self.titled(
                        "Reactors", "No sea at all.",
                        #"<podcast:transcript url="\#(url)/talk.vtt" type="text/vtt"/>"#
                            + #"<podcast:chapters url="\#(url)/chapters.json" type="application/json+chapters"/>"#
                            + "<podcast:person>Bob Noyce</podcast:person>"),
                ]),
            Self.feed(
                "Night Radio", (1...9).map { Self.titled("Night \($0)", "Wi-Fi and livestreams, part \($0): radio, sea.") }),
            Self.feed(
                "Harbor",
                [Self.titled("Café", "Un café por la mañana, libros y un libro."), Self.titled("Strasse", "Die Straße am Meer.")]),
            Self.feed(
                "夜の図書館",
                [
                    Self.titled("地図の話", "図書館で地図を読む。"), Self.titled("책", "책을 읽는 사람"),
                    Self.titled("Книги", "О книгах и море"),
                ]),
        ]
        feeds.append(Self.feed("Almanac", (1...250).map(Self.day)))
        var queries = Self.queries.map(String.init) + Self.random
        for (name, texts, wanted) in try Self.samples() {
            let escaped = texts.map { $0.replacing("&", with: "&amp;").replacing("<", with: "&lt;") }
            let items = escaped.enumerated().map { Self.titled("\(name) \($0 + 1)", $1) }
            feeds.append(Self.feed(name, items, language: String(name.prefix(2))))
            for (number, query) in wanted.enumerated() where number % 16 == 0 && !query.contains("'") {
                queries.append("'\(query)'")
            }
        }
        for (number, feed) in feeds.enumerated() { home.server.on("/\(number)", .feed(feed)) }
        let run = try home.jimmy.run(["subscribe"] + feeds.indices.map { "\(url)/\($0)" })
        guard run.status == 0 else { throw TestFailure(run.errors) }
        // One episode is withdrawn, one is archived.
        home.server.on("/1", .feed(feeds[1].replacing("<guid>9</guid>", with: "<guid>10</guid>")))
        for command in [
            ["refresh", "--all"], ["refresh", "--transcripts", "--chapters"], ["tag", "+starred", "harbor radio/sea"],
            ["tag", "+loved", "night radio/night 3"], ["queue", "add", "harbor radio/trailer"],
            ["tag", "+archived", "night radio/night 4"],
        ] { _ = try home.jimmy.run(command) }
        return (home, queries)
    }

    @Test func `hundreds of queries find the same in the same order`() throws {
        let (home, queries) = try library()
        #expect(queries.count > 100)
        let address = try #require(PostgresServer.shared).newLibrary()
        try home.write(queries.joined(separator: "\n") + "\n", to: "queries")
        let run = try home.run(
            script: """
                jimmy library copy library '\(address)' || exit 1
                # The folder's index was written by several runs.
                rm -rf .cache
                ask() {
                    set -f
                    while read -r query; do
                        echo "# $query"
                        case $query in --*) ;; *) query="-- $query";; esac
                        eval "jimmy --library '$1' search $query" 2>&1
                        eval "jimmy --library '$1' search --json $query" 2>&1
                        printf . >&2
                    done < queries | sed -E 's/"(score|freshness)":[-0-9.e]+/"\\1":0/g; s/"transcriptFile":"[^"]*"//
                        s/score [0-9.]+//; s/[0-9.]+ for its age//; s/(Did you mean|Results for) ‘[^’]*’/\\1/'
                }
                # Scores follow the time of the search; with or without accents, a suggested word is found alike.
                ask library > here; ask '\(address)' > there
                diff here there > differences || { head -60 differences; exit 1; }
                [ "$(grep -vc '^#' here)" -gt 2000 ] || { echo "few hits"; exit 1; }
                for episode in 'harbor radio/sea' 'night radio/night 2'; do jimmy similar "$episode"; done > here
                for episode in 'harbor radio/sea' 'night radio/night 2'; do jimmy --library '\(address)' similar "$episode"; done > there
                diff here there || exit 1
                jimmy suggest > here; jimmy --library '\(address)' suggest > there
                diff here there || exit 1
                jimmy tag +seen --query 'sea OR radio'; jimmy --library '\(address)' tag +seen --query 'sea OR radio'
                jimmy tag --dump > here; jimmy --library '\(address)' tag --dump > there
                diff here there
                """)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    @Test func `what changes is found, and what is gone is not`() throws {
        let home = try Home(database: try #require(PostgresServer.shared).newLibrary())
        try home.subscribe("Night Radio", episodes: 2)
        try home.subscribe("Deep Sea", episodes: 2)
        func matchCount(_ query: String) throws -> Int { try home.jimmy.run("search", query).lines.count }
        #expect(try matchCount("podcast:sea") == 2 && matchCount("lantern") == 0)
        home.server.on("/deep-sea", .feed(Home.feed("Deep Sea", episodes: 3).replacing("All about", with: "A lantern and")))
        #expect(try home.jimmy.run("refresh", "--all").status == 0)
        #expect(try matchCount("lantern") == 3 && matchCount("podcast:sea") == 3)
        #expect(try home.jimmy.run("edit", "Deep Sea", "--title", "Abyss").status == 0)
        #expect(try matchCount("podcast:abyss") == 3)
        #expect(try home.jimmy.run("unsubscribe", "Abyss").status == 0)
        #expect(try matchCount("lantern") == 0)
        #expect(try home.jimmy.run("undo").status == 0)
        #expect(try matchCount("lantern") == 3 && matchCount("podcast:abyss") == 3)
        #expect(try home.jimmy.run("verify", "--repair").status == 0)
        #expect(try matchCount("lantern") == 3 && matchCount("lanterns") == 3)
    }

    @Test func `a library made anew at the same address finds nothing of the earlier one`() throws {
        let address = try #require(PostgresServer.shared).newLibrary()
        let home = try Home(database: address)
        let id = try home.subscribe("Night Radio", episodes: 3)
        #expect(try home.jimmy.run("search", "title:radio").lines.count == 3)
        let schema = PostgresServer.schema(of: address)
        let drop = "psql -qAtX '\(address.prefix { $0 != "?" })' -c 'DROP SCHEMA \(schema) CASCADE'"
        #expect(try home.run(script: drop).status == 0)
        #expect(try home.subscribe("Night Radio", episodes: 1) == id)
        #expect(try home.jimmy.run("search", "title:radio").lines.count == 1)
    }

    @Test func `each machine follows the library, and needs no right to write`() throws {
        let server = try #require(PostgresServer.shared)
        let address = server.newLibrary()
        let home = try Home(database: address)
        try home.subscribe("Night Radio", episodes: 2)
        let schema = PostgresServer.schema(of: address)
        let run = try home.run(
            script: """
                machine() { XDG_CACHE_HOME="$PWD/$1" jimmy "${@:2}"; }
                psql -qAtX '\(address.prefix { $0 != "?" })' -c 'CREATE ROLE reader\(schema) LOGIN;
                    GRANT USAGE ON SCHEMA \(schema) TO reader\(schema);
                    GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO reader\(schema)' || exit 1
                for name in one two; do machine $name search sea | wc -l; done
                machine three --library '\(address.replacing("jimmy@", with: "reader\(schema)@"))' search sea | wc -l
                # What one changes, the others find.
                machine one edit 'Night Radio' --title Lantern
                for name in one two; do machine $name search podcast:lantern | wc -l; done
                machine three --library '\(address.replacing("jimmy@", with: "reader\(schema)@"))' search podcast:lantern | wc -l
                machine two unsubscribe Lantern
                machine one search podcast:lantern | wc -l
                # A worker indexes nothing unless it is told to.
                machine four refresh --all > output; ls four 2> errors
                machine one status --json | grep -o '"index":"current"'
                """)
        #expect(
            run.lines.filter { !$0.contains("Lantern") } == ["2", "2", "2", "2", "2", "2", "0", #""index":"current""#],
            "\(run.output)\(run.errors)")
    }

    @Test func `an index that was being made when its process was killed is continued`() throws {
        let home = try Home(database: try #require(PostgresServer.shared).newLibrary())
        let feed = Self.feed("Almanac", (1...1_500).map(Self.day))
        for number in 1...4 {
            home.server.on("/\(number)", .feed(feed.replacing("Almanac", with: "Almanac \(number)")))
            #expect(try home.jimmy.run("subscribe", "\(home.server.url)/\(number)").status == 0)
        }
        let run = try home.run(
            script: """
                jimmy search --json --limit 50 harvest moon > whole
                for after in 0.01 0.03 0.05 0.1 0.15 0.2 0.3 0.4; do
                    rm -rf .cache
                    timeout -s KILL $after jimmy search harvest moon > output 2>&1
                    jimmy search --wait --json --limit 50 harvest moon > again || exit 1
                    for file in whole again; do sed -E 's/"(score|freshness)":[-0-9.e]+//g' $file > $file.sed; done
                    cmp whole.sed again.sed || exit 1
                done
                """)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    @Test func `much that is missing is left out and named, unless the search waits`() throws {
        let home = try Home(database: try #require(PostgresServer.shared).newLibrary())
        try home.subscribe("Night Radio", episodes: 2)
        #expect(try home.jimmy.run("search", "harvest").lines.isEmpty)
        home.server.on("/almanac", .feed(Self.feed("Almanac", (1...1_500).map(Self.day))))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/almanac").status == 0)
        let partial = try home.jimmy.run("search", "harvest")
        #expect(partial.lines.isEmpty && partial.errors.contains("1 podcast is not indexed yet"), "\(partial.errors)")
        #expect(try home.jimmy.run("export", "csv", "harvest", "--limit", "30").lines.count == 31)
        let whole = try home.jimmy.run("search", "harvest")
        #expect(whole.lines.count == 20 && !whole.errors.contains("not indexed"), "\(whole.errors)")
        #expect(try home.run(script: "rm -rf .cache").status == 0)
        #expect(try home.jimmy.run("tag", "+seen", "--query", "title:harvest").status == 0)
        #expect(try home.jimmy.run("search", "--wait", "tag:seen", "--limit", "2000").lines.count > 100)
    }
}
