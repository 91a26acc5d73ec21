import Domain
import Downloads
import Fetching
import Library
import LoopbackServer
import Results
import Testing
import UseCases

/// What a failed download makes wait, and what not.
@Suite struct DownloadWaitTests {
    private func house() async throws -> Household {
        let house = try Household()
        house.server.on(
            "/feed",
            .feed(
                """
                <rss version="2.0"><channel><title>Cast</title><item><title>One</title><guid>1</guid>
                <enclosure url="\(house.server.url)/1.mp3" type="audio/mpeg"/></item></channel></rss>
                """))
        _ = try await house.subscribe("/feed")
        return house
    }

    private func download(_ house: Household) async throws -> DownloadSummary {
        let library = try await house.library()
        let name = try #require(MediaName(MediaName.usual))
        let download = DownloadEpisodes(
            library, fetcher: CurlFetcher(userAgent: "jimmy-test"), files: MediaFolder(), clock: { house.now })
        let podcasts = try await library.podcasts.all()
        let episodes = try await house.episodes().map { ListedEpisode(podcast: podcasts[0], episode: $0, tags: []) }
        return try await download(
            episodes, DownloadEpisodes.Options(folder: house.folder + "/audio", name: name),
            Politeness(slotsPerHost: 2) { house.now }
        ) { _ in }
    }

    @Test func `a download that failed while the clock stood years ahead is tried again`() async throws {
        let house = try await house()
        house.pass(hours: 24 * 365 * 4)
        house.server.on("/1.mp3", Reply(503))
        #expect(try await download(house).failed == 1)
        #expect(try await download(house).skipped == 1)
        house.pass(hours: -24 * 365 * 4)
        house.server.on("/1.mp3", Reply(headers: [("Content-Type", "audio/mpeg")], body: [1, 2, 3]))
        #expect(try await download(house).downloaded == 1)
    }

    @Test func `a pause asked for while the clock stood years ahead is no pause`() async throws {
        let house = try await house()
        house.pass(hours: 24 * 365 * 4)
        house.server.on("/feed", Reply(429, headers: [("Retry-After", "86400")]))
        #expect(try await house.refresh().summary.count(of: .failed) == 1)
        #expect(try await house.refresh().summary.count(of: .skipped) == 1)
        house.pass(hours: -24 * 365 * 4)
        house.server.on("/feed", .feed(Household.feed(title: "Cast", [("1", "One")])))
        #expect(try await house.refresh().summary.count(of: .failed) == 0)
        #expect(try await house.refresh().summary.count(of: .skipped) == 0)
    }

    @Test func `a server that asks for a pause instead of a media file still gives its feeds`() async throws {
        let house = try await house()
        house.server.on("/1.mp3", Reply(429, headers: [("Retry-After", "3600")]))
        #expect(try await download(house).failed == 1)
        house.server.forgetRequests()
        #expect(try await house.refresh().summary.count(of: .skipped) == 0)
        #expect(house.server.requests(to: "/feed").count == 1)
        // Another run knows that the host's media wait.
        house.pass(hours: 0)
        #expect(try await download(house).skipped == 1)
        #expect(house.server.requests(to: "/1.mp3").isEmpty)

        // A pause of the feed is one of the whole server.
        house.pass(hours: 3)
        house.server.on("/feed", Reply(429, headers: [("Retry-After", "3600")]))
        #expect(try await house.refresh().summary.count(of: .failed) == 1)
        #expect(try await download(house).skipped == 1)
        #expect(house.server.requests(to: "/1.mp3").isEmpty)
    }
}
