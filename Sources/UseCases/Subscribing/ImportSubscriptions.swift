import Addresses
public import Domain
public import Results

/// Adds the subscriptions of an OPML list that the library does not have yet, without fetching.
public struct ImportSubscriptions: Sendable {
    let podcasts: any PodcastRepository

    public init(_ library: Repositories) {
        podcasts = library.podcasts
    }

    /// One verdict per outline, in order. All new subscriptions are stored at once.
    public func callAsFunction(_ outlines: [OPMLOutline], now: Timestamp) async throws -> [ImportVerdict] {
        var verdicts: [ImportVerdict] = []
        var new: [NewSubscription] = []
        // The first outline with each new address; later ones name the same podcast.
        var firstOutlines: [String: Int] = [:]
        var addresses: [Int: FeedURL] = [:]
        for (number, outline) in outlines.enumerated() {
            guard let address = FeedURL.parse(outline.feedURL) else {
                verdicts.append(ImportVerdict(kind: .badURL, outline: outline))
                continue
            }
            guard FeedURL.filePath(address.url) == nil else {
                verdicts.append(ImportVerdict(kind: .localFile, outline: outline))
                continue
            }
            guard !Self.isDirectoryPage(address.url) else {
                verdicts.append(ImportVerdict(kind: .directoryPage, outline: outline))
                continue
            }
            verdicts.append(ImportVerdict(kind: .existing, outline: outline))
            addresses[number] = address
            guard firstOutlines[address.url] == nil else { continue }
            firstOutlines[address.url] = number
            var podcast = Podcast(
                id: PodcastID(feedURL: address.url), feedURL: address.url,
                credentials: address.credentials ?? outline.credentials,
                subscribedAt: now)
            podcast.title = outline.title
            podcast.settings = outline.settings
            podcast.settings.tags = outline.folders
            new.append(NewSubscription(podcast))
        }
        let results = Dictionary(
            zip(new.map(\.podcast.feedURL), try await podcasts.add(new)), uniquingKeysWith: { first, _ in first })
        for (number, address) in addresses {
            guard let result = results[address.url] else { continue }
            verdicts[number].podcast = result.podcast
            if case .added = result, firstOutlines[address.url] == number { verdicts[number].kind = .added }
        }
        return verdicts
    }

    private static func isDirectoryPage(_ url: String) -> Bool {
        guard let host = WebURL(url)?.host else { return false }
        return host == "podcasts.apple.com" || host == "itunes.apple.com" || host == "podcastindex.org"
    }
}

extension PodcastRepository {
    /// The id of a new subscription to `feedURL`. The default id is in use if a podcast has moved away from that URL.
    func freeID(for feedURL: String) async throws -> PodcastID {
        var attempt = 0
        var id = PodcastID(feedURL: feedURL)
        while try await podcast(id) != nil {
            attempt += 1
            id = PodcastID(feedURL: feedURL, attempt: attempt)
        }
        return id
    }
}
