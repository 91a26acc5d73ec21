import Directory
import Domain
import Fetching
import LoopbackServer
import Testing

struct PodcastIndexDirectoryTests {
    let server: LoopbackServer
    let directory: PodcastIndexDirectory

    init() throws {
        server = try LoopbackServer()
        directory = Self.directory(server, key: PodcastIndexDirectory.Key("KEY", secret: "s3cr$t"))
    }

    private static func directory(_ server: LoopbackServer, key: PodcastIndexDirectory.Key?) -> PodcastIndexDirectory {
        PodcastIndexDirectory(
            fetcher: CurlFetcher(userAgent: "jimmy-tests"),
            politeness: Politeness(slotsPerHost: 2) { Timestamp(seconds: 1_800_000_000) }, endpoint: server.url + "/api/1.0",
            key: key,
            clock: { Timestamp(seconds: 1_700_000_000) })
    }

    /// `printf '%s' 'KEYs3cr$t1700000000' | sha1sum`
    static let authorization = "80f574b3b70a4884b7836703a9cd77b46a84f6ba"

    static let response = """
        {"status":"true","feeds":[
          {"id":7,"podcastGuid":"9b02","title":"Ears","url":"https://ears.example/feed.xml","link":"https://ears.example/",
           "author":"Ann","ownerName":"Ann Ltd","image":"https://ears.example/i.jpg","artwork":"https://ears.example/a.jpg",
           "episodeCount":12,"medium":"podcast","dead":0,"categories":{"1":"Arts"},"inPollingQueue":null},
          {"id":8,"title":"Gone","url":"https://gone.example/feed.xml","dead":1},
          {"id":9,"title":"Not on the web","url":"ftp://ears.example/feed.xml","dead":0},
          {"id":10,"title":"Songs","url":"http://songs.example/","author":"","ownerName":"Bo","medium":"music","dead":0}
        ],"count":4,"query":"ears","description":"Found matching feeds."}
        """

    /// Answers as the API does: only requests with a valid, recent signature.
    private func serve(_ path: String, _ body: String) {
        server.on("/api/1.0" + path) { request in
            let isSigned =
                request["X-Auth-Key"] == "KEY" && request["X-Auth-Date"] == "1700000000"
                && request["Authorization"] == Self.authorization && request["User-Agent"] == "jimmy-tests"
            return isSigned ? .feed(body, type: "application/json") : Reply(401)
        }
    }

    @Test func `a signed search gives living feeds of the web`() async throws {
        serve("/search/byterm", Self.response)
        let entries = try await directory.search("tea & kéx", country: "de", limit: 7)
        #expect(
            entries == [
                DirectoryEntry(
                    title: "Ears", author: "Ann", feedURL: "https://ears.example/feed.xml", episodes: 12,
                    imageURL: "https://ears.example/a.jpg", link: "https://ears.example/", medium: "podcast",
                    directory: .podcastIndex, directoryID: 7),
                DirectoryEntry(
                    title: "Songs", author: "Bo", feedURL: "http://songs.example/", medium: "music",
                    directory: .podcastIndex, directoryID: 10),
            ])
        #expect(server.requests.first?.target == "/api/1.0/search/byterm?q=tea%20%26%20k%C3%A9x&max=17")
        #expect(try await directory.search("ears", country: nil, limit: 1).count == 1)
    }

    @Test(arguments: [
        "https://podcastindex.org/podcast/920666", "https://www.podcastindex.org/podcast/920666?x=1",
        "http://podcastindex.org/podcast/920666/episodes",
    ])
    func `a page leads to its feed`(page: String) async throws {
        serve(
            "/podcasts/byfeedid", #"{"status":"true","feed":{"id":920666,"title":"Ears","url":"https://e.example/f","dead":1}}"#)
        let entry = try await directory.lookUp(page: page)
        #expect(entry?.feedURL == "https://e.example/f")
        #expect(server.requests.first?.target == "/api/1.0/podcasts/byfeedid?id=920666")
    }

    @Test func `other pages are not looked up`() async throws {
        for page in ["https://example.com/podcast/7", "https://podcastindex.org/", "https://podcastindex.org/podcast/ears"] {
            #expect(try await directory.lookUp(page: page) == nil)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a page without a podcast is a failure`() async {
        serve("/podcasts/byfeedid", #"{"status":"false","feed":[],"description":"No feeds match this id."}"#)
        let failure = await #expect(throws: FetchFailure.self) {
            try await directory.lookUp(page: "https://podcastindex.org/podcast/1")
        }
        #expect(failure?.code == .notAFeed)
    }

    @Test func `a wrong key is refused`() async {
        serve("/search/byterm", Self.response)
        let other = Self.directory(server, key: PodcastIndexDirectory.Key("KEY", secret: "wrong"))
        await #expect(throws: DirectoryFailure.keyRefused(.podcastIndex)) {
            try await other.search("ears", country: nil, limit: 5)
        }
    }

    @Test func `without a key nothing is asked`() async throws {
        let other = Self.directory(server, key: nil)
        await #expect(throws: DirectoryFailure.noKey(.podcastIndex)) {
            try await other.lookUp(page: "https://podcastindex.org/podcast/1")
        }
        #expect(try await other.lookUp(page: "https://example.com/feed") == nil)
        #expect(server.requests.isEmpty)
    }

    @Test func `a signature goes to no other server`() async throws {
        let other = try LoopbackServer()
        other.on("/api", .feed(Self.response))
        server.on("/api/1.0/search/byterm", .redirect(302, to: other.url + "/api"))
        _ = try await directory.search("ears", country: nil, limit: 5)
        let request = try #require(other.requests.first)
        #expect(request["Authorization"] == nil && request["X-Auth-Key"] == nil && request["X-Auth-Date"] == nil)
    }

    @Test(arguments: ["", "<html>", "{\"feeds\":", "{}", "[]", "{\"feeds\":3}"])
    func `an answer that cannot be read is a failure`(answer: String) async {
        serve("/search/byterm", answer)
        let failure = await #expect(throws: FetchFailure.self) {
            try await directory.search("ears", country: nil, limit: 10)
        }
        #expect(failure?.code == .protocol)
    }
}
