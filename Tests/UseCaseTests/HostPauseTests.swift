import Domain
import Library
import LoopbackServer
import Results
import Testing

/// A host that asked for a pause gets it, also from redirects that lead to it.
@Suite struct HostPauseTests {
    @Test func `redirects do not lead to a host that asked for a pause`() async throws {
        let house = try Household()
        let limited = try LoopbackServer(address: "127.0.0.2")
        limited.on("*", Reply(429, headers: [("Retry-After", "3600")]))
        for number in 0..<5 {
            house.server.on("/\(number)", .redirect(302, to: limited.url + "/\(number)"))
            _ = try await house.subscribe("/\(number)", fetching: false)
        }
        let first = try await house.refresh {
            $0.mode = .all
            $0.perHost = 1
        }
        #expect(limited.requests.count == 1)
        #expect(first.summary.count(of: .failed) == 1)
        #expect(first.summary.count(of: .skipped) == 4)
        #expect(first.outcomes.filter { $0.kind == .skipped }.allSatisfy { $0.until == house.now + 3_600 })

        // The next run knows, and a named podcast that is forced asks all the same.
        try await house.refresh()
        #expect(limited.requests.count == 1)
        let podcast = try #require(try await house.podcasts().first { $0.fetch.failure == nil })
        try await house.refresh {
            $0.mode = .force
            $0.podcasts = [podcast.id]
        }
        #expect(limited.requests.count == 2)
    }
    @Test func `a host that answers all the same has ended its pause`() async throws {
        let house = try Household()
        for path in ["/1", "/2"] {
            house.serve(path, title: path, ["a": "One"])
            _ = try await house.subscribe(path)
        }
        house.server.on("*", Reply(429, headers: [("Retry-After", "86400")]))
        house.server.on("/1", Reply(429, headers: [("Retry-After", "86400")]))
        let podcasts = try await house.podcasts()
        let first = try #require(podcasts.first { $0.feedURL.hasSuffix("/1") })
        try await house.refresh {
            $0.mode = .all
            $0.podcasts = [first.id]
        }
        #expect(try await house.refresh().summary.count(of: .skipped) == 2)
        house.serve("/1", title: "/1", ["a": "One", "b": "Two"])
        try await house.refresh {
            $0.mode = .force
            $0.podcasts = [first.id]
        }
        #expect(try await house.refresh().summary.count(of: .skipped) == 0)
        #expect(try await house.library(.read).work.pauses(now: house.now).isEmpty)
    }
}
