/// Adds podcasts: fetches and checks each URL, and stores it with its episodes. A URL that fails stores nothing.
public struct SubscribeToPodcast: Sendable {
    private let fetcher: any FeedFetching
    private let makeParser: MakeFeedParser
    private let findFeedLinks: FindFeedLinks
    private let directories: [any PodcastDirectory]
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let transcripts: any TranscriptRepository
    private let index: any SearchIndex
    private let clock: @Sendable () -> Timestamp

    public init(
        fetcher: any FeedFetching, makeParser: @escaping MakeFeedParser, findFeedLinks: @escaping FindFeedLinks,
        directories: [any PodcastDirectory], podcasts: any PodcastRepository, episodes: any EpisodeRepository,
        transcripts: any TranscriptRepository, index: any SearchIndex, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.fetcher = fetcher
        self.makeParser = makeParser
        self.findFeedLinks = findFeedLinks
        self.directories = directories
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.index = index
        self.clock = clock
    }

    /// How many addresses are asked at once, and how many may be ahead of the first that has not ended.
    private static let concurrency = 16
    private static let window = 64

    /// Subscribes to what the user typed: feeds, web pages that name theirs, or a directory's pages. All are asked side
    /// by side, each URL once, and stored and reported in the order in which they were typed.
    ///
    /// - Parameter fetching: false stores the URLs for the next refresh.
    /// - Throws: `LibraryFailure` where the subscriptions cannot be read.
    public func run(
        _ inputs: [String], limits: FetchLimits = FetchLimits(), fetching: Bool = true,
        report: (SubscribeOutcome) async -> Void
    ) async throws {
        var known = KnownPodcasts(try await podcasts.podcasts())
        let finder = FeedFinder(
            ask: AskFeed(fetcher: fetcher, makeParser: makeParser, findFeedLinks: findFeedLinks), directories: directories,
            episodes: episodes, clock: clock, limits: limits)
        guard fetching else {
            var answers: [FeedFinder.Answer] = []
            for input in inputs { answers.append(await finder.find(input, known, fetching: false)) }
            for outcome in await store(answers, &known) { await report(outcome) }
            return
        }
        var ended: [Int: FeedFinder.Answer] = [:]
        var (started, running, next) = (0, 0, 0)
        await withTaskGroup(of: (Int, FeedFinder.Answer).self) { group in
            while true {
                while started < inputs.count, running < Self.concurrency, started < next + Self.window, !Task.isCancelled {
                    let (number, input, known) = (started, inputs[started], known)
                    started += 1
                    running += 1
                    group.addTask { (number, await finder.find(input, known, fetching: true)) }
                }
                guard let (number, answer) = await group.next() else { break }
                running -= 1
                ended[number] = answer
                var answers: [FeedFinder.Answer] = []
                while let answer = ended.removeValue(forKey: next) {
                    answers.append(answer)
                    next += 1
                }
                for outcome in await store(answers, &known) { await report(outcome) }
            }
        }
    }

    /// Stores what was found, all at once. A feed that another address led to before is known by now.
    private func store(_ answers: [FeedFinder.Answer], _ known: inout KnownPodcasts) async -> [SubscribeOutcome] {
        var outcomes: [SubscribeOutcome] = []
        var results: [FeedResult] = []
        var unfetched: [Podcast] = []
        for answer in answers {
            var outcome = answer.outcome
            if case .subscribed = outcome.kind, let podcast = outcome.podcast {
                if let older = known[podcast.feedURL] {
                    outcome = SubscribeOutcome(input: outcome.input, kind: .known, podcast: older)
                } else {
                    known.add(podcast)
                    if let result = answer.result { results.append(result) } else { unfetched.append(podcast) }
                }
            }
            outcomes.append(outcome)
        }
        let failures = await write(results, unfetched)
        return outcomes.map { outcome in
            guard let failure = outcome.podcast.flatMap({ failures[$0.id] }) else { return outcome }
            return SubscribeOutcome(input: outcome.input, kind: .failed(SubscribeFailure(failure)))
        }
    }

    /// What could not be written, and why.
    private func write(_ results: [FeedResult], _ unfetched: [Podcast]) async -> [PodcastID: any Error] {
        var failures: [PodcastID: any Error] = [:]
        if !unfetched.isEmpty {
            do {
                try await podcasts.save(unfetched)
            } catch {
                for podcast in unfetched { failures[podcast.id] = error }
            }
        }
        guard !results.isEmpty else { return failures }
        let report = await RefreshCommit(podcasts: podcasts, episodes: episodes, transcripts: transcripts).run(results)
        // An index that cannot be written is brought in line by any later run.
        try? await index.apply(report.unindexed.changes)
        for outcome in report.outcomes where outcome.failure?.code == .storage {
            failures[outcome.podcast.id] = report.localFailure
        }
        return failures
    }
}

/// The subscriptions, by the URL that is fetched.
struct KnownPodcasts: Sendable {
    private var byURL: [String: Podcast]
    private(set) var ids: Set<PodcastID>

    init(_ podcasts: [Podcast]) {
        byURL = Dictionary(podcasts.map { ($0.feedURL, $0) }, uniquingKeysWith: { first, _ in first })
        ids = Set(podcasts.map(\.id))
    }

    subscript(url: String) -> Podcast? { byURL[url] }

    mutating func add(_ podcast: Podcast) {
        byURL[podcast.feedURL] = podcast
        ids.insert(podcast.id)
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
    case local(LocalFailure)
    case directory(any Error)

    init(_ error: any Error) {
        switch error {
        case let failure as FetchFailure: self = .fetch(failure)
        case is NotAFeed, is WebPage: self = .fetch(FetchFailure(error))
        default: self = LocalFailure(error).map { .local($0) } ?? .directory(error)
        }
    }
}
