import Glibc
import LoopbackServer
import Testing

/// Feeds that are split into pages (RFC 5005).
@Suite struct ArchiveTests {
    private func page(_ home: Home, _ numbers: ClosedRange<Int>, rel: String = "next", to next: String?, extra: String = "")
        -> Reply
    {
        let items = numbers.reversed().map { number in
            let day = number < 10 ? "0\(number)" : "\(number)"
            return
                "<item><title>Tale \(number)</title><guid>\(number)</guid><pubDate>\(day) May 2024 08:00:00 GMT</pubDate></item>"
        }
        let link = next.map { "<atom:link rel=\"\(rel)\" href=\"\($0)\"/>" } ?? ""
        return .feed(
            "<rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\"><channel><title>Tales</title>\(link)\(extra)"
                + items.joined() + "</channel></rss>")
    }

    /// Four pages of three episodes, newest first.
    private func serve(_ home: Home, rel: String = "next") {
        home.server.on("/feed") { request in
            switch request.target {
            case "/feed": self.page(home, 10...12, rel: rel, to: "/feed?page=2")
            case "/feed?page=2": self.page(home, 7...9, rel: rel, to: "?page=3")
            case "/feed?page=3": self.page(home, 4...6, rel: rel, to: "\(home.server.url)/feed?page=4")
            default: self.page(home, 1...3, rel: rel, to: nil)
            }
        }
    }

    private func titles(_ home: Home) throws -> Set<String> { Set(try home.jimmy.run("episodes").records.map { $0[3] }) }
    private func all(_ numbers: ClosedRange<Int>) -> Set<String> { Set(numbers.map { "Tale \($0)" }) }

    @Test(arguments: ["next", "prev-archive"]) func `subscribe reads the older pages, and refreshes withdraw nothing`(rel: String)
        throws
    {
        let home = try Home()
        serve(home, rel: rel)
        let run = try home.jimmy.run("subscribe", "--archive", home.server.url + "/feed", "--json")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.count == 2)
        #expect(run.lines[1].contains(#""pages":3,"added":9,"changed":0,"complete":true"#))
        #expect(try titles(home) == all(1...12))
        #expect(try home.jimmy.run("episodes", "--new").lines == [])
        #expect(try home.jimmy.run("podcasts").records[0].contains("12"))
        let refreshed = try home.jimmy.run("refresh", "--all", "--json")
        #expect(refreshed.lines.last?.contains(#""withdrawn":0"#) == true)
        // Not even when the first page names no other one any more, and has a new episode.
        home.server.on("/feed", page(home, 11...13, to: nil))
        let later = try home.jimmy.run("refresh", "--all", "--json")
        #expect(later.lines.last?.contains(#""added":1,"changed":0,"withdrawn":0"#) == true)
        #expect(try home.jimmy.run("search", "is:withdrawn").status == 1)
        #expect(try home.jimmy.run("search", "tale").records.count == 13)
        #expect(try home.jimmy.run("verify").status == 0)
    }

    @Test func `an episode that is missing between others of its page is withdrawn`() throws {
        let home = try Home()
        serve(home)
        _ = try home.jimmy.run("subscribe", "--archive", home.server.url + "/feed")
        let first = "<item><title>Tale 10</title><guid>10</guid><pubDate>10 May 2024 08:00:00 GMT</pubDate></item>"
        home.server.on("/feed", page(home, 12...12, to: "/feed?page=2", extra: first))
        #expect(try home.jimmy.run("refresh", "--all", "--json").lines.last?.contains(#""withdrawn":1"#) == true)
        #expect(try home.jimmy.run("search", "is:withdrawn").records.map { $0[3] } == ["Tale 11"])
    }

    @Test func `it goes on where it stopped, and asks for no page twice`() throws {
        let home = try Home()
        serve(home)
        let first = try home.jimmy.run("subscribe", "--archive", "--max-pages", "1", home.server.url + "/feed")
        #expect(first.status == 0)
        #expect(first.errors.contains("there are more pages"))
        #expect(try titles(home) == all(7...12))
        home.server.on("/feed?page=4", Reply(500))
        home.server.forgetRequests()
        let second = try home.jimmy.run("refresh", "--archive", "Tales")
        #expect(second.status == 0, "\(second.errors)")
        #expect(home.server.requests.map(\.target) == ["/feed", "/feed?page=3", "/feed?page=4"])
        #expect(try titles(home) == all(1...12))
        // All is there: the first older page says nothing new, and that is enough.
        home.server.forgetRequests()
        #expect(try home.jimmy.run("refresh", "--archive", "Tales").status == 0)
        #expect(home.server.requests.map(\.target) == ["/feed", "/feed?page=2"])
        home.server.forgetRequests()
        #expect(try home.jimmy.run("refresh", "--archive", "--force", "Tales").status == 0)
        #expect(home.server.requests.count == 4)
    }

    @Test func `a page that fails is told, and the next run goes on with it`() throws {
        let home = try Home()
        home.server.on("/feed") { request in
            request.target == "/feed" ? self.page(home, 10...12, to: "/two") : Reply(404)
        }
        home.server.on("/two", page(home, 7...9, to: "/three"))
        home.server.on("/three", Reply(503))
        let run = try home.jimmy.run("subscribe", "--archive", home.server.url + "/feed")
        #expect(run.status == 1)
        #expect(run.errors.contains("jimmy: Tales: "))
        #expect(try titles(home) == all(7...12))
        home.server.on("/three", page(home, 4...6, to: nil))
        home.server.forgetRequests()
        #expect(try home.jimmy.run("refresh", "--archive", "Tales").status == 0)
        #expect(!home.server.requests.contains { $0.path == "/two" })
        #expect(try titles(home) == all(4...12))
    }

    @Test func `circles end, and pages that are all the same`() throws {
        let home = try Home()
        home.server.on("/feed", page(home, 10...12, to: "/two"))
        home.server.on("/two", page(home, 7...9, to: "/three"))
        home.server.on("/three", page(home, 4...6, to: "/two"))
        let run = try home.jimmy.run("subscribe", "--archive", home.server.url + "/feed")
        #expect(run.status == 0)
        #expect(run.errors.contains("loop"))
        #expect(home.server.requests.count == 3)
        let other = try Home()
        other.server.on("/feed") { request in
            let number = Int(request.target.split(separator: "=").last ?? "") ?? 1
            return self.page(other, 1...3, to: "/feed?page=\(number + 1)")
        }
        #expect(try other.jimmy.run("subscribe", "--archive", other.server.url + "/feed").status == 0)
        #expect(other.server.requests.count <= 3)
    }

    @Test func `what cannot be meant is refused`() throws {
        let home = try Home()
        #expect(try home.jimmy.run("refresh", "--archive").status == 64)
        #expect(try home.jimmy.run("refresh", "--max-pages", "3").status == 64)
        home.server.on("/feed", page(home, 1...3, to: nil))
        #expect(try home.jimmy.run("subscribe", "--archive", home.server.url + "/feed").status == 0)
        #expect(home.server.requests.count == 1)
    }
}
