/// Adds the subscriptions of an OPML list: keeps what the library has and adds the rest, without fetching.
public struct ImportSubscriptions: Sendable {
    /// What became of one outline.
    public struct Verdict: Sendable {
        public enum Kind: String, Sendable {
            case added, known
            /// No address of a feed.
            case badURL
            /// A page of a podcast directory: which feed is behind it, only the network knows.
            case directoryPage
            /// A file of this machine: only the user may name one, and not a list that came from elsewhere.
            case localFile
        }

        public var kind: Kind
        public var outline: OPMLOutline
        public var podcast: Podcast?
    }

    let podcasts: any PodcastRepository

    public init(podcasts: any PodcastRepository) {
        self.podcasts = podcasts
    }

    /// One verdict an outline, in order; all that is new is stored at once.
    public func callAsFunction(_ outlines: [OPMLOutline], now: Timestamp) async throws -> [Verdict] {
        let existing = try await podcasts.podcasts()
        var byURL = Dictionary(existing.map { ($0.feedURL, $0) }, uniquingKeysWith: { first, _ in first })
        var ids = Set(existing.map(\.id))
        var added: [Podcast] = []
        var verdicts: [Verdict] = []
        for outline in outlines {
            guard let address = FeedURL.parse(outline.feedURL) else {
                verdicts.append(Verdict(kind: .badURL, outline: outline))
                continue
            }
            guard FeedURL.filePath(address.url) == nil else {
                verdicts.append(Verdict(kind: .localFile, outline: outline))
                continue
            }
            guard !Self.isDirectoryPage(address.url) else {
                verdicts.append(Verdict(kind: .directoryPage, outline: outline))
                continue
            }
            if let podcast = byURL[address.url] {
                verdicts.append(Verdict(kind: .known, outline: outline, podcast: podcast))
                continue
            }
            var podcast = Podcast(
                id: PodcastID.free(for: address.url, taken: ids), feedURL: address.url, credentials: address.credentials,
                subscribedAt: now)
            podcast.title = outline.title
            podcast.settings.tags = outline.folders
            ids.insert(podcast.id)
            byURL[podcast.feedURL] = podcast
            added.append(podcast)
            verdicts.append(Verdict(kind: .added, outline: outline, podcast: podcast))
        }
        if !added.isEmpty { try await podcasts.save(added) }
        return verdicts
    }

    private static func isDirectoryPage(_ url: String) -> Bool {
        guard let host = WebURL(url)?.host else { return false }
        return host == "podcasts.apple.com" || host == "itunes.apple.com" || host == "podcastindex.org"
    }
}

extension PodcastID {
    /// The id of a new subscription to `feedURL`.
    static func free(for feedURL: String, taken: Set<PodcastID>) -> PodcastID {
        var attempt = 0
        var id = PodcastID(feedURL: feedURL)
        while taken.contains(id) {
            attempt += 1
            id = PodcastID(feedURL: feedURL, attempt: attempt)
        }
        return id
    }
}
