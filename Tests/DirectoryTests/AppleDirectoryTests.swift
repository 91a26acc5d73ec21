import Directory
import Domain
import Fetching
import LoopbackServer
import Testing

struct AppleDirectoryTests {
    let server: LoopbackServer
    let directory: AppleDirectory

    init() throws {
        server = try LoopbackServer()
        directory = AppleDirectory(
            fetcher: CurlFetcher(userAgent: "jimmy-tests"),
            politeness: Politeness(slotsPerHost: 2) { Timestamp(seconds: 1_800_000_000) }, searchURL: "\(server.url)/search")
    }

    static let answer = """
        {"resultCount":5, "results": [
          {"wrapperType":"track","collectionName":"Ears","artistName":"Ann","feedUrl":"https://ears.example/feed.xml",
           "collectionId":7,"trackCount":12.0,"artworkUrl100":"https://ears.example/100.jpg","artworkUrl600":"https://ears.example/600.jpg",
           "collectionViewUrl":"https://podcasts.apple.com/us/podcast/ears/id7","genres":["Arts"]},
          {"collectionName":"No feed","trackCount":3},
          {"collectionName":"Not on the web","feedUrl":"ftp://ears.example/feed.xml"},
          {"trackName":"Only a track","feedUrl":"http://track.example/","trackCount":1.5},
          {"collectionName":"Ears again","feedUrl":"https://ears.example/feed.xml"}
        ]}
        """

    @Test func `a search carries what the API asks for`() async throws {
        server.on("/search", .feed(Self.answer, type: "text/javascript"))
        _ = try await directory.search("tea & kéx", country: "de", limit: 7)
        #expect(
            server.requests.first?.target
                == "/search?term=tea%20%26%20k%C3%A9x&limit=7&country=DE&media=podcast&entity=podcast")
    }

    @Test func `hits without a feed on the web are dropped`() async throws {
        server.on("/search", .feed(Self.answer))
        let entries = try await directory.search("ears", country: nil, limit: 10)
        #expect(
            entries == [
                DirectoryEntry(
                    title: "Ears", author: "Ann", feedURL: "https://ears.example/feed.xml", episodes: 12,
                    imageURL: "https://ears.example/600.jpg", link: "https://podcasts.apple.com/us/podcast/ears/id7",
                    directory: .apple, directoryID: 7),
                DirectoryEntry(title: "Only a track", feedURL: "http://track.example/", directory: .apple),
            ])
    }

    @Test(arguments: [403, 429, 500])
    func `a refusal keeps its status`(status: Int) async {
        server.on("/search", Reply(status, headers: [("Retry-After", "60")]))
        let failure = await #expect(throws: FetchFailure.self) {
            try await directory.search("ears", country: nil, limit: 10)
        }
        #expect(failure?.code == .http)
        #expect(failure?.status == status)
        #expect(failure?.headers.retryAfter == "60")
    }

    @Test(arguments: ["", "<html>", "{\"results\":", "{}", "[]", "{\"results\":3}"])
    func `an answer that cannot be read is a failure`(answer: String) async {
        server.on("/search", .feed(answer))
        let failure = await #expect(throws: FetchFailure.self) {
            try await directory.search("ears", country: nil, limit: 10)
        }
        #expect(failure?.code == .protocol)
    }

    @Test func `no hit is no failure`() async throws {
        server.on("/search", .feed("{\"resultCount\":0,\"results\":[]}"))
        #expect(try await directory.search("ears", country: nil, limit: 10).isEmpty)
    }

    @Test func `a page leads to its feed`() async throws {
        server.on("/lookup", .feed(Self.answer))
        let entry = try await directory.lookUp(page: "https://podcasts.apple.com/de/podcast/ears-and-more/id7?i=1000")
        #expect(entry?.feedURL == "https://ears.example/feed.xml")
        #expect(server.requests.first?.target == "/lookup?id=7&media=podcast&entity=podcast&country=DE")
    }

    @Test func `other pages are not looked up`() async throws {
        #expect(try await directory.lookUp(page: "https://example.com/podcast/id7") == nil)
        #expect(try await directory.lookUp(page: "https://podcasts.apple.com/de/browse") == nil)
        #expect(server.requests.isEmpty)
    }

    @Test func `a page without a feed is a failure`() async {
        server.on("/lookup", .feed("{\"results\":[]}"))
        let failure = await #expect(throws: FetchFailure.self) {
            try await directory.lookUp(page: "https://podcasts.apple.com/podcast/id7")
        }
        #expect(failure?.code == .notAFeed)
    }
}
