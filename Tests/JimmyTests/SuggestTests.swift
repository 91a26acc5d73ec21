import Glibc
import LoopbackServer
import Testing

/// `jimmy suggest`: what the owner has not heard, ranked, with reasons.
@Suite struct SuggestTests {
    private func item(_ title: String, daysAgo: Int, _ text: String = "") -> String {
        var time = time(nil) - daysAgo * 86_400
        var parts = tm()
        gmtime_r(&time, &parts)
        var date = [CChar](repeating: 0, count: 64)
        strftime(&date, date.count, "%a, %d %b %Y 00:00:00 GMT", &parts)
        let day = String(decoding: date.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return
            "<item><title>\(title)</title><guid>\(title)</guid><pubDate>\(day)</pubDate><description>\(text)</description></item>"
    }

    private func subscribe(_ home: Home, _ title: String, _ items: [String]) throws {
        let path = "/" + title.replacing(" ", with: "-")
        home.server.on(path, .feed("<rss version=\"2.0\"><channel><title>\(title)</title>\(items.joined())</channel></rss>"))
        #expect(try home.jimmy.run("subscribe", home.server.url + path).status == 0)
    }

    private func titles(_ home: Home, _ arguments: String...) throws -> [String] {
        try home.jimmy.run(["suggest"] + arguments).records.map { $0[3] }
    }

    @Test func `without any history it is the newest of each podcast`() throws {
        let home = try Home()
        // A database begins with its first podcast.
        if Home.usesDatabase { #expect(try home.jimmy.run("subscribe", "--no-fetch", home.server.url).status == 0) }
        let empty = try home.jimmy.run("suggest")
        #expect(empty.status == 1)
        #expect(empty.errors == "Nothing to suggest: there are no unheard episodes.\n")
        try subscribe(home, "Often", (0..<4).map { item("Often \($0)", daysAgo: $0) })
        try subscribe(home, "Rare", [item("Rare 0", daysAgo: 0), item("Rare 1", daysAgo: 60)])
        try subscribe(home, "Old", [item("Old 0", daysAgo: 900)])
        let run = try home.jimmy.run("suggest")
        #expect(run.status == 0)
        #expect(run.records.map { $0[3] } == ["Rare 0", "Often 0", "Old 0"])
        #expect(
            run.records.map { $0[4] } == [
                "Published today; its podcast publishes about every 60 days; the newest of its podcast that you have not heard",
                "Published today; the newest of its podcast that you have not heard",
                "The newest of its podcast that you have not heard",
            ])
        #expect(try titles(home, "--limit", "1") == ["Rare 0"])
        #expect(try titles(home, "--limit", "9223372036854775807").count == 3)
    }

    @Test func `what was starred, played and queued counts, and is not offered again`() throws {
        let home = try Home()
        let keepers = "The lamp of Skerryvore and its keepers in the great storm."
        try subscribe(
            home, "Loved", [item("Loved new", daysAgo: 40), item("Loved old", daysAgo: 47), item("Heard", daysAgo: 50)])
        try subscribe(home, "Strange", [item("Strange new", daysAgo: 40), item("Strange old", daysAgo: 47)])
        try subscribe(home, "Shore", [item("Lighthouse keepers", daysAgo: 400, keepers), item("Sand", daysAgo: 410)])
        try subscribe(
            home, "Harbor", [item("Tides", daysAgo: 300), item("The lamp at Skerryvore", daysAgo: 600, "Keepers in a storm.")])
        let before = try titles(home)
        #expect(before.count == 4)
        let tagged = try home.jimmy.run("tag", "+played", "+starred", "Heard")
        #expect(tagged.status == 0, "\(tagged.errors)")
        _ = try home.jimmy.run("tag", "+starred", "Lighthouse keepers")
        _ = try home.jimmy.run("tag", "+archived", "Strange new")
        _ = try home.jimmy.run("queue", "add", "Sand")
        let run = try home.jimmy.run("suggest", "--json")
        let rows = run.lines.map { line in line.split(separator: "\"title\":\"")[1].prefix { $0 != "\"" } }
        #expect(rows.first == "Lighthouse keepers")
        #expect(Set(rows).isDisjoint(with: ["Heard", "Strange new", "Sand"]))
        #expect(rows.firstIndex(of: "Loved new") ?? 9 < rows.firstIndex(of: "Strange old") ?? 0)
        #expect(rows.firstIndex(of: "The lamp at Skerryvore") ?? 9 < rows.firstIndex(of: "Tides") ?? 0)
        #expect(run.lines[0].contains("\"reason\":\"You starred it"))
        #expect(run.lines[0].contains("\"ownTags\":[\"starred\"]"))
        #expect(run.output.contains("\"reason\":\"You starred 1 and played 1 of its podcast's episodes"))
        #expect(run.output.contains("Like “Lighthouse keepers”: "))
        for line in run.lines { #expect(line.contains("\"score\":") && line.contains("\"reason\":\"")) }
        // Only one of a podcast can be its newest.
        let tides = try #require(run.lines.first { $0.contains("\"title\":\"Tides\"") })
        #expect(tides.contains("newest of its podcast"))
        let older = try #require(run.lines.first { $0.contains("\"title\":\"The lamp at Skerryvore\"") })
        #expect(!older.contains("newest of its podcast"))
    }

    @Test func `what is like a starred episode comes before the second one of a podcast that publishes much`() throws {
        let home = try Home()
        try subscribe(home, "Daily", (0..<6).map { item("Daily \($0)", daysAgo: $0, "News of the day, number \($0).") })
        try subscribe(
            home, "Kiln", [item("Salt glaze", daysAgo: 30, "Salt glaze and celadon from Jingdezhen."), item("Clay", daysAgo: 37)])
        try subscribe(home, "Harbor", [item("Cargo", daysAgo: 50, "Celadon from Jingdezhen in the hold of a wreck.")])
        _ = try home.jimmy.run("tag", "+starred", "+played", "-new", "Salt glaze")
        let rows = try home.jimmy.run("suggest").records
        #expect(rows.prefix(3).map { $0[3] } == ["Clay", "Daily 0", "Cargo"], "\(rows)")
    }

    @Test func `the same library gives the same rows, also with an index made again`() throws {
        let home = try Home()
        // Each pair of rare words stands in two episodes.
        func items(_ show: Int, _ word: String) -> [String] {
            (0..<6).map { number in
                let pair = (6 * show + number) % 15
                return item(
                    "Show \(show) story \(number)", daysAgo: 7 * number + show,
                    "The lamp\(pair) \(word) the keeper\(pair) of the light.")
            }
        }
        for show in 0..<5 { try subscribe(home, "Show \(show)", items(show, "and")) }
        _ = try home.jimmy.run("tag", "+starred", "Show 1 story 2")
        // Replaced episodes leave documents behind that wait to be merged away.
        for (round, word) in ["or", "nor", "in", "of"].enumerated() {
            for show in 0...round {
                home.server.on(
                    "/Show-\(show)",
                    .feed(
                        "<rss version=\"2.0\"><channel><title>Show \(show)</title>\(items(show, word).joined())</channel></rss>"))
            }
            #expect(try home.jimmy.run("refresh", "--all").status == 0)
        }
        for command in [["suggest", "--json", "--limit", "30"], ["similar", "Show 1 story 2", "--json", "--limit", "30"]] {
            let first = try home.jimmy.run(command)
            #expect(first.status == 0, "\(first.errors)")
            #expect(first.lines.count == (command[0] == "suggest" ? 30 : 1))
            #expect(try home.jimmy.run(command).output == first.output)
            #expect(try home.run(script: "rm -rf .cache/jimmy").status == 0)
            #expect(try home.jimmy.run(command).output == first.output)
        }
    }

    @Test func `withdrawn and already heard episodes are never offered`() throws {
        let home = try Home()
        try subscribe(home, "Show", [item("New", daysAgo: 1), item("Gone", daysAgo: 2)])
        home.server.on(
            "/Show", .feed("<rss version=\"2.0\"><channel><title>Show</title>\(item("New", daysAgo: 1))</channel></rss>"))
        #expect(try home.jimmy.run("refresh", "--all").status == 0)
        _ = try home.jimmy.run("tag", "+starred", "Gone")
        #expect(try titles(home) == ["New"])
        _ = try home.jimmy.run("tag", "+played", "New")
        #expect(try home.jimmy.run("suggest").status == 1)
    }
}
