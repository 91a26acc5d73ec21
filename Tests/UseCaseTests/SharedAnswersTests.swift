import Domain
import LoopbackServer
import Testing

/// A run fetches each URL once, however many podcasts lead to it.
struct SharedAnswersTests {
    @Test(arguments: [301, 302])
    func `podcasts whose redirects meet share the answer`(status: Int) async throws {
        let house = try Household()
        for path in ["/a", "/b"] { house.server.on(path, .redirect(status, to: "/end")) }
        house.serve("/end", ["1": "One"])
        _ = try await house.subscribe("/a", "/b", "/end", fetching: false)
        let result = try await house.refresh()
        #expect(house.server.requests(to: "/end").count == 1)
        #expect(result.outcomes.count { $0.added.count == 1 } == 3)
        let urls = try await house.podcasts().map(\.feedURL).sorted()
        #expect(urls.count { $0.hasSuffix("/end") } == (status == 301 ? 3 : 1))
    }

    @Test func `a 304 counts for those who hold the same`() async throws {
        let house = try Household()
        house.server.on("/a", .redirect(302, to: "/end"))
        house.serve("/end", ["1": "One"])
        _ = try await house.subscribe("/a", "/end")
        house.server.forgetRequests()
        let result = try await house.refresh()
        #expect(result.outcomes.map(\.kind) == [.notModified, .notModified])
        #expect(house.server.requests(to: "/end").count == 1)
    }

    @Test func `a 304 is no answer for those who hold nothing`() async throws {
        let house = try Household()
        house.serve("/end", ["1": "One"])
        _ = try await house.subscribe("/end")
        house.server.on("/a", .redirect(302, to: "/end"))
        _ = try await house.subscribe("/a", fetching: false)
        let result = try await house.refresh()
        #expect(Set(result.outcomes.map(\.kind)).isSuperset(of: [.updated]))
        #expect(try await house.episodes().count == 2)
    }

    @Test func `redirects in a circle end`() async throws {
        let house = try Household()
        house.server.on("/a", Reply.redirect(302, to: "/b").with { $0.delay = 0.05 })
        house.server.on("/b", Reply.redirect(302, to: "/a").with { $0.delay = 0.05 })
        _ = try await house.subscribe("/a", "/b", fetching: false)
        let result = try await house.refresh()
        #expect(result.outcomes.map { $0.failure?.code } == [.redirect, .redirect])
    }

    @Test func `a failure is shared too`() async throws {
        let house = try Household()
        for path in ["/a", "/b"] { house.server.on(path, .redirect(302, to: "/end")) }
        house.server.on("/end", Reply(500))
        _ = try await house.subscribe("/a", "/b", fetching: false)
        let result = try await house.refresh()
        #expect(result.outcomes.map { $0.failure?.status } == [500, 500])
        #expect(house.server.requests(to: "/end").count == 1)
    }

    @Test func `a server that lies about not modified is found out`() async throws {
        let house = try Household()
        let now = house.now
        func feed(_ count: Int) -> String {
            let items = (0..<count).map { number in
                let date = now - Int64(40 - number) * 86_400
                let p = date.parts
                return
                    "<item><guid>\(number)</guid><title>\(number)</title><pubDate>\(p.year)-\(p.month < 10 ? "0" : "")\(p.month)-\(p.day < 10 ? "0" : "")\(p.day)T00:00:00Z</pubDate></item>"
            }
            return "<rss><channel><title>T</title>\(items.joined())</channel></rss>"
        }
        house.server.on("/a", Reply.feed(feed(5), headers: [("ETag", "\"always\"")]))
        _ = try await house.subscribe("/a")
        let text = feed(6)
        house.server.on("/a") { Reply.feed(text).conditional(on: $0, etag: "\"always\"") }
        var kinds = [RefreshOutcome.Kind]()
        for _ in 0..<6 { kinds += try await house.refresh().outcomes.map(\.kind) }
        #expect(kinds == [.notModified, .notModified, .notModified, .notModified, .updated, .unchanged])
        #expect(try await house.podcasts().first?.fetch.liesAboutNotModified == true)
        #expect(house.server.requests.last?["If-None-Match"] == nil)
    }

    @Test func `a pause is that of the host that asked for it`() async throws {
        let house = try Household()
        let other = try LoopbackServer(address: "127.0.0.2")
        house.server.on("/a", .redirect(302, to: "\(other.url)/busy"))
        other.on("/busy", Reply(429, headers: [("Retry-After", "600")]))
        house.serve("/b", ["1": "One"])
        _ = try await house.subscribe("/a", "/b", fetching: false)
        try await house.refresh {
            $0.perHost = 1; $0.mode = .all
        }
        let again = try await house.refresh()
        #expect(Set(again.outcomes.map(\.kind)) == [.skipped, .notModified])
    }
}
