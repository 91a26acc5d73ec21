import LoopbackServer
import Testing

/// A feed that changed its host: its episodes keep what their owner gave them.
@Suite struct MovedFeedTests {
    static let titles = ["The Fox's Den", "Rain &amp; Wind", "Harbour Lights", "Two Songs", "A Long Walk Home"]

    /// A weekly feed as a host writes it.
    static func feed(host: String, title: (String) -> String = { $0 }, date: (Int) -> String?) -> String {
        let items = titles.indices.reversed().map { index in
            let date = date(index).map { "<pubDate>\($0)</pubDate>" } ?? ""
            return """
                <item><guid>\(host)-\(index)</guid><title>\(title(titles[index]))</title>\(date)
                <enclosure url="https://\(host).example/\(index * 31)/audio.mp3" type="audio/mpeg"/></item>
                """
        }
        return "<rss version=\"2.0\"><channel><title>Walks</title>\(items.joined())</channel></rss>"
    }

    @Test func `tags, queue and ids stay, and nothing is new`() throws {
        let home = try Home()
        let weekly = { (hour: String) in { (index: Int) -> String? in "\(10 + index * 4) May 2024 \(hour) GMT" } }
        home.server.on("/walks", .feed(Self.feed(host: "one", date: weekly("08:00:00"))))
        let podcast = try home.jimmy.run("subscribe", home.server.url + "/walks").records[0][0]
        let ids = try home.jimmy.run("episodes").records.map { $0[0] }
        #expect(ids.count == Self.titles.count)
        #expect(try home.jimmy.run("tag", "+starred", ids[1]).status == 0)
        #expect(try home.jimmy.run("queue", "add", ids[2]).status == 0)

        let versions = [
            Self.feed(host: "two", date: weekly("08:00:01")), Self.feed(host: "three", date: weekly("13:00:01")),
            Self.feed(host: "four", date: { _ in nil }), Self.feed(host: "five", date: { _ in "21 Jun 2024 12:00:00 GMT" }),
            Self.feed(host: "six", title: { $0.replacing("'", with: "’").uppercased() + "." }, date: weekly("08:00:00")),
        ]
        for version in versions {
            home.server.on("/walks", .feed(version))
            let summary = try home.jimmy.run("refresh", "--all", "--json").lines.last ?? ""
            #expect(summary.contains(#""added":0,"changed":5,"withdrawn":0"#), "\(summary)")
        }
        #expect(Set(try home.jimmy.run("episodes").records.map { $0[0] }) == Set(ids))
        #expect(try home.jimmy.run("episodes", "--new").output.isEmpty)
        #expect(try home.jimmy.run("episodes", "--query", "tag:starred").records.map { $0[0] } == [ids[1]])
        #expect(try home.jimmy.run("queue").output.contains(ids[2]))
        #expect(try home.jimmy.run("explain", podcast).output.contains("5 episodes by title"))
        #expect(try home.jimmy.run("show", "--history", ids[0]).output.contains("recognized by its title"))
        #expect(try home.jimmy.run("verify").status == 0)
    }

    @Test func `a bulletin of one item brings an episode every hour`() throws {
        let home = try Home()
        for hour in 8...11 {
            home.server.on(
                "/news",
                .feed(
                    """
                    <rss version="2.0"><channel><title>News</title><item><guid>\(hour)</guid><title>News</title>
                    <pubDate>10 May 2024 \(hour):00:00 GMT</pubDate>
                    <enclosure url="https://news.example/latest.mp3" type="audio/mpeg" length="4800000"/></item></channel></rss>
                    """))
            let run = hour == 8 ? ["subscribe", home.server.url + "/news"] : ["refresh", "--all"]
            #expect(try home.jimmy.run(run).status == 0)
        }
        #expect(try home.jimmy.run("episodes").records.count == 4)
        #expect(try home.jimmy.run("episodes", "--new").records.count == 3)
    }
}
