import Domain
import Library
import LoopbackServer
import Testing
import UseCases

/// What moves a subscription, what does not, and how the user takes a move back.
@Suite struct MoveTests {
    static func pointer(to url: String) -> String {
        "<n:new-feed-url xmlns:n=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">\(url)</n:new-feed-url>"
    }

    private func edit(_ house: Household, feedURL path: String) async throws {
        let library = try await house.library()
        let podcast = try #require(try await library.podcasts.all().first)
        let edit = EditPodcast(library, index: house.index)
        var changes = EditPodcast.Changes()
        changes.feedURL = house.server.url + path
        _ = try await edit(podcast, changes, now: house.now)
    }

    @Test(arguments: [true, false])
    func `a move that the user took back is not made again`(byRedirect: Bool) async throws {
        let house = try Household()
        house.serve("/old", ["1": "One"])
        _ = try await house.subscribe("/old")
        house.serve("/new", ["2": "Two", "1": "One"])
        if byRedirect {
            house.server.on("/old", .redirect(301, to: "/new"))
        } else {
            house.serve("/old", ["1": "One (moved)"], channel: Self.pointer(to: "/new"))
        }
        #expect(try await house.refresh().outcomes.map(\.kind) == [.moved])

        try await edit(house, feedURL: "/old")
        let after = try await house.refresh().outcomes.first
        #expect(after?.kind != .moved && after?.failure == nil)
        #expect(try await house.podcasts().map(\.feedURL) == [house.server.url + "/old"])
        #expect(try await house.episodes().count == 2)

        // Going there after all is the user's to decide.
        try await edit(house, feedURL: "/new")
        #expect(try await house.refresh().outcomes.first?.failure == nil)
        #expect(try await house.podcasts().map(\.feedURL) == [house.server.url + "/new"])
    }

    @Test func `feeds that name each other move nobody`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"])
        _ = try await house.subscribe("/a")
        house.serve("/a", ["2": "Two", "1": "One"], channel: Self.pointer(to: "/b"))
        house.serve("/b", ["2": "Two", "1": "One"], channel: Self.pointer(to: "/a"))
        #expect(try await house.refresh().outcomes.map(\.kind) == [.updated])
        #expect(try await house.podcasts().map(\.feedURL) == [house.server.url + "/a"])
    }

    @Test func `the password goes along on the same server only`() async throws {
        let house = try Household()
        let other = try LoopbackServer(address: "127.0.0.2")
        let feed = Household.feed(title: "Feed", [("1", "One")])
        house.server.on("/a", .feed(feed))
        _ = try await house.subscribe(urls: [house.server.url.replacingScheme(with: "http://me:secret@") + "/a"])
        house.server.on("/b") { $0["Authorization"] == nil ? Reply(401) : .feed(feed) }
        house.server.on("/a", .feed(Household.feed(title: "Feed", [("1", "One")], channel: Self.pointer(to: "/b"))))
        #expect(try await house.refresh().outcomes.map(\.kind) == [.moved])

        other.on("/c", .feed(feed))
        house.server.on("/b", .redirect(301, to: other.url + "/c"))
        #expect(try await house.refresh().outcomes.map(\.kind) == [.moved])
        try await house.refresh()
        #expect(other.requests.count == 2)
        #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
        #expect(try await house.podcasts().allSatisfy { $0.credentials == nil })
    }

    @Test func `the history of moves is bounded`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"])
        _ = try await house.subscribe("/a")
        for number in 0..<30 { try await edit(house, feedURL: "/\(number)") }
        let moves = try #require(try await house.podcasts().first).fetch.moves
        #expect(moves.count == 20)
        #expect(moves.first?.from == house.server.url + "/28")
    }
}

extension String {
    fileprivate func replacingScheme(with start: String) -> String { start + dropFirst("http://".count) }
}
