import Addresses
public import Domain
import JSON

/// Apple's podcast directory, through its search API.
///
/// Source: iTunes Search API. It allows about twenty calls a minute and answers 403 or 429 beyond that, which is thrown
/// as a
/// a `FetchFailure` with `http` and that status.
public actor AppleDirectory: PodcastDirectory {
    public nonisolated let name = DirectoryName.apple
    /// Seconds between two calls.
    private static let pace = Duration.seconds(3)
    private static let maxResults = 200

    private let fetcher: any FeedFetching
    private let politeness: Politeness
    private let searchURL: String
    private var nextCallAt: ContinuousClock.Instant?

    public static let searchURL = "https://itunes.apple.com/search"
    /// The default store.
    public static let country = "US"

    /// - Parameter searchURL: an endpoint with the same form of answers; its `lookup` must be next to its `search`.
    public init(fetcher: any FeedFetching, politeness: Politeness, searchURL: String = AppleDirectory.searchURL) {
        self.fetcher = fetcher
        self.politeness = politeness
        self.searchURL = searchURL
    }

    public func search(_ term: String, country: String?, limit: Int) async throws -> [DirectoryEntry] {
        let limit = min(max(limit, 1), AppleDirectory.maxResults)
        let entries = try await ask(
            searchURL,
            [
                ("term", term), ("limit", "\(limit)"), ("country", (country ?? Self.country).uppercased()), ("media", "podcast"),
                ("entity", "podcast"),
            ])
        return Array(entries.uniqued(by: \.feedURL).prefix(limit))
    }

    public func lookUp(page url: String) async throws -> DirectoryEntry? {
        guard let page = ApplePage(url) else { return nil }
        var query = [("id", page.id), ("media", "podcast"), ("entity", "podcast")]
        if let country = page.country { query.append(("country", country.uppercased())) }
        guard let entry = try await ask(lookUpURL, query).first else {
            throw FetchFailure(.notAFeed, status: 200, detail: .noDirectoryEntry)
        }
        return entry
    }

    private var lookUpURL: String {
        let path = searchURL.prefix { $0 != "?" }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "\(path)/"
        return folder + "lookup"
    }

    private func ask(_ endpoint: String, _ query: [(name: String, value: String)]) async throws -> [DirectoryEntry] {
        try await waitForTurn()
        let body = try await DirectoryRequest.body(of: DirectoryRequest.make(endpoint, query), by: fetcher, politeness)
        do {
            return try AppleAnswer.entries(in: body)
        } catch {
            throw FetchFailure(.protocol, status: 200, detail: .unreadableDirectory)
        }
    }

    private func waitForTurn() async throws {
        let now = ContinuousClock.now
        let turn = max(now, nextCallAt ?? now)
        nextCallAt = turn + AppleDirectory.pace
        if turn > now { try await Task.sleep(until: turn) }
    }
}

/// A link such as `https://podcasts.apple.com/de/podcast/name/id123456789?i=1000`.
private struct ApplePage {
    let id: String
    let country: String?

    init?(_ url: String) {
        guard let web = WebURL(url) else { return nil }
        let isApple = ["podcasts.apple.com", "itunes.apple.com"].contains { web.host == $0 || web.host.hasSuffix(".\($0)") }
        let segments = web.path.split(separator: "/")
        guard isApple, let last = segments.last(where: { ApplePage.isID($0) }) else { return nil }
        id = String(last.dropFirst(2))
        country = segments.first.flatMap { $0.count == 2 ? String($0) : nil }
    }

    private static func isID(_ segment: Substring) -> Bool {
        segment.hasPrefix("id") && segment.count > 2 && segment.dropFirst(2).utf8.allSatisfy { (48...57).contains($0) }
    }
}

/// The API's JSON.
private enum AppleAnswer {
    static func entries(in bytes: [UInt8]) throws -> [DirectoryEntry] {
        var json = JSONReader(bytes)
        var entries: [DirectoryEntry]?
        try json.object { json, key in
            guard key == "results" else { return _ = try json.skip() }
            var results = [DirectoryEntry]()
            try json.array { json in
                if let entry = try entry(&json) { results.append(entry) }
            }
            entries = results
        }
        try json.finish()
        guard let entries else { throw json.error(.wrongType) }
        return entries
    }

    /// nil if it has no feed on the web.
    private static func entry(_ json: inout JSONReader) throws -> DirectoryEntry? {
        guard let object = try DirectoryObject(&json) else { return nil }
        let texts = object.texts
        guard let feed = texts["feedUrl"].flatMap({ WebURL($0) }) else { return nil }
        return DirectoryEntry(
            title: texts["collectionName"] ?? texts["trackName"] ?? feed.text, author: texts["artistName"],
            feedURL: feed.text,
            episodes: object.integer("trackCount"),
            imageURL: texts["artworkUrl600"] ?? texts["artworkUrl100"],
            link: texts["collectionViewUrl"] ?? texts["trackViewUrl"],
            directory: .apple, directoryID: object.integer("collectionId"))
    }
}
