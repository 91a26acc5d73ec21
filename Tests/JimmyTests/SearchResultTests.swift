import LoopbackServer
import Testing

/// What a search shows besides its hits.
@Suite struct SearchResultTests {
    private func item(_ title: String, _ guid: String, _ enclosure: String, year: Int = 2024) -> String {
        """
        <item><title>\(title)</title><guid>\(guid)</guid><pubDate>01 May \(year) 08:00:00 GMT</pubDate>
        <enclosure url="http://media.example/\(enclosure)" type="audio/mpeg"/></item>
        """
    }

    private func subscribe(_ home: Home, _ title: String, language: String = "en", _ items: [String]) throws {
        let path = "/" + title.lowercased().replacing(" ", with: "-")
        let feed = "<title>\(title)</title><language>\(language)</language>\(items.joined())"
        home.server.on(path, .feed("<rss version=\"2.0\"><channel>\(feed)</channel></rss>"))
        #expect(try home.jimmy.run("subscribe", home.server.url + path).status == 0)
    }

    @Test func `an episode in two podcasts is one row that names both`() throws {
        let home = try Home()
        try subscribe(home, "Harbor Radio", [item("The flood", "a", "a.mp3"), item("The other flood", "b", "b.mp3")])
        try subscribe(home, "The Network", [item("The flood", "a", "a.mp3"), item("A third flood", "c", "c.mp3")])
        let rows = try home.jimmy.run("search", "flood", "--json").lines
        #expect(rows.count == 3)
        let both = try #require(rows.first { $0.contains("alsoIn") })
        #expect(both.contains("\"podcastTitle\":\"Harbor Radio\"") && both.contains("\"podcastTitle\":\"The Network\""))
        #expect(try home.jimmy.run("search", "flood", "--limit", "3").records.count == 3)
        let titles = try home.jimmy.run("search", "flood").records.map { $0[2] }
        #expect(titles.count { $0.contains("Harbor Radio") && $0.contains("The Network") } == 1)
    }

    @Test func `a plain line is read as the parser reads others`() throws {
        let home = try Home()
        try subscribe(home, "Harbor Radio", [item("A storm at night", "a", "a.mp3"), item("Night train", "b", "b.mp3")])
        let lines = [
            ["night"], ["--json", "--limit", "1", "night"], ["--limit", "1", "--", "night", "storm"], ["--", "night", "-storm"],
            [" "], ["--limit", "x", "night"], ["--limit"], ["--library", "", "night"], ["--library", "/nowhere", "night"],
        ]
        for line in lines {
            // An option that plain lines do not have.
            let (plain, parsed) = (try home.jimmy.run(["search"] + line), try home.jimmy.run(["search", "--no-progress"] + line))
            #expect(plain.status == parsed.status, "\(line)")
            #expect(plain.errors == parsed.errors, "\(line)")
            // Scores change with time.
            let outputs = [plain, parsed].map { $0.output.replacing(/"score":[^,]*/, with: "") }
            #expect(outputs[0] == outputs[1], "\(line)")
        }
        #expect(try home.jimmy.run("--json", "search", "night").lines.count == 2)
        #expect(try home.jimmy.run("--limit", "1", "search", "night").status == 64)
    }

    @Test func `a podcast whose title is the query comes first as a podcast`() throws {
        let home = try Home()
        try subscribe(home, "Deep Sea", [item("Whales", "a", "a.mp3")])
        try subscribe(home, "Shore", [item("Deep sea", "b", "b.mp3")])
        let run = try home.jimmy.run("search", "deep", "séa", "--json")
        #expect(run.lines.count == 3)
        #expect(run.lines.first?.hasPrefix("{\"type\":\"podcast\",") ?? false)
        #expect(run.lines.first?.contains("\"title\":\"Deep Sea\"") ?? false)
        #expect(try home.jimmy.run("search", "title:deep", "title:sea", "--json").lines.count == 1)
        #expect(try home.jimmy.run("search", "deep", "--json").lines.allSatisfy { !$0.contains("\"type\":\"podcast\"") })
        let record = try #require(try home.jimmy.run("search", "deep", "sea").records.first)
        #expect(record[2...] == ["Deep Sea", "", ""])
    }

    @Test func `explain names words, fields and age`() throws {
        let home = try Home()
        try subscribe(home, "Harbor Radio", [item("Running a harbor", "a", "a.mp3")])
        let row = try #require(try home.jimmy.run("search", "run", "--json", "--explain").lines.first)
        #expect(row.contains("\"explanation\":{\"freshness\":1."))
        #expect(row.contains("\"words\":\"running\",\"factor\":0.8"))
        #expect(row.contains("\"fields\":[{\"field\":\"title\",\"count\":1}]"))
        #expect(try !home.jimmy.run("search", "run", "--json").output.contains("explanation"))
    }

    @Test func `facets count all matches, not only those that are shown`() throws {
        let home = try Home()
        try subscribe(home, "Harbor Radio", (1...9).map { item("Storm \($0)", "\($0)", "\($0).mp3", year: 2020 + $0 / 5) })
        try subscribe(home, "Hafenfunk", language: "de", [item("Der große Storm", "d", "d.mp3", year: 2019)])
        let run = try home.jimmy.run("search", "storm", "--limit", "2", "--json", "--facets", "podcast,year,language")
        let facets = try #require(run.lines.last)
        #expect(run.lines.count == 3)
        #expect(
            facets.contains(
                "\"year\":[{\"value\":\"2021\",\"count\":5},{\"value\":\"2020\",\"count\":4},{\"value\":\"2019\",\"count\":1}]"))
        #expect(facets.contains("\"title\":\"Harbor Radio\",\"count\":9"))
        #expect(facets.contains("\"language\":[{\"value\":\"en\",\"count\":9},{\"value\":\"de\",\"count\":1}]"))
        #expect(try home.jimmy.run("search", "storm", "--facets", "year").status == 64)
        #expect(try home.jimmy.run("search", "storm", "--json", "--facets", "month").status == 64)
    }

    @Test func `words are found as typed`() throws {
        let home = try Home()
        let titles = [
            "Modern C++ today", "From C to Rust", ".NET at twenty", "The R&amp;B years", "AC/DC live", "Recap of S02E05",
            "Issue #42", "We love 🎉 parties", "#climate now", "With @harborradio",
        ]
        try subscribe(home, "Mixed", titles.enumerated().map { item($1, "\($0)", "\($0).mp3") })
        for (query, title) in [
            ("C++", "Modern C++ today"), (".NET", ".NET at twenty"), ("R&B", "The R&B years"), ("AC/DC", "AC/DC live"),
            ("S02E05", "Recap of S02E05"), ("#42", "Issue #42"), ("🎉", "We love 🎉 parties"), ("#climate", "#climate now"),
            ("@harborradio", "With @harborradio"),
        ] {
            #expect(try home.jimmy.run("search", query).records.map { $0[3] } == [title], "\(query)")
        }
    }

    @Test func `similar names what both have, and exits 1 if nothing is alike`() throws {
        let home = try Home()
        try subscribe(home, "Shore", [item("Lighthouse keepers of Norway", "a", "a.mp3"), item("Bread", "b", "b.mp3")])
        try subscribe(home, "Harbor", [item("The last lighthouse keepers", "c", "c.mp3"), item("Tides", "d", "d.mp3")])
        try subscribe(home, "Network", [item("Lighthouse keepers of Norway", "a", "a.mp3")])
        let run = try home.jimmy.run("similar", "shore/norway", "--json")
        #expect(run.status == 0)
        #expect(run.lines.count == 1)
        #expect(run.output.contains("\"title\":\"The last lighthouse keepers\""))
        #expect(
            run.output.contains("\"terms\":[\"keepers\",\"lighthouse\"]")
                || run.output.contains("\"terms\":[\"lighthouse\",\"keepers\"]"))
        #expect(run.output.contains("\"reason\":\"Both have: "))
        #expect(try home.jimmy.run("similar", "bread").status == 1)
        #expect(try home.jimmy.run("similar", "nothing like that").status == 66)
    }
}
