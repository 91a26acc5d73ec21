/// Adds podcasts: fetches and checks each URL, and stores it with its episodes. A URL that fails stores nothing.
public struct SubscribeToPodcast: Sendable {
    private let fetcher: any FeedFetching
    private let makeParser: MakeFeedParser
    private let findFeedLinks: FindFeedLinks
    private let directory: any PodcastDirectory
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let transcripts: any TranscriptRepository
    private let index: any SearchIndex
    private let clock: @Sendable () -> Timestamp

    public init(
        fetcher: any FeedFetching, makeParser: @escaping MakeFeedParser, findFeedLinks: @escaping FindFeedLinks,
        directory: any PodcastDirectory, podcasts: any PodcastRepository, episodes: any EpisodeRepository,
        transcripts: any TranscriptRepository, index: any SearchIndex, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.fetcher = fetcher
        self.makeParser = makeParser
        self.findFeedLinks = findFeedLinks
        self.directory = directory
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.index = index
        self.clock = clock
    }

    /// Subscribes to what the user typed: a feed, a web page that names its feed, or a directory's page.
    ///
    /// - Parameter fetching: false stores the URL for the next refresh.
    public func run(_ input: String, limits: FetchLimits = FetchLimits(), fetching: Bool = true) async -> SubscribeOutcome {
        guard let address = FeedURL.parse(input) else {
            return SubscribeOutcome(input: input, kind: .failed(.badURL))
        }
        do {
            return try await subscribe(to: address, fetching ? limits : nil)
        } catch {
            return SubscribeOutcome(input: address.url, kind: .failed(SubscribeFailure(error)))
        }
    }

    private func subscribe(to address: FeedURL, _ limits: FetchLimits?) async throws -> SubscribeOutcome {
        let known = try await podcasts.podcasts()
        if let podcast = known.first(where: { $0.feedURL == address.url }) {
            return SubscribeOutcome(input: address.url, kind: .known, podcast: podcast)
        }
        guard let limits else {
            let podcast = newPodcast(at: address, known)
            try await podcasts.save([podcast])
            return SubscribeOutcome(input: address.url, kind: .subscribed, podcast: podcast)
        }
        if let entry = try await directory.lookUp(page: address.url), let feed = FeedURL.parse(entry.feedURL) {
            return try await subscribe(to: feed, limits)
        }
        var (result, alternatives) = try await fetch(address, known, limits)
        if let podcast = known.first(where: { $0.feedURL == result.outcome.podcast.feedURL }) {
            return SubscribeOutcome(input: address.url, kind: .known, podcast: podcast)
        }
        // It is no move when nobody knew the old address.
        result.outcome.podcast.fetch.moves = []
        var report = await RefreshCommit(podcasts: podcasts, episodes: episodes, transcripts: transcripts).run([result])
        if let failure = report.storageFailure { throw failure }
        // An index that cannot be written is brought in line by any later run.
        try? await index.apply(report.unindexed.take())
        var outcome = SubscribeOutcome(input: address.url, kind: .subscribed, podcast: result.outcome.podcast)
        outcome.alternatives = alternatives
        return outcome
    }

    /// The feed at this address, or the best that the page there names: the first with media files, else the first.
    private func fetch(
        _ address: FeedURL, _ known: [Podcast], _ limits: FetchLimits
    ) async throws -> (FeedResult, alternatives: [FeedLink]) {
        let direct = await result(for: address, known, limits)
        guard let failure = direct.outcome.failure else { return (direct, []) }
        guard failure.code == .notAFeed, failure.detail == NotAFeed.html.fact else { throw direct.storageFailure ?? failure }

        let links = try await feedLinks(on: address, limits)
        var fallback: (FeedResult, FeedLink)?
        // A page may name any number of feeds; the podcast is among the first few.
        for link in links.prefix(8) {
            // A page on the network must not lead to a file of this machine.
            guard let feed = WebURL(link.url).map(FeedURL.init) else { continue }
            let candidate = await result(for: feed, known, limits)
            guard candidate.outcome.failure == nil else { continue }
            let hasMedia = candidate.changes?.added.contains { !$0.item.enclosures.isEmpty } ?? false
            if hasMedia { return (candidate, links.filter { $0 != link }) }
            if fallback == nil { fallback = (candidate, link) }
        }
        if let (candidate, link) = fallback { return (candidate, links.filter { $0 != link }) }
        throw failure
    }

    private func result(for address: FeedURL, _ known: [Podcast], _ limits: FetchLimits) async -> FeedResult {
        var options = RefreshOptions()
        options.limits = limits
        let feed = RefreshFeed(
            ask: AskFeed(fetcher: fetcher, makeParser: makeParser), episodes: episodes, clock: clock, options: options)
        let podcast = newPodcast(at: address, known)
        let results = await feed.refresh(FeedJob(lead: podcast))
        return results.first ?? FeedResult(failed: podcast, FetchFailure(.cancelled), now: clock())
    }

    private func feedLinks(on address: FeedURL, _ limits: FetchLimits) async throws -> [FeedLink] {
        var request = FetchRequest(url: address.url, credentials: address.credentials, limits: limits)
        request.accept = "text/html, application/xhtml+xml;q=0.9, */*;q=0.1"
        var html: [UInt8] = []
        var hints = ParseHints()
        _ = try await fetcher.fetch(request) { head, bytes in
            hints = ParseHints(baseURL: head.url, contentType: head.headers.contentType)
            html += bytes
        }
        return findFeedLinks(html, hints)
    }

    private func newPodcast(at address: FeedURL, _ known: [Podcast]) -> Podcast {
        let id = PodcastID.free(for: address.url, taken: Set(known.map(\.id)))
        return Podcast(id: id, feedURL: address.url, credentials: address.credentials, subscribedAt: clock())
    }
}

/// What became of one URL that was given to `subscribe`.
public struct SubscribeOutcome: Sendable {
    public enum Kind: Sendable {
        case subscribed
        /// The library has it already.
        case known
        case failed(SubscribeFailure)
    }

    /// As the user typed it, without password.
    public var input: String
    public var kind: Kind
    public var podcast: Podcast?
    /// Other feeds that the web page names.
    public var alternatives: [FeedLink] = []

    public init(input: String, kind: Kind, podcast: Podcast? = nil) {
        self.input = input
        self.kind = kind
        self.podcast = podcast
    }
}

public enum SubscribeFailure: Error, Sendable {
    /// Not a URL jimmy can fetch.
    case badURL
    case fetch(FetchFailure)
    case library(LibraryFailure)
    case directory(any Error)

    init(_ error: any Error) {
        switch error {
        case let failure as FetchFailure: self = .fetch(failure)
        case let failure as LibraryFailure: self = .library(failure)
        default: self = .directory(error)
        }
    }
}
