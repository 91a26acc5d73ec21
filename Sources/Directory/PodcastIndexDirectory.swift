import Addresses
public import Domain
import JSON

/// Podcast Index, the open directory. It requires a key, which anybody can get.
///
/// Source: Podcast Index API 1.0, https://podcastindex-org.github.io/docs-api/ (authentication, search/byterm,
/// podcasts/byfeedid).
public struct PodcastIndexDirectory: PodcastDirectory {
    /// The key and secret that sign a request. The secret itself is never sent.
    public struct Key: Sendable {
        let key: String
        let secret: String

        public init(_ key: String, secret: String) {
            self.key = key
            self.secret = secret
        }
    }

    public static let endpoint = "https://api.podcastindex.org/api/1.0"

    public let name = DirectoryName.podcastIndex
    private static let maxResults = 1_000

    private let fetcher: any FeedFetching
    private let politeness: Politeness
    private let endpoint: String
    private let key: Key?
    private let clock: @Sendable () -> Timestamp

    /// - Parameter key: nil if the user has none; every call then throws `DirectoryFailure.noKey`.
    public init(
        fetcher: any FeedFetching, politeness: Politeness, endpoint: String = PodcastIndexDirectory.endpoint, key: Key?,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.fetcher = fetcher
        self.politeness = politeness
        self.endpoint = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
        self.key = key
        self.clock = clock
    }

    /// Podcasts that the directory marks as dead are left out. `country` is ignored, since the directory has no
    /// countries.
    public func search(_ term: String, country: String?, limit: Int) async throws -> [DirectoryEntry] {
        let limit = min(max(limit, 1), Self.maxResults)
        // Dead podcasts count towards `max`, so a few more are requested.
        let answer = try await ask("search/byterm", [("q", term), ("max", "\(min(limit + 10, Self.maxResults))")])
        return Array(answer.filter { !$0.isDead }.map(\.entry).prefix(limit))
    }

    /// Looks up a page such as `https://podcastindex.org/podcast/920666`. A podcast marked as dead is returned too,
    /// since its feed may still work.
    public func lookUp(page url: String) async throws -> DirectoryEntry? {
        guard let id = Self.podcastID(url) else { return nil }
        guard let hit = try await ask("podcasts/byfeedid", [("id", id)]).first else {
            throw FetchFailure(.notAFeed, status: 200, detail: .noDirectoryEntry)
        }
        return hit.entry
    }

    private static func podcastID(_ url: String) -> String? {
        guard let web = WebURL(url), web.host == "podcastindex.org" || web.host == "www.podcastindex.org" else { return nil }
        let segments = web.path.split(separator: "/")
        guard segments.count >= 2, segments[0] == "podcast", segments[1].utf8.count <= 18,
            segments[1].utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return String(segments[1])
    }

    private func ask(_ call: String, _ query: [(name: String, value: String)]) async throws -> [PodcastIndexAnswer.Hit] {
        var request = DirectoryRequest.make("\(endpoint)/\(call)", query)
        request.headers = try signature()
        let body: [UInt8]
        do {
            body = try await DirectoryRequest.body(of: request, by: fetcher, politeness)
        } catch let failure as FetchFailure where failure.code == .http && [401, 403].contains(failure.status) {
            throw DirectoryFailure.keyRefused(name)
        }
        do {
            return try PodcastIndexAnswer.hits(in: body)
        } catch {
            throw FetchFailure(.protocol, status: 200, detail: .unreadableDirectory)
        }
    }

    private func signature() throws(DirectoryFailure) -> [RequestHeader] {
        guard let key else { throw .noKey(name) }
        let date = "\(clock().seconds)"
        guard let authorization = SHA1.hex(key.key + key.secret + date) else { throw .cannotSign }
        return [
            RequestHeader("X-Auth-Key", key.key), RequestHeader("X-Auth-Date", date),
            RequestHeader("Authorization", authorization),
        ]
    }
}

/// The API's JSON: `feeds` for a search, `feed` for a look-up, which is an empty list if there is none.
private enum PodcastIndexAnswer {
    struct Hit {
        var entry: DirectoryEntry
        var isDead: Bool
    }

    static func hits(in bytes: [UInt8]) throws -> [Hit] {
        var json = JSONReader(bytes)
        var hits: [Hit]?
        try json.object { json, key in
            switch (key, try json.peek()) {
            case ("feeds", .array), ("feed", .array):
                var listed = hits ?? []
                try json.array { json in
                    if let hit = try hit(&json) { listed.append(hit) }
                }
                hits = listed
            case ("feed", .object): hits = try hit(&json).map { [$0] } ?? []
            default: try json.skip()
            }
        }
        try json.finish()
        guard let hits else { throw json.error(.wrongType) }
        return hits
    }

    /// nil if it has no feed on the web.
    private static func hit(_ json: inout JSONReader) throws -> Hit? {
        guard let object = try DirectoryObject(&json) else { return nil }
        let texts = object.texts
        guard let feed = texts["url"].flatMap({ WebURL($0) }) else { return nil }
        func text(_ names: String...) -> String? { names.lazy.compactMap { texts[$0] }.first { !$0.isEmpty } }
        return Hit(
            entry: DirectoryEntry(
                title: text("title") ?? feed.text, author: text("author", "ownerName"), feedURL: feed.text,
                episodes: object.integer("episodeCount"), imageURL: text("artwork", "image"),
                link: text("link"), medium: text("medium"), directory: .podcastIndex,
                directoryID: object.integer("id")),
            isDead: object.numbers["dead"].map { $0 != 0 } ?? false)
    }
}
